// The seam to the file system, driven by hand: commands as lines on standard input, answers as a participant gives
// them.
//
//   look NAME, glance NAME       "INODE MTIME" by a forced look, or as this client knows it
//   list NAME, list-lasting NAME the entries, sorted
//   list-held                    the same of the directory itself, through one descriptor that stays open, as the seam
//                                never does
//   touch NAME, link NAME TEXT, file NAME TEXT, read NAME, read-link NAME, make NAME, remove NAME,
//   remove-directory NAME, rename FROM TO
//
// A name may be "." for the directory itself. What fails answers "failed ERRNO".
#include "fs/posix.hpp"
#include "process/participant/report.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include <iostream>
#include <memory>
#include <sstream>

namespace {

using rwlease::fs::Attributes;
using rwlease::fs::Directory;
using rwlease::fs::Entry;
using rwlease::fs::Result;
using rwlease::test::report;

std::string names(std::vector<Entry> entries) {
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.name < b.name; });
  std::string text;
  for (const Entry& entry : entries) text += (text.empty() ? "" : " ") + entry.name;
  return text;
}

class Seam {
 public:
  explicit Seam(std::unique_ptr<Directory> directory) : directory_(std::move(directory)) {}

  void obey(const std::string& line) {
    std::istringstream words(line);
    std::string command;
    std::string name;
    std::string more;
    words >> command >> name >> more;
    if (name == ".") name.clear();
    std::string answer;
    const Result result = carry_out(command, name, more, answer);
    result.ok() ? report("done", answer) : report("failed", std::to_string(result.error()));
  }

 private:
  Result carry_out(const std::string& command, const std::string& name, const std::string& more, std::string& answer) {
    if (command == "look") return attributes(&Directory::look, name, answer);
    if (command == "glance") return attributes(&Directory::glance, name, answer);
    if (command == "list") return listing(&Directory::list, name, answer);
    if (command == "list-lasting") return listing(&Directory::list_lasting, name, answer);
    if (command == "list-held") return list_held(answer);
    if (command == "touch") return directory_->touch(name);
    if (command == "link") return directory_->make_symlink(more, name);
    if (command == "file") return directory_->make_file(more, name, 0600);
    if (command == "read") return directory_->read_file(name, 1024, answer);
    if (command == "read-link") return directory_->read_link(name, answer);
    if (command == "make") return directory_->make_directory(name, 0700);
    if (command == "remove") return directory_->remove(name);
    if (command == "remove-directory") return directory_->remove_directory(name);
    if (command == "rename") return directory_->rename(name, more);
    return Result(ENOSYS);
  }

  Result attributes(Result (Directory::*how)(const std::string&, Attributes&), const std::string& name,
                    std::string& answer) {
    Attributes found;
    const Result result = (directory_.get()->*how)(name, found);
    answer = std::to_string(found.stamp.inode) + " " + std::to_string(found.stamp.mtime_ns);
    return result;
  }

  Result listing(Result (Directory::*how)(const std::string&, std::vector<Entry>&), const std::string& name,
                 std::string& answer) {
    std::vector<Entry> entries;
    const Result result = (directory_.get()->*how)(name, entries);
    answer = names(entries);
    return result;
  }

  // What a program does that keeps its directory open and rewinds it.
  Result list_held(std::string& answer) {
    if (!held_) held_ = ::fdopendir(::openat(directory_->descriptor(), ".", O_RDONLY | O_DIRECTORY));
    ::rewinddir(held_);
    std::vector<Entry> entries;
    while (const struct dirent* entry = ::readdir(held_)) {
      if (entry->d_name[0] != '.') entries.push_back(Entry{entry->d_name});
    }
    answer = names(entries);
    return {};
  }

  std::unique_ptr<Directory> directory_;
  DIR* held_ = nullptr;  // lives as long as the process
};

}  // namespace

int main(int argc, char** argv) {
  rwlease::fs::PosixFileSystem file_system;
  std::unique_ptr<Directory> directory;
  const Result opened = file_system.open(argc == 2 ? argv[1] : "", directory);
  if (!opened.ok()) {
    report("unable", opened.text());
    return 1;
  }
  report("ready");
  Seam seam(std::move(directory));
  for (std::string line; std::getline(std::cin, line);) seam.obey(line);
  return 0;
}
