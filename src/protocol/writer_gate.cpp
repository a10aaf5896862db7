#include "protocol/writer_gate.hpp"

#include "protocol/failure.hpp"
#include "protocol/marker.hpp"

#include <algorithm>
#include <cerrno>
#include <utility>

namespace rwlease::protocol {

bool WriterGate::open() {
  // Each turn either ends or has seen a claim go; a few of them are one poll.
  constexpr int turns = 4;
  asking_ = fs::Result();
  for (int i = 0; i < turns; ++i) {
    inspect_all();
    if (!standing_.empty()) return false;
    switch (ask()) {
      case Standing::no:
        listed_before_ = false;
        return true;
      case Standing::unknown:
        return false;
      case Standing::not_a_directory:
        standing_.assign(1, writer_name);
        break;
      case Standing::yes:
        learn();
        break;
    }
  }
  return false;
}

WriterGate::Standing WriterGate::ask() {
  const fs::Result result = site_.directory->remove_directory(writer_name);
  if (result.ok()) return Standing::no;
  if (result.not_empty()) return Standing::yes;
  if (result.error() == ENOTDIR) return Standing::not_a_directory;
  if (result.absent()) return absent_for_sure() ? Standing::no : Standing::yes;
  asking_ = result;
  if (result.transient()) return Standing::unknown;
  fail("asking for the writer in", site_.directory->path(), result);
}

// This client may have cached that there is no writer; only a forced look at the directory voids that.
bool WriterGate::absent_for_sure() {
  fs::Attributes ignored;
  const fs::Result looked = site_.directory->look("", ignored);
  if (looked.absent() || (looked.ok() && ignored.links == 0)) {
    throw DirectoryGone("looking at", site_.directory->path(), "the lock directory was removed");
  }
  // Who comes again after that was believed has met a writer all the same.
  const bool believed_before = std::exchange(believed_absent_, true);
  if (believed_before) forget_name(site_, writer_name);
  const fs::Result again = site_.directory->remove_directory(writer_name);
  return again.ok() || (looked.ok() && again.absent());
}

void WriterGate::learn() {
  believed_absent_ = false;
  if (listed_before_) {
    // Whether this works or not, the next poll asks again.
    static_cast<void>(change_directory_itself(site_, writer_name));
  }
  std::vector<fs::Entry> entries;
  if (!site_.directory->list(writer_name, entries).ok()) return;
  listed_before_ = true;
  for (const fs::Entry& entry : entries) {
    standing_.push_back(in_writer(entry.name));
    observer_.listed(standing_.back());
  }
}

void WriterGate::inspect_all() {
  const auto left = [this](const std::string& path) { return observer_.inspect(path) != Finding::present; };
  standing_.erase(std::remove_if(standing_.begin(), standing_.end(), left), standing_.end());
}

}  // namespace rwlease::protocol
