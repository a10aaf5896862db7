// A file, read and written at given places. Every failure is a std::system_error that names the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace demo {

class File {
 public:
  // For reading; empty when there is no such file.
  static std::optional<File> open_if_exists(const std::filesystem::path& path);

  // For writing, in place: what is in the file stays until it is overwritten.
  static File create(const std::filesystem::path& path);

  File(File&& other) noexcept;
  File& operator=(File&&) = delete;
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File();

  // How many bytes were read: fewer than `size` only at the end of the file.
  std::size_t read(std::byte* bytes, std::size_t size, std::uint64_t offset) const;

  void write(const std::byte* bytes, std::size_t size, std::uint64_t offset);
  void truncate(std::uint64_t size);
  void sync();

  std::uint64_t size() const;

  // Changes with every write to the file.
  std::int64_t modified_ns() const;

 private:
  File(int descriptor, std::string path);
  [[noreturn]] void fail(const char* operation) const;

  int descriptor_;
  std::string path_;
};

}  // namespace demo
