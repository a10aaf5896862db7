// Runs the real rwlease command and watches it. Every wait is bounded: what takes longer throws.
#pragma once

#include "support/scratch.hpp"

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace rwlease::test {

// For what ought to happen soon; generous, because the machine may be busy.
constexpr std::chrono::seconds soon{30};

struct Result {
  int code = 0;  // as a shell has it: 128 plus N for signal N
  std::string out;
  std::string err;
};

// A running `rwlease ARGUMENTS...` with pipes at stdin, stdout and stderr. SIGKILLed at the end if it still runs.
class Program {
 public:
  // `prepare` runs in the child before exec.
  explicit Program(const std::vector<std::string>& arguments, const std::function<void()>& prepare = {});
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  pid_t pid() const { return pid_; }
  void send(int signal) const;

  // SIGSTOP, and waits until it stands: the signal alone may take effect after what the test does next.
  void stop();

  void write_stdin(const std::string& text);
  void close_stdin();

  // Reads until the stream has had `text`; gives everything it had so far.
  std::string await_out(const std::string& text) { return await(out_, text); }
  std::string await_err(const std::string& text) { return await(err_, text); }

  // What comes within a moment, and all before.
  std::string poll_out();

  // Until nobody has the stream open for writing any more: the command and all its relatives are gone.
  std::string await_end_of_out();

  // Closes stdin, waits for the end, reads the rest that is there.
  Result finish();

  // Waits for the end alone.
  int await_exit();

 private:
  struct Stream {
    int descriptor = -1;
    std::string text;
    bool ended = false;
  };

  std::string await(Stream& stream, const std::string& text);
  void read_some(Stream& stream, std::chrono::steady_clock::time_point deadline);
  void read_rest(Stream& stream);
  int await_change(int options);

  pid_t pid_ = -1;
  int code_ = -1;
  int stdin_ = -1;
  Stream out_;
  Stream err_;
};

// Runs it to its end, with nothing at stdin.
Result run(const std::vector<std::string>& arguments);

// `rwlease run` OPTIONS... PATH -- `subject` BEHAVIOUR.
std::vector<std::string> with_subject(const std::vector<std::string>& options, const std::string& path,
                                      const std::string& behaviour = "plain");

// SIGKILL, and waits until it is dead. Of any process, not only of a child.
void kill_hard(pid_t process);

// The word at `index` of the line that the subject begins with: 1 is its pid, 2 its process group.
pid_t reported_pid(const std::string& out, std::size_t index = 1);

}  // namespace rwlease::test
