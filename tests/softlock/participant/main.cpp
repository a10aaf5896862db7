// A process that uses a soft lock and does what a test tells it; it speaks like tests/process/participant.
//
// softlock-participant NAME [KEY=VALUE…], times in seconds:
//   primitive=hard_link|directory|exclusive_file  suffix=  poll=  timeout=  tries=  stale=  foreign_stale=  heartbeat=
//   proof=0|1  single_host=0|1  rule=age  label=     as SoftLockOptions
//   order=ADDRESS:PORT                               see process/participant/order.hpp
//
// Commands:
//   lock, try, unlock, cycle (both), locked, valid, touch, owner, release_dead, break
//   die N                    SIGKILL before the N-th change to the file system from now on
//   changes                  how many there were since "die"
//   contend MS [COUNTER]     takes the lock again and again; adds one to the number in the file each time
//   threads N ROUNDS         so many threads share the object, by std::unique_lock; the reply is what they counted
//   fork                     the child looks at the lock, tries, unwinds what it inherited, and reports what it saw
#include "process/participant/order.hpp"
#include "process/participant/report.hpp"
#include "softlock/participant/deaths.hpp"

#include <rwlease/softlock.hpp>

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <functional>
#include <iostream>
#include <iterator>
#include <map>
#include <mutex>
#include <sstream>
#include <stdexcept>
#include <thread>
#include <vector>

namespace rwlease::test {
namespace {

using Words = std::vector<std::string>;
using Seconds = SoftLockOptions::Seconds;

std::string yes(bool answer) { return answer ? "yes" : "no"; }
Seconds seconds(const std::string& text) { return Seconds(std::stod(text)); }

Primitive primitive_of(const std::string& text) {
  if (text == "hard_link") return Primitive::hard_link;
  if (text == "directory") return Primitive::directory;
  if (text == "exclusive_file") return Primitive::exclusive_file;
  throw std::runtime_error("no primitive: " + text);
}

const std::map<std::string, std::function<void(SoftLockOptions&, const std::string&)>>& setters() {
  static const std::map<std::string, std::function<void(SoftLockOptions&, const std::string&)>> all = {
      {"primitive", [](auto& o, const auto& v) { o.primitive = primitive_of(v); }},
      {"suffix", [](auto& o, const auto& v) { o.suffix = v; }},
      {"poll", [](auto& o, const auto& v) { o.poll = seconds(v); }},
      {"timeout", [](auto& o, const auto& v) { o.timeout = seconds(v); }},
      {"tries", [](auto& o, const auto& v) { o.tries = std::stoi(v); }},
      {"stale", [](auto& o, const auto& v) { o.stale = seconds(v); }},
      {"foreign_stale", [](auto& o, const auto& v) { o.foreign_stale = seconds(v); }},
      {"heartbeat", [](auto& o, const auto& v) { o.heartbeat = seconds(v); }},
      {"proof", [](auto& o, const auto& v) { o.trust_proof_of_death = v == "1"; }},
      {"single_host", [](auto& o, const auto& v) { o.single_host = v == "1"; }},
      {"rule", [](auto& o, const auto& v) { o.stale_rule = v == "age" ? StaleRule::file_age : StaleRule::observed; }},
      {"label", [](auto& o, const auto& v) { o.label = v; }},
  };
  return all;
}

SoftLockOptions options_of(int count, char** arguments) {
  SoftLockOptions options;
  options.poll = Seconds(0.02);
  for (int i = 2; i < count; ++i) {
    const std::string argument = arguments[i];
    const std::string key = argument.substr(0, argument.find('='));
    const std::string value = argument.substr(key.size() + 1);
    if (key == "order") {
      order_by(value);
    } else {
      setters().at(key)(options, value);
    }
  }
  options.log = [](LogLevel level, std::string_view line) {
    report("log", std::string(to_string(level)) + " " + std::string(line));
  };
  options.on_failure = [](const Error& error) { report("failure", error.what()); };
  return options;
}

std::string taken(SoftLock& lock, const Words& /*words*/) {
  lock.lock();
  return "yes";
}

std::string owner_text(SoftLock& lock, const Words& /*words*/) {
  const auto owner = lock.owner();
  return owner ? owner->made_by + "|" + std::to_string(owner->pid) + "|" + std::string(to_string(owner->liveness)) +
                     "|" + to_string(*owner)
               : "nobody";
}

void count_up(const std::string& counter) {
  long value = 0;
  {
    std::ifstream file(counter);
    if (!(file >> value)) report("torn", "no number in " + counter);
  }
  std::this_thread::yield();
  std::ofstream(counter) << value + 1 << "\n";
}

std::string contend(SoftLock& lock, const Words& words) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(std::stoll(words.at(1)));
  int holds = 0;
  for (; std::chrono::steady_clock::now() < end; ++holds) {
    const auto asked = order_now();
    lock.lock();
    const auto entered = order_now();
    if (words.size() > 2) count_up(words.at(2));
    const auto left = order_now();
    if (!lock.valid()) throw std::runtime_error("the lock ran out");
    report("hold", "write " + std::to_string(asked.count()) + " " + std::to_string(entered.count()) + " " +
                       std::to_string(left.count()));
    lock.unlock();
  }
  return std::to_string(holds);
}

std::string threads(SoftLock& lock, const Words& words) {
  long count = 0;
  std::vector<std::thread> all;
  for (int i = 0; i < std::stoi(words.at(1)); ++i) {
    all.emplace_back([&lock, &count, rounds = std::stoi(words.at(2))] {
      for (int round = 0; round < rounds; ++round) {
        const std::unique_lock<SoftLock> guard(lock);
        ++count;
      }
    });
  }
  for (std::thread& one : all) one.join();
  return std::to_string(count);
}

std::string fork_child(SoftLock& lock, const Words& /*words*/) {
  int status = 0;
  const pid_t child = ::fork();
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    std::string text = "locked=" + yes(lock.locked()) + " valid=" + yes(lock.valid());
    text += " release=" + std::string(to_string(lock.release())) + " try=" + yes(lock.try_lock());
    report("child", text);
    lock.~SoftLock();
    ::_exit(0);
  }
  ::waitpid(child, &status, 0);
  return std::to_string(status);
}

using Command = std::string (*)(SoftLock&, const Words&);

const std::map<std::string, Command>& commands() {
  static const std::map<std::string, Command> all = {
      {"lock", taken},
      {"cycle", [](SoftLock& l, const Words&) { return l.lock(), std::string(to_string(l.release())); }},
      {"try", [](SoftLock& l, const Words&) { return yes(l.try_lock()); }},
      {"unlock", [](SoftLock& l, const Words&) { return std::string(to_string(l.release())); }},
      {"locked", [](SoftLock& l, const Words&) { return yes(l.locked()); }},
      {"valid", [](SoftLock& l, const Words&) { return yes(l.valid()); }},
      {"touch", [](SoftLock& l, const Words&) { return yes(l.touch()); }},
      {"owner", owner_text},
      {"release_dead", [](SoftLock& l, const Words&) { return yes(l.release_dead()); }},
      {"break", [](SoftLock& l, const Words&) { return yes(l.break_lock()); }},
      {"die", [](SoftLock&, const Words& w) { return die_at(std::stoi(w.at(1))), std::string(); }},
      {"changes", [](SoftLock&, const Words&) { return std::to_string(changes()); }},
      {"contend", contend},
      {"threads", threads},
      {"fork", fork_child},
  };
  return all;
}

void obey(SoftLock& lock, const std::string& line) {
  std::istringstream stream(line);
  const Words words((std::istream_iterator<std::string>(stream)), std::istream_iterator<std::string>());
  try {
    report("done", commands().at(words.at(0))(lock, words));
  } catch (const LockBusy& error) {
    report("failed", "LockBusy|" + (error.owner() ? to_string(*error.owner()) : "nobody") + "|" + error.what());
  } catch (const UsageError& error) {
    report("failed", std::string("UsageError||") + error.what());
  } catch (const Error& error) {
    report("failed", "Error|" + std::to_string(error.code().value()) + "|" + error.what());
  } catch (const std::exception& error) {
    report("failed", std::string("exception||") + error.what());
  }
}

}  // namespace
}  // namespace rwlease::test

int main(int argc, char** argv) {
  using namespace rwlease::test;
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  try {
    rwlease::SoftLock lock(argv[1], options_of(argc, argv));
    report("ready");
    for (std::string line; std::getline(std::cin, line);) obey(lock, line);
  } catch (const std::exception& error) {
    report("unable", error.what());
    return 1;
  }
  return 0;
}
