#include "data_set.hpp"

#include "checksum.hpp"
#include "file.hpp"

#include <optional>

namespace demo {
namespace {

std::string version_text(const Manifest& manifest) { return "version " + std::to_string(manifest.version); }

std::uint64_t checksum_of(const File& data, const Range& range) {
  Checksum checksum;
  Block block(block_size);
  for (std::uint64_t done = 0; done < range.size;) {
    const std::size_t wanted = next_block(range.size - done);
    const std::size_t size = data.read(block.data(), wanted, range.offset + done);
    checksum.add(block.data(), size);
    if (size < wanted) break;
    done += size;
  }
  return checksum.value();
}

void check_part(const File& data, const Manifest& manifest, std::size_t index) {
  const Part& part = manifest.parts[index];
  if (checksum_of(data, part.range) == part.checksum) return;
  throw Violation("part " + std::to_string(index) + " of the data is not that of " + version_text(manifest));
}

void check_data(const File& data, const Manifest& manifest) {
  const std::int64_t modified = data.modified_ns();
  if (data.size() != manifest.size()) throw Violation("the data has not the size of " + version_text(manifest));
  for (std::size_t index = 0; index < manifest.parts.size(); ++index) check_part(data, manifest, index);
  if (data.modified_ns() != modified) throw Violation("the data was written to while it was read");
}

Part rewrite_part(File& data, std::uint64_t version, const Range& range) {
  Checksum checksum;
  Block block;
  for (std::uint64_t done = 0; done < range.size; done += block.size()) {
    make_block(block, version, range.offset + done, next_block(range.size - done));
    checksum.add(block.data(), block.size());
    data.write(block.data(), block.size(), range.offset + done);
  }
  return {range, checksum.value()};
}

}  // namespace

Manifest check(const DataSet& set) {
  const std::optional<Manifest> manifest = read_manifest(set.manifest());
  const std::optional<File> data = File::open_if_exists(set.data());
  if (!manifest && !data) return {};
  if (!manifest) throw Violation("there is data without a manifest");
  if (!data) throw Violation("there is a manifest without data");
  check_data(*data, *manifest);
  confirm_base(set, *manifest);
  return *manifest;
}

Manifest begin_version(const DataSet& set, std::uint64_t fence) {
  Manifest base = read_manifest(set.manifest()).value_or(Manifest{});
  if (fence > base.fence) return base;
  throw Violation("fence " + std::to_string(fence) + " is not newer than " + std::to_string(base.fence) + ", that of " +
                  version_text(base));
}

void confirm_base(const DataSet& set, const Manifest& base) {
  const Manifest now = read_manifest(set.manifest()).value_or(Manifest{});
  if (now.version == base.version && now.fence == base.fence) return;
  throw Violation(version_text(now) + " was published while " + version_text(base) + " was in use");
}

Manifest rewrite(const DataSet& set, std::uint64_t fence, std::uint64_t size, unsigned parts) {
  const Manifest base = begin_version(set, fence);
  Manifest next{base.version + 1, fence, {}};
  File data = File::create(set.data());
  data.truncate(size);
  for (unsigned index = 0; index < parts; ++index) {
    next.parts.push_back(rewrite_part(data, next.version, part_range(size, index, parts)));
  }
  data.sync();
  write_manifest(set.draft(), next);
  confirm_base(set, base);
  std::filesystem::rename(set.draft(), set.manifest());
  return next;
}

}  // namespace demo
