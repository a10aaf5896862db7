// Getting a read lease: publish the marker, then see whether a writer stands.
#pragma once

#include "protocol/attempt.hpp"
#include "protocol/writer_gate.hpp"

namespace rwlease::protocol {

class ReadAttempt final : public Attempt {
 public:
  explicit ReadAttempt(const Site& site) : site_(site), gate_(site) {}
  ~ReadAttempt() override;

  Progress step() override;
  Grant take() override;
  std::vector<std::string> in_the_way() const override { return gate_.in_the_way(); }
  fs::Result trouble() const override { return gate_.trouble(); }
  Awaited awaited() const override { return {"", writer_name}; }
  std::optional<Nanoseconds> next_beat() const override { return std::nullopt; }

 private:
  void publish();
  bool writer_stands();
  void withdraw() noexcept;

  Site site_;
  WriterGate gate_;
  std::optional<Marker> marker_;
  bool waiting_ = false;
};

// Publishes a marker among the readers: makes it hidden, then renames it into place, which voids this client's view of
// the lock directory. When the rename fails for any reason nothing is published: its reply may have been lost, so the
// marker is removed under both names. Also for renewal and downgrade.
fs::Result publish_reader(const Site& site, Marker& marker);

// Right after an own change of the lock directory: what it holds. Throws DirectoryGone when it has no readers/.
std::vector<fs::Entry> list_lock_directory(const Site& site);

}  // namespace rwlease::protocol
