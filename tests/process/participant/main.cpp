// A process that uses a lock and does what a test tells it.
//
// Commands come as lines on standard input (see session.hpp and the files of its commands); each is answered by "done"
// or "failed". At the end of the input it returns from main() and gives back what it holds. Lines on standard output
// are "STAMP KIND TEXT", the stamp on CLOCK_MONOTONIC in nanoseconds:
//
//   ready, unable WHY                 once, at the start
//   done TEXT, failed TYPE|ERRNO|WHAT the reply to a command
//   lost REASON, renewed              what the library called back
//   hold, torn, ran-out               see work.cpp
//   point POINT                       see points.hpp
//   log LEVEL LINE                    with log=1
#include "process/participant/order.hpp"
#include "process/participant/report.hpp"
#include "process/participant/session.hpp"
#include "process/participant/setup.hpp"

#include <rwlease/log.hpp>

#include <unistd.h>

#include <array>
#include <cerrno>
#include <memory>
#include <optional>
#include <system_error>

// Reachable to the end: leaked on purpose.
extern rwlease::test::Session* leaked_session;
rwlease::test::Session* leaked_session = nullptr;

namespace {

using rwlease::test::report;
using rwlease::test::Session;

// By read(2) itself: a sanitizer delivers signals only in blocking calls that it knows.
class Commands {
 public:
  // The next line; nothing at the end of the input.
  std::optional<std::string> next() {
    for (;;) {
      const std::size_t end = pending_.find('\n');
      if (end != std::string::npos) {
        std::string line = pending_.substr(0, end);
        pending_.erase(0, end + 1);
        return line;
      }
      if (!read_more()) return std::nullopt;
    }
  }

 private:
  bool read_more() {
    std::array<char, 4096> buffer;
    ssize_t size = -1;
    do {
      size = ::read(STDIN_FILENO, buffer.data(), buffer.size());
    } while (size == -1 && errno == EINTR);
    if (size <= 0) return false;
    pending_.append(buffer.data(), static_cast<std::size_t>(size));
    return true;
  }

  std::string pending_;
};

void obey_all(std::unique_ptr<Session> session) {
  Commands commands;
  for (auto line = commands.next(); line; line = session->leaks() ? std::nullopt : commands.next())
    session->obey(*line);
  if (session->leaks()) leaked_session = session.release();
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const rwlease::test::Setup setup = rwlease::test::parse_setup(argc, argv);
    become(setup);
    rwlease::test::die_with_parent();
    if (setup.log) {
      rwlease::set_log_hook([](rwlease::LogLevel level, std::string_view line) {
        report("log", std::string(to_string(level)) + " " + std::string(line));
      });
    }
    if (!setup.order.empty()) rwlease::test::order_by(setup.order);
    auto session = std::make_unique<Session>(setup);
    report("ready");
    obey_all(std::move(session));
  } catch (const std::exception& error) {
    report("unable", error.what());
    return 1;
  }
  return 0;
}
