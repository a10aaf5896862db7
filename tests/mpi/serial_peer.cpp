#include "serial_peer.hpp"

#include "world.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <stdexcept>
#include <system_error>

namespace rwlease::mpi::test {
namespace {

constexpr int patience_ms = 60'000;

struct Pipe {
  int read_end = -1;
  int write_end = -1;
};

Pipe make_pipe() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "pipe2");
  return {ends[0], ends[1]};
}

pid_t spawn(std::array<std::string, 4> words, const Pipe& input, const Pipe& output) {
  std::array<char*, 5> arguments{};
  for (std::size_t index = 0; index < words.size(); ++index) arguments[index] = words[index].data();
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input.read_end, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output.write_end, STDOUT_FILENO);
  pid_t process = -1;
  const int error = posix_spawn(&process, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw std::system_error(error, std::generic_category(), "starting " + words[0]);
  return process;
}

}  // namespace

SerialPeer::SerialPeer(const std::filesystem::path& name, Mode mode, const std::string& durations) {
  const Pipe input = make_pipe();
  const Pipe output = make_pipe();
  to_peer_ = input.write_end;
  from_peer_ = output.read_end;
  process_ = spawn({RWLEASE_SERIAL_PEER, name.string(), std::string(to_string(mode)), durations}, input, output);
  close(input.read_end);
  close(output.write_end);
}

SerialPeer::~SerialPeer() {
  close(to_peer_);
  reap();
  close(from_peer_);
}

void SerialPeer::await_waiting() { await("waiting"); }

std::int64_t SerialPeer::await_held() { return std::stoll(await("held")); }

std::string SerialPeer::finish() {
  close(to_peer_);
  to_peer_ = -1;
  return await("released");
}

// Skips lines that begin with another word; returns the rest of the line.
std::string SerialPeer::await(const std::string& word) {
  for (;;) {
    std::string line = read_line();
    if (line.compare(0, word.size(), word) == 0) return line.substr(word.size());
  }
}

std::string SerialPeer::read_line() {
  for (;;) {
    const auto end = unread_.find('\n');
    if (end != std::string::npos) {
      std::string line = unread_.substr(0, end);
      unread_.erase(0, end + 1);
      return line;
    }
    pollfd wanted{from_peer_, POLLIN, 0};
    if (poll(&wanted, 1, patience_ms) == 0) throw std::runtime_error("the serial peer says nothing");
    std::array<char, 256> buffer{};
    const ssize_t count = read(from_peer_, buffer.data(), buffer.size());
    if (count == 0) throw std::runtime_error("the serial peer ended early");
    if (count > 0) unread_.append(buffer.data(), static_cast<std::size_t>(count));
  }
}

// After finish() it has given back; before, its death is what frees the lease.
void SerialPeer::reap() noexcept {
  kill(process_, SIGTERM);
  while (waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

std::unique_ptr<SerialPeer> held_by_a_peer(const std::filesystem::path& name, Mode mode) {
  std::unique_ptr<SerialPeer> peer;
  if (world_rank() == 0) {
    peer = std::make_unique<SerialPeer>(name, mode, "steady");
    peer->await_held();
  }
  barrier();
  return peer;
}

}  // namespace rwlease::mpi::test
