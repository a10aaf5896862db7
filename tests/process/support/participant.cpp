#include "process/support/participant.hpp"

#include "process/support/clock.hpp"
#include "support/scratch.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <sstream>
#include <system_error>

namespace rwlease::test {
namespace {

using std::chrono::nanoseconds;

struct Pipe {
  int read_end = -1;
  int write_end = -1;
};

Pipe make_pipe() {
  std::array<int, 2> ends = {};
  if (::pipe2(ends.data(), O_CLOEXEC) == -1) throw std::system_error(errno, std::generic_category(), "pipe");
  return {ends[0], ends[1]};
}

// A participant that died is seen by what does not come back.
[[maybe_unused]] const auto without_broken_pipes = ::signal(SIGPIPE, SIG_IGN);

// The child starts with the default for every signal and none blocked.
pid_t spawn(std::vector<std::string> arguments, int input, int output) {
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  sigset_t signals;
  ::sigfillset(&signals);
  ::posix_spawnattr_setsigdefault(&attributes, &signals);
  ::sigemptyset(&signals);
  ::posix_spawnattr_setsigmask(&attributes, &signals);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  pid_t pid = -1;
  const int error = ::posix_spawn(&pid, pointers[0], &actions, &attributes, pointers.data(), environ);
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw std::system_error(error, std::generic_category(), "starting " + arguments[0]);
  return pid;
}

Line parse(const std::string& text) {
  std::istringstream words(text);
  long long at = 0;
  Line line;
  words >> at >> line.kind;
  line.at = nanoseconds(at);
  std::getline(words >> std::ws, line.text);
  return line;
}

struct timespec timespec_of(nanoseconds duration) {
  duration = std::max(duration, nanoseconds(0));
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(duration);
  struct timespec time = {};
  time.tv_sec = seconds.count();
  time.tv_nsec = (duration - seconds).count();
  return time;
}

bool readable_within(int descriptor, nanoseconds duration) {
  struct pollfd source = {descriptor, POLLIN, 0};
  const struct timespec timeout = timespec_of(duration);
  return ::ppoll(&source, 1, &timeout, nullptr) > 0;
}

}  // namespace

Participant::Participant(const std::filesystem::path& lock, const std::vector<std::string>& options) {
  const Pipe to = make_pipe();
  const Pipe from = make_pipe();
  input_ = to.write_end;
  output_ = from.read_end;
  std::vector<std::string> arguments = {PROCESS_PARTICIPANT_PROGRAM, lock.string()};
  arguments.insert(arguments.end(), options.begin(), options.end());
  pid_ = spawn(std::move(arguments), to.read_end, from.write_end);
  ::close(to.read_end);
  ::close(from.write_end);
  const auto first = await_any({"ready", "unable"}, patience);
  if (first && first->kind == "ready") return;
  const std::string why = first ? first->text : "it did not get ready: " + transcript_;
  kill_hard();
  ::close(input_);
  ::close(output_);
  if (first) throw Unable(why);
  throw std::runtime_error(why);
}

Participant::~Participant() {
  if (!reaped_) {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, &status_, 0);
  }
  if (input_ != -1) ::close(input_);
  ::close(output_);
}

void Participant::send(const std::string& command) {
  const std::string line = command + "\n";
  const ssize_t written = ::write(input_, line.data(), line.size());
  if (written != static_cast<ssize_t>(line.size())) give_up("sending " + command);
}

Line Participant::await(const std::string& kind) {
  if (auto line = await_any({kind}, patience)) return *line;
  give_up("awaiting " + kind);
}

Line Participant::await_reply() {
  if (auto line = await_any({"done", "failed"}, patience)) return *line;
  give_up("awaiting a reply");
}

std::optional<Line> Participant::hear(const std::string& kind, std::chrono::milliseconds duration) {
  return await_any({kind}, duration);
}

std::string Participant::ask(const std::string& command) { return ask_when(command).text; }

Line Participant::ask_when(const std::string& command) {
  send(command);
  Line reply = await_reply();
  if (reply.kind != "done") give_up(command + " failed with " + reply.text);
  return reply;
}

std::string Participant::refusal(const std::string& command) {
  send(command);
  Line reply = await_reply();
  if (reply.kind != "failed") give_up(command + " did not fail but said " + reply.text);
  return reply.text;
}

void Participant::signal(int number) const {
  if (!reaped_) ::kill(pid_, number);
}

void Participant::stop() const {
  signal(SIGSTOP);
  siginfo_t info{};
  while (::waitid(P_PID, static_cast<id_t>(pid_), &info, WSTOPPED | WEXITED | WNOWAIT) == -1 && errno == EINTR) {
  }
  if (info.si_code != CLD_STOPPED) throw std::runtime_error("a participant ended instead of being stopped");
}

void Participant::close_input() {
  ::close(input_);
  input_ = -1;
}

int Participant::await_exit() {
  if (reaped_) return status_;
  const int process = static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0U));
  // Without pidfd (before Linux 5.3) the test's own time limit bounds the wait.
  const bool ended = process == -1 || readable_within(process, patience);
  if (process != -1) ::close(process);
  if (!ended) give_up("awaiting its end");
  ::waitpid(pid_, &status_, 0);
  reaped_ = true;
  return status_;
}

void Participant::kill_hard() {
  signal(SIGKILL);
  await_exit();
}

std::optional<Line> Participant::take(const std::vector<std::string>& kinds) {
  const auto wanted = [&kinds](const Line& line) {
    return std::find(kinds.begin(), kinds.end(), line.kind) != kinds.end();
  };
  const auto found = std::find_if(heard_.begin(), heard_.end(), wanted);
  if (found == heard_.end()) return std::nullopt;
  Line line = *found;
  heard_.erase(found);
  return line;
}

std::optional<Line> Participant::await_any(const std::vector<std::string>& kinds, nanoseconds duration) {
  const nanoseconds end = monotonic_now() + duration;
  for (;;) {
    if (auto line = take(kinds)) return line;
    if (!read_some(end - monotonic_now())) return std::nullopt;
  }
}

// False when the time is over, or when nothing will come any more.
bool Participant::read_some(nanoseconds left) {
  if (!readable_within(output_, left)) return false;
  std::array<char, 65'536> buffer;
  const ssize_t size = ::read(output_, buffer.data(), buffer.size());
  if (size <= 0) return false;
  pending_.append(buffer.data(), static_cast<std::size_t>(size));
  for (std::size_t end = pending_.find('\n'); end != std::string::npos; end = pending_.find('\n')) {
    heard_.push_back(parse(pending_.substr(0, end)));
    transcript_ += pending_.substr(0, end + 1);
    pending_.erase(0, end + 1);
  }
  return true;
}

void Participant::give_up(const std::string& what) {
  while (read_some(nanoseconds(0))) {
  }
  constexpr std::size_t longest_shown = 4000;
  if (transcript_.size() > longest_shown) transcript_.erase(0, transcript_.size() - longest_shown);
  throw std::runtime_error("participant " + std::to_string(pid_) + ": " + what + "; heard:\n" + transcript_);
}

std::optional<std::string> why_not(const std::vector<std::string>& options) {
  const Scratch scratch;
  try {
    const Participant probe(scratch / "x", options);
    return std::nullopt;
  } catch (const Unable& unable) {
    return unable.what();
  }
}

}  // namespace rwlease::test
