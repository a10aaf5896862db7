// Says which version a data set is in: its fence, its parts and their checksums. It is replaced as a whole, after the
// data, so data that does not match its manifest was seen in the middle of a change.
#pragma once

#include "content.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace demo {

struct Part {
  Range range;
  std::uint64_t checksum = 0;
};

struct Manifest {
  std::uint64_t version = 0;
  std::uint64_t fence = 0;  // of the lease it was written under
  std::vector<Part> parts;

  std::uint64_t size() const;
};

std::string to_text(const Manifest& manifest);

// Empty when the text is not a complete manifest.
std::optional<Manifest> parse_manifest(const std::string& text);

// Empty when there is no file. Throws std::runtime_error when it can't be read or is not a manifest.
std::optional<Manifest> read_manifest(const std::filesystem::path& file);

// Writes the manifest and syncs it; renaming it into place is the caller's.
void write_manifest(const std::filesystem::path& file, const Manifest& manifest);

}  // namespace demo
