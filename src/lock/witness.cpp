#include <rwlease/error.hpp>
#include <rwlease/witness.hpp>

#include "fs/posix.hpp"
#include "protocol/lock_directory.hpp"

namespace rwlease {
namespace {

constexpr const char* opening = "opening lock directory";

std::unique_ptr<fs::Directory> open(const std::string& path) {
  const protocol::Place place = protocol::split(path);
  fs::PosixFileSystem file_system;
  std::unique_ptr<fs::Directory> parent;
  std::unique_ptr<fs::Directory> opened;
  fs::Result result = file_system.open(place.parent, parent);
  if (result.ok()) result = parent->open_directory(place.name, opened);
  if (!result.ok()) throw Error(opening, path, result.text(), result.code());
  return opened;
}

}  // namespace

class Witness::Impl {
 public:
  explicit Impl(const std::string& path) : directory(open(path)) {}

  const std::unique_ptr<fs::Directory> directory;
};

Witness::Witness(const std::filesystem::path& lock_directory)
    : impl_(std::make_unique<Impl>(lock_directory.string())) {}

Witness::~Witness() = default;

// Absent is believed when it is said twice: a handle that is stale for once says nothing about the entry.
Witness::Sight Witness::look(const std::string& marker) const noexcept {
  fs::Attributes ignored;
  fs::Result looked = impl_->directory->look(marker, ignored);
  if (looked.absent()) looked = impl_->directory->look(marker, ignored);
  if (looked.ok()) return Sight::stands;
  return looked.absent() ? Sight::gone : Sight::unknown;
}

}  // namespace rwlease
