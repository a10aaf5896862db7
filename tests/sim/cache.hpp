// What an NFS client remembers: names, attributes, listings. See docs: everything here can be as old as it says.
#pragma once

#include "sim/server.hpp"

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace rwlease::sim {

class Cache {
 public:
  // What is known of an entry.
  struct Known {
    bool any = false;
    fs::Attributes attributes;
    std::int64_t version = 0;  // of a directory
    std::uint64_t count = 0;   // the server's, to tell which of two replies is the newer
    Time asked = 0;

    // Of a directory. Names looked up under another value have to be looked up again.
    std::uint64_t verifier = 1;
    std::uint64_t own_changes = 0;
    bool listed = false;
    std::int64_t listed_version = 0;
    std::uint64_t listed_count = 0;
    std::vector<fs::Entry> listing;
  };

  struct Name {
    Handle directory;
    std::string name;
    Handle handle;  // no_handle: it is not there
    std::uint64_t verifier;
  };

  // One client does not look into a directory while it changes that, nor changes it twice at once.
  struct Use {
    int looking = 0;
    bool changing = false;
  };
  Use& use(Handle handle) {
    if (handle >= uses_.size()) uses_.resize(handle + 16U);
    return uses_[handle];
  }

  void clear() {
    names_.clear();
    uses_.clear();
    for (std::size_t i = 0; i < known_used_; ++i) known_[i] = Known();
    known_used_ = 0;
  }

  Known& known(Handle handle) {
    if (handle >= known_.size()) known_.resize(handle + 16U);
    if (handle >= known_used_) known_used_ = handle + 1U;
    return known_[handle];
  }

  Name* find(Handle directory, std::string_view name) {
    for (Name& entry : names_) {
      if (entry.directory == directory && entry.name == name) return &entry;
    }
    return nullptr;
  }

  void put(Handle directory, std::string_view name, Handle handle) {
    put(directory, name, handle, known(directory).verifier);
  }
  void put(Handle directory, std::string_view name, Handle handle, std::uint64_t verifier) {
    if (Name* entry = find(directory, name)) {
      entry->handle = handle;
      entry->verifier = verifier;
      return;
    }
    names_.push_back({directory, std::string(name), handle, verifier});
  }

  void drop(Handle directory, std::string_view name) {
    Name* entry = find(directory, name);
    if (entry == nullptr) return;
    *entry = std::move(names_.back());
    names_.pop_back();
  }

  // A reply that tells how the entry is.
  void learn(const Reply& reply, Time now) {
    Known& entry = known(reply.handle);
    if (entry.any && reply.count < entry.count) return;  // an older one that was overtaken
    if (entry.any && entry.version != reply.version) ++entry.verifier;
    entry.any = true;
    entry.attributes = reply.attributes;
    entry.version = reply.version;
    entry.count = reply.count;
    entry.asked = now;
  }

  // An own change of a directory, seen to succeed: its listing is void. Names stay believed where the server's word on
  // how the directory was before shows nothing new, which on NFSv3 a change within one tick of its clock does not.
  void changed(Handle directory, const Change& change, Time now) {
    Known& entry = known(directory);
    ++entry.own_changes;
    entry.listed = false;
    if (entry.version != change.before) ++entry.verifier;
    if (change.count < entry.count) return;
    entry.version = change.after;
    entry.count = change.count;
    entry.asked = now;
  }

 private:
  std::vector<Name> names_;
  std::deque<Use> uses_;  // where one is does not change when others come
  std::vector<Known> known_;
  std::size_t known_used_ = 0;
};

}  // namespace rwlease::sim
