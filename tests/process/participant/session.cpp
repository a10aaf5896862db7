#include "process/participant/session.hpp"

#include "process/participant/cancel.hpp"
#include "process/participant/report.hpp"

#include <algorithm>
#include <sstream>
#include <stdexcept>

namespace rwlease::test {
namespace {

const char* type_of(const Error& error) {
  if (dynamic_cast<const Timeout*>(&error) != nullptr) return "Timeout";
  if (dynamic_cast<const Cancelled*>(&error) != nullptr) return "Cancelled";
  if (dynamic_cast<const UsageError*>(&error) != nullptr) return "UsageError";
  if (dynamic_cast<const LeaseLost*>(&error) != nullptr) return "LeaseLost";
  if (dynamic_cast<const UnsafeDirectory*>(&error) != nullptr) return "UnsafeDirectory";
  return "Error";
}

Words split(const std::string& line) {
  std::istringstream stream(line);
  Words words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

Mode mode_of(const std::string& word) {
  if (word == "read") return Mode::read;
  if (word == "write") return Mode::write;
  throw std::runtime_error("no mode: " + word);
}

std::string yes_or_no(bool value) { return value ? "yes" : "no"; }

}  // namespace

Session::Session(const Setup& setup) : lock_(setup.lock, setup.options), longest_wait_(setup.longest_wait) {}

const std::map<std::string, Session::Command>& Session::commands() {
  static const std::map<std::string, Command> map = {
      {"acquire", &Session::acquire},
      {"try", &Session::try_once},
      {"valid", &Session::valid},
      {"verify", &Session::verify},
      {"state", &Session::state},
      {"fence", &Session::fence},
      {"publish", &Session::publish},
      {"downgrade", &Session::downgrade},
      {"release", &Session::release},
      {"watch", &Session::watch},
      {"throw-when-lost", &Session::throw_when_lost},
      {"tell-when-waiting", &Session::tell_when_waiting},
      {"throw-when-waiting", &Session::throw_when_waiting},
      {"status", &Session::status},
      {"attempts", &Session::attempts},
      {"contend", &Session::contend},
      {"rounds", &Session::rounds},
      {"handle", &Session::handle},
      {"release-on", &Session::release_on},
      {"fork", &Session::fork_child},
      {"reap", &Session::reap},
      {"end", &Session::end},
  };
  return map;
}

void Session::obey(const std::string& line) {
  const Words words = split(line);
  try {
    const auto command = commands().find(words.empty() ? "" : words[0]);
    if (command == commands().end()) throw std::runtime_error("unknown command " + line);
    report("done", (this->*command->second)(words));
  } catch (const Error& error) {
    report("failed", type_of(error) + std::string("|") + std::to_string(error.code().value()) + "|" + error.what());
  } catch (const std::exception& error) {
    report("failed", std::string("other|0|") + error.what());
  }
}

// acquire read|write [MILLISECONDS]: without a time, for ever. SIGUSR1 cancels it.
std::string Session::acquire(const Words& words) {
  const Deadline deadline =
      words.size() > 2 ? Deadline::after(std::chrono::milliseconds(std::stoll(words[2]))) : Deadline::forever();
  leases_.push_back(lock_.acquire(mode_of(words.at(1)), deadline, &cancel_on_usr1()));
  return yes_or_no(newest().valid());
}

// try read|write: held or busy
std::string Session::try_once(const Words& words) {
  auto lease = lock_.try_acquire(mode_of(words.at(1)));
  if (!lease) return "busy";
  leases_.push_back(std::move(*lease));
  return "held";
}

// What newest() says when nothing is held would be its own answer, not the library's.
Lease& Session::newest() {
  if (leases_.empty()) throw std::runtime_error("nothing is held");
  return leases_.back();
}

std::string Session::valid(const Words& /*words*/) { return yes_or_no(newest().valid()); }
std::string Session::verify(const Words& /*words*/) { return yes_or_no(newest().verify()); }
std::string Session::state(const Words& /*words*/) { return std::string(to_string(newest().state())); }
std::string Session::fence(const Words& /*words*/) { return std::to_string(newest().fence()); }

// publish FROM TO
std::string Session::publish(const Words& words) {
  newest().publish(words.at(1), words.at(2));
  return "";
}

std::string Session::downgrade(const Words& /*words*/) {
  leases_.back() = std::move(newest()).downgrade();
  return "";
}

std::string Session::release(const Words& /*words*/) {
  const ReleaseResult result = newest().release();
  leases_.pop_back();
  return std::string(to_string(result));
}

// Reports "lost REASON" and "renewed" of the newest lease from now on.
std::string Session::watch(const Words& /*words*/) {
  newest().on_lost([](LossReason reason) { report("lost", std::string(to_string(reason))); });
  newest().on_renewed([] { report("renewed"); });
  return "";
}

std::string Session::throw_when_lost(const Words& /*words*/) {
  newest().on_lost([](LossReason reason) {
    report("lost", std::string(to_string(reason)));
    throw std::runtime_error("a callback that throws");
  });
  return "";
}

// Reports "waiting WHOM" while an acquire waits.
std::string Session::tell_when_waiting(const Words& /*words*/) {
  lock_.on_waiting([](const Obstacle& obstacle) { report("waiting", obstacle.holder.name); });
  return "";
}

std::string Session::throw_when_waiting(const Words& /*words*/) {
  lock_.on_waiting([](const Obstacle& obstacle) {
    report("waiting", obstacle.holder.name);
    throw std::runtime_error("no patience");
  });
  return "";
}

// PHASE:MODE:PID for each participant
std::string Session::status(const Words& /*words*/) {
  static const std::map<Phase, std::string> phases = {{Phase::holding, "holding"},
                                                      {Phase::draining, "draining"},
                                                      {Phase::waiting, "waiting"},
                                                      {Phase::leftover, "leftover"},
                                                      {Phase::foreign, "foreign"}};
  std::string text;
  for (const Participant& participant : lock_.status().participants) {
    text += phases.at(participant.phase) + ":" + std::string(to_string(participant.mode)) + ":" +
            std::to_string(participant.pid) + " ";
  }
  return text;
}

}  // namespace rwlease::test
