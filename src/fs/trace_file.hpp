// A file that lines are appended to, each with one write, so that those of several threads do not mix.
#pragma once

#include "fs/descriptor.hpp"

#include <string>

namespace rwlease::fs {

class TraceFile {
 public:
  // Makes DIRECTORY/NAME, which must not be there yet, for this user alone. Not open where that fails.
  TraceFile(const std::string& directory, const std::string& name);

  bool open() const noexcept { return file_.open(); }

  // Why it is not.
  const std::string& trouble() const noexcept { return trouble_; }

  // The line with its end. Any thread. What cannot be written is left out.
  void append(const std::string& line) const noexcept;

 private:
  Descriptor file_;
  std::string trouble_;
};

// Where this process is to trace to: RWLEASE_TRACE, unless it runs with more rights than its user; empty: nowhere.
std::string trace_directory();

}  // namespace rwlease::fs
