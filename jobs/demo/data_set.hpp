// The data set that the demo guards: DIR/data, rewritten in place, and DIR/manifest. Nothing in it protects one from
// reading it in the middle of a change; that is what the lease is for, and what check() would show if it failed.
#pragma once

#include "manifest.hpp"

#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>

namespace demo {

struct DataSet {
  std::filesystem::path directory;

  std::filesystem::path data() const { return directory / "data"; }
  std::filesystem::path manifest() const { return directory / "manifest"; }
  std::filesystem::path draft() const { return directory / "manifest.draft"; }
};

// Two were at work that the lease must keep apart.
class Violation : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Reads all of the data and returns the version that it is in; version 0 stands for a data set not written yet. Throws
// Violation when it is not one whole version, or changes meanwhile.
Manifest check(const DataSet& set);

// What a writer starts from. Throws Violation unless `fence` is newer than the manifest's.
Manifest begin_version(const DataSet& set, std::uint64_t fence);

// To be called just before the new manifest is renamed into place. Throws Violation when somebody published meanwhile.
void confirm_base(const DataSet& set, const Manifest& base);

// Writes the next version of `size` bytes in `parts` parts in place and publishes it, as one process.
Manifest rewrite(const DataSet& set, std::uint64_t fence, std::uint64_t size, unsigned parts);

}  // namespace demo
