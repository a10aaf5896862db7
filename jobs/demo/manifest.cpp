#include "manifest.hpp"

#include "file.hpp"

#include <numeric>
#include <sstream>
#include <stdexcept>

namespace demo {
namespace {

constexpr const char* heading = "rwlease-demo-manifest/1";

// The next word of the text must be this one.
bool expect(std::istream& in, const std::string& word) {
  std::string found;
  return in >> found && found == word;
}

}  // namespace

std::uint64_t Manifest::size() const {
  return std::accumulate(parts.begin(), parts.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const Part& part) { return sum + part.range.size; });
}

std::string to_text(const Manifest& manifest) {
  std::ostringstream out;
  out << heading << "\nversion " << manifest.version << "\nfence " << manifest.fence << '\n';
  for (const Part& part : manifest.parts) {
    out << "part " << part.range.offset << ' ' << part.range.size << ' ' << part.checksum << '\n';
  }
  out << "end\n";
  return out.str();
}

std::optional<Manifest> parse_manifest(const std::string& text) {
  std::istringstream in(text);
  Manifest manifest;
  const bool begun = expect(in, heading) && expect(in, "version") && in >> manifest.version && expect(in, "fence") &&
                     in >> manifest.fence;
  if (!begun) return std::nullopt;
  for (std::string word; in >> word && word != "end";) {
    Part part;
    if (word != "part" || !(in >> part.range.offset >> part.range.size >> part.checksum)) return std::nullopt;
    manifest.parts.push_back(part);
  }
  if (!in) return std::nullopt;  // no "end": cut short
  return manifest;
}

std::optional<Manifest> read_manifest(const std::filesystem::path& file) {
  const std::optional<File> opened = File::open_if_exists(file);
  if (!opened) return std::nullopt;
  std::string text(opened->size(), '\0');
  text.resize(opened->read(reinterpret_cast<std::byte*>(text.data()), text.size(), 0));
  std::optional<Manifest> manifest = parse_manifest(text);
  if (!manifest) throw std::runtime_error(file.string() + " is not a complete manifest");
  return manifest;
}

void write_manifest(const std::filesystem::path& file, const Manifest& manifest) {
  const std::string text = to_text(manifest);
  File out = File::create(file);
  out.truncate(0);
  out.write(reinterpret_cast<const std::byte*>(text.data()), text.size(), 0);
  out.sync();
}

}  // namespace demo
