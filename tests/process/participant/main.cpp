// A process that uses a lock and does what a test tells it.
//
// Commands come as lines on standard input (see session.hpp and the files of its commands); each is answered by "done"
// or "failed". At the end of the input it returns from main() and gives back what it holds. Lines on standard output
// are "STAMP KIND TEXT", the stamp on CLOCK_MONOTONIC in nanoseconds:
//
//   ready, unable WHY                 once, at the start
//   done TEXT, failed TYPE|ERRNO|WHAT the reply to a command
//   lost REASON, renewed              what the library called back
//   hold, torn                        see work.cpp
//   point POINT                       see points.hpp
//   log LEVEL LINE                    with log=1
#include "process/participant/report.hpp"
#include "process/participant/session.hpp"
#include "process/participant/setup.hpp"

#include <rwlease/log.hpp>

#include <iostream>
#include <memory>
#include <system_error>

namespace {

using rwlease::test::report;
using rwlease::test::Session;

void obey_all(std::unique_ptr<Session> session) {
  for (std::string line; !session->leaks() && std::getline(std::cin, line);) session->obey(line);
  if (session->leaks()) static_cast<void>(session.release());
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const rwlease::test::Setup setup = rwlease::test::parse_setup(argc, argv);
    become(setup);
    if (setup.log) {
      rwlease::set_log_hook([](rwlease::LogLevel level, std::string_view line) {
        report("log", std::string(to_string(level)) + " " + std::string(line));
      });
    }
    auto session = std::make_unique<Session>(setup);
    report("ready");
    obey_all(std::move(session));
  } catch (const std::exception& error) {
    report("unable", error.what());
    return 1;
  }
  return 0;
}
