#include "account.hpp"

#include <cstdio>
#include <fstream>
#include <iostream>
#include <stdexcept>

namespace demo {
namespace {

std::string begin_line(const std::string& act, double waited_s) {
  char wait[32];
  std::snprintf(wait, sizeof wait, "%.3f", waited_s);
  return act + " wait=" + wait;
}

}  // namespace

void Account::note_done(const std::string& act, double waited_s, const Manifest& manifest) const {
  note(begin_line(act, waited_s) + " version=" + std::to_string(manifest.version) +
       " fence=" + std::to_string(manifest.fence) + " ok");
}

void Account::note_violation(const std::string& act, double waited_s, const std::string& what) const {
  note(begin_line(act, waited_s) + " violation: " + what);
}

void Account::note(const std::string& line) const {
  std::cout << line << std::endl;
  if (file_.empty()) return;
  std::ofstream out(file_, std::ios::app);
  out << line << '\n' << std::flush;
  if (!out) throw std::runtime_error("writing " + file_.string() + " failed");
}

}  // namespace demo
