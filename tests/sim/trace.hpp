// What happens, line by line, for those who want to read it; and its digest, by which two runs can be compared.
#pragma once

#include "sim/time.hpp"

#include <cstdint>
#include <cstdio>
#include <string>

namespace rwlease::sim {

class Trace {
 public:
  // Nullptr: nothing is written.
  void write_to(std::FILE* file) { file_ = file; }
  bool wanted() const { return file_ != nullptr; }

  void restart() { digest_ = 0xcbf29ce484222325U; }
  void mix(std::uint64_t value) { digest_ = (digest_ ^ value) * 0x100000001b3U; }
  std::uint64_t digest() const { return digest_; }

  void line(Time now, const std::string& who, const std::string& what) const {
    if (file_ == nullptr) return;
    std::fprintf(file_, "%14.6f  %-16s %s\n", static_cast<double>(now) / static_cast<double>(second), who.c_str(),
                 what.c_str());
  }

 private:
  std::FILE* file_ = nullptr;
  std::uint64_t digest_ = 0;
};

}  // namespace rwlease::sim
