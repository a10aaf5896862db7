// What a participant did, one line for each act, for people and for whoever adds it up:
//   check wait=0.412 version=3 fence=16 ok
//   write wait=1.020 violation: fence 16 is not newer than 16, that of version 3
#pragma once

#include "manifest.hpp"

#include <filesystem>
#include <string>
#include <utility>

namespace demo {

class Account {
 public:
  // Lines go to standard output, and are added to `file` unless that is empty.
  explicit Account(std::filesystem::path file) : file_(std::move(file)) {}

  void note_done(const std::string& act, double waited_s, const Manifest& manifest) const;
  void note_violation(const std::string& act, double waited_s, const std::string& what) const;

 private:
  void note(const std::string& line) const;

  std::filesystem::path file_;
};

}  // namespace demo
