#include "fs/host.hpp"

#include "fs/descriptor.hpp"

#include <rwlease/error.hpp>

#include <fcntl.h>
#include <signal.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <string_view>

namespace rwlease::fs {
namespace {

// Kernel pseudo files are small and answer whole.
std::optional<std::string> read_whole(const std::string& path) {
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.open()) return std::nullopt;
  std::array<char, 4096> buffer;
  const ssize_t size = ::read(file.get(), buffer.data(), buffer.size());
  if (size < 0) return std::nullopt;
  return std::string(buffer.data(), static_cast<std::size_t>(size));
}

struct ProcessLine {
  char state = '?';
  long threads = 0;
  std::uint64_t start = 0;
};

std::uint64_t number_at(std::string_view text) {
  std::uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// Fields of /proc/PID/stat, counted from 1; the second may contain anything, so count from behind it.
std::optional<ProcessLine> parse_stat(std::string_view text) {
  constexpr int state_field = 3;
  constexpr int threads_field = 20;
  constexpr int start_field = 22;
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string_view::npos) return std::nullopt;
  std::string_view rest = text.substr(name_end + 1);
  ProcessLine line;
  for (int field = state_field; field <= start_field; ++field) {
    const std::size_t begin = rest.find_first_not_of(' ');
    if (begin == std::string_view::npos) return std::nullopt;
    rest.remove_prefix(begin);
    const std::string_view word = rest.substr(0, rest.find(' '));
    if (field == state_field) line.state = word.front();
    if (field == threads_field) line.threads = static_cast<long>(number_at(word));
    if (field == start_field) line.start = number_at(word);
    rest.remove_prefix(word.size());
  }
  return line;
}

std::optional<ProcessLine> read_stat(pid_t pid) {
  const auto text = read_whole("/proc/" + std::to_string(pid) + "/stat");
  return text ? parse_stat(*text) : std::nullopt;
}

std::uint64_t namespace_of(const char* kind) {
  struct stat raw = {};
  return ::stat((std::string("/proc/self/ns/") + kind).c_str(), &raw) == 0 ? raw.st_ino : 0;
}

// A new pid namespace may still see the old one's /proc; what that says of a pid is about another process.
bool proc_is_ours() {
  std::array<char, 32> buffer;
  const ssize_t size = ::readlink("/proc/self", buffer.data(), buffer.size());
  return size > 0 && std::string(buffer.data(), static_cast<std::size_t>(size)) == std::to_string(::getpid());
}

std::string host_name() {
  struct utsname names = {};
  return ::uname(&names) == 0 ? names.nodename : "";
}

}  // namespace

SystemHost::SystemHost() : name_(host_name()) {
  self_.boot_id = boot_id();
  self_.pidns = namespace_of("pid");
  self_.timens = namespace_of("time");
  self_.pid = ::getpid();
  const auto line = proc_is_ours() ? read_stat(self_.pid) : std::nullopt;
  self_.start = line ? line->start : 0;
}

std::string SystemHost::boot_id() const {
  std::string text = read_whole("/proc/sys/kernel/random/boot_id").value_or("");
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

uid_t SystemHost::user() const { return ::geteuid(); }

std::string SystemHost::random_token() const {
  std::array<unsigned char, 16> bytes;
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t got = ::getrandom(bytes.data() + done, bytes.size() - done, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      const std::error_code code(errno, std::generic_category());
      throw Error("drawing a random token", "", code.message(), code);
    }
    done += static_cast<std::size_t>(got);
  }
  std::string text;
  for (const unsigned char byte : bytes) {
    text += "0123456789abcdef"[byte >> 4U];
    text += "0123456789abcdef"[byte & 15U];
  }
  return text;
}

ProcessState SystemHost::state_of(const ProcessIdentity& process) const {
  const bool comparable = !process.boot_id.empty() && process.boot_id == self_.boot_id && process.pidns != 0 &&
                          process.pidns == self_.pidns && process.timens == self_.timens && process.start != 0 &&
                          self_.start != 0 && process.pid > 0;
  if (!comparable) return ProcessState::unknown;
  if (::kill(process.pid, 0) == -1 && errno == ESRCH) return ProcessState::gone;
  const auto line = read_stat(process.pid);
  if (!line || line->start == 0) return ProcessState::unknown;
  if (line->start != process.start) return ProcessState::gone;
  // The first thread of a process may end before the others; then it shows as a zombie with threads.
  const bool ended = line->state == 'X' || (line->state == 'Z' && line->threads <= 1);
  return ended ? ProcessState::gone : ProcessState::running;
}

ProcessState SystemHost::state_of_group(pid_t group) const {
  if (group <= 1) return ProcessState::unknown;
  return ::kill(-group, 0) == -1 && errno == ESRCH ? ProcessState::gone : ProcessState::running;
}

std::optional<ProcessIdentity> SystemHost::identify(pid_t pid) const {
  if (pid <= 0 || (::kill(pid, 0) == -1 && errno == ESRCH)) return std::nullopt;
  ProcessIdentity process = self_;
  process.pid = pid;
  const auto line = self_.start != 0 ? read_stat(pid) : std::nullopt;
  process.start = line ? line->start : 0;
  return process;
}

}  // namespace rwlease::fs
