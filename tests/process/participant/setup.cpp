#include "process/participant/setup.hpp"

#include <functional>
#include <map>
#include <sstream>
#include <stdexcept>

namespace rwlease::test {
namespace {

std::chrono::milliseconds milliseconds(const std::string& value) {
  return std::chrono::milliseconds(std::stoll(value));
}

unsigned number(const std::string& value, int base = 10) {
  return static_cast<unsigned>(std::stoul(value, nullptr, base));
}

std::vector<gid_t> numbers(const std::string& list) {
  std::vector<gid_t> values;
  std::istringstream stream(list);
  for (std::string item; std::getline(stream, item, ',');) values.push_back(number(item));
  return values;
}

void plan(PointAction action, const std::string& value) {
  const std::size_t colon = value.find(':');
  set_point(value.substr(0, colon), action, colon == std::string::npos ? 1 : std::stoi(value.substr(colon + 1)));
}

using Setter = std::function<void(Setup&, const std::string&)>;

const std::map<std::string, Setter>& setters() {
  static const std::map<std::string, Setter> map = {
      {"interval", [](Setup& s, const std::string& v) { s.options.interval = milliseconds(v); }},
      {"lease", [](Setup& s, const std::string& v) { s.options.lease = milliseconds(v); }},
      {"margin", [](Setup& s, const std::string& v) { s.options.margin = milliseconds(v); }},
      {"poll_min", [](Setup& s, const std::string& v) { s.options.poll_min = milliseconds(v); }},
      {"poll_max", [](Setup& s, const std::string& v) { s.options.poll_max = milliseconds(v); }},
      {"stand_back", [](Setup& s, const std::string& v) { s.options.stand_back = milliseconds(v); }},
      {"sole", [](Setup& s, const std::string& v) { s.options.sole = v == "1"; }},
      {"renew", [](Setup& s, const std::string& v) { s.options.renew = v == "1"; }},
      {"proof", [](Setup& s, const std::string& v) { s.options.trust_proof_of_death = v == "1"; }},
      {"sharing",
       [](Setup& s, const std::string& v) { s.options.sharing = v == "group" ? Sharing::group : Sharing::owner; }},
      {"group", [](Setup& s, const std::string& v) { s.options.group = number(v); }},
      {"label", [](Setup& s, const std::string& v) { s.options.label = v; }},
      {"umask", [](Setup& s, const std::string& v) { s.umask = number(v, 8); }},
      {"uid", [](Setup& s, const std::string& v) { s.uid = number(v); }},
      {"gid", [](Setup& s, const std::string& v) { s.gid = number(v); }},
      {"groups", [](Setup& s, const std::string& v) { s.groups = numbers(v); }},
      {"hostname", [](Setup& s, const std::string& v) { s.host_name = v; }},
      {"pidns", [](Setup& s, const std::string& v) { s.own_pids = v == "1"; }},
      {"small_disk", [](Setup& s, const std::string& v) { s.small_disk = v; }},
      {"log", [](Setup& s, const std::string& v) { s.log = v == "1"; }},
      {"order", [](Setup& s, const std::string& v) { s.order = v; }},
      {"longest_wait", [](Setup& s, const std::string& v) { s.longest_wait = milliseconds(v); }},
      {"tell", [](Setup&, const std::string& v) { plan(PointAction::tell, v); }},
      {"stop", [](Setup&, const std::string& v) { plan(PointAction::stop, v); }},
      {"stop_each", [](Setup&, const std::string& v) { plan(PointAction::stop_each, v); }},
      {"refuse", [](Setup&, const std::string& v) { plan(PointAction::refuse, v); }},
      {"die", [](Setup&, const std::string& v) { plan(PointAction::die, v); }},
  };
  return map;
}

}  // namespace

Setup parse_setup(int count, char** arguments) {
  if (count < 2) throw std::runtime_error("no lock is named");
  Setup setup;
  setup.lock = arguments[1];
  for (int i = 2; i < count; ++i) {
    const std::string argument = arguments[i];
    const std::size_t equals = argument.find('=');
    const auto setter = setters().find(argument.substr(0, equals));
    if (equals == std::string::npos || setter == setters().end())
      throw std::runtime_error("unknown option " + argument);
    setter->second(setup, argument.substr(equals + 1));
  }
  return setup;
}

}  // namespace rwlease::test
