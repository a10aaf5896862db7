// A process of its own that uses a lock, driven over pipes.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <deque>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace rwlease::test {

// How long a test waits for what must come. It only bounds a failure: generous, for loaded machines and sanitizers.
inline constexpr std::chrono::seconds patience{30};

// One line of a participant: when (CLOCK_MONOTONIC), what kind, and the rest. See participant/main.cpp for the kinds.
struct Line {
  std::chrono::nanoseconds at{};
  std::string kind;
  std::string text;
};

// The participant cannot be what the options ask for (no root, no namespaces); what() says why.
class Unable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Starts the participant program and waits until it is ready. Whatever does not come in time throws
// std::runtime_error with all that was heard. The destructor kills and reaps the process. One thread.
class Participant {
 public:
  // Options: "key=value" as in participant/main.cpp.
  explicit Participant(const std::filesystem::path& lock, const std::vector<std::string>& options = {});
  ~Participant();
  Participant(Participant&&) = delete;
  Participant& operator=(Participant&&) = delete;

  pid_t pid() const noexcept { return pid_; }

  void send(const std::string& command);

  // The next line of that kind; others stay to be awaited later.
  Line await(const std::string& kind);

  // The reply to the command that was sent last: of kind "done" or "failed".
  Line await_reply();

  // Whether a line of that kind has come, or comes within the time.
  std::optional<Line> hear(const std::string& kind, std::chrono::milliseconds duration);

  // Sends and awaits: the text of "done". Throws when it failed.
  std::string ask(const std::string& command);

  // The same with the reply's stamp.
  Line ask_when(const std::string& command);

  // Sends and awaits a failure: "TYPE|errno|message". Throws when it did not fail.
  std::string refusal(const std::string& command);

  void signal(int number) const;

  // SIGSTOP, and waits until it stands: the signal alone may take effect after what the test does next.
  void stop() const;

  // Ends its input: the participant gives back what it holds and returns from main().
  void close_input();

  // Its wait status; bounded.
  int await_exit();

  // SIGKILL, and waits until it is dead.
  void kill_hard();

 private:
  std::optional<Line> take(const std::vector<std::string>& kinds);
  std::optional<Line> await_any(const std::vector<std::string>& kinds, std::chrono::nanoseconds duration);
  bool read_some(std::chrono::nanoseconds left);
  [[noreturn]] void give_up(const std::string& what);

  pid_t pid_ = -1;
  int input_ = -1;
  int output_ = -1;
  bool reaped_ = false;
  int status_ = 0;
  std::string pending_;
  std::deque<Line> heard_;
  std::string transcript_;
};

// Why a participant with these options cannot run here; nothing when it can. For GTEST_SKIP.
std::optional<std::string> why_not(const std::vector<std::string>& options);

}  // namespace rwlease::test
