// Renewing a suspended lease: by compare-and-swap on the marker's unique name, never by a mere touch.
#pragma once

#include "protocol/marker.hpp"

namespace rwlease::protocol {

enum class Renewal {
  renewed,  // the marker stood until now, so nobody can have held in between; it goes on under a new name
  lost,     // it was evicted
  failed,   // the file system does not say, or a writer has claimed and waits; try again
};

// While the old marker stands it is swapped for one with a new name, which no eviction decided before can hit.
// Keep one of these for as long as the lease is suspended: an attempt that failed is taken up under the same name.
class Renewer {
 public:
  explicit Renewer(const Site& site) : site_(site) {}

  Renewal renew(Marker& marker);

  // With what the last attempt failed; none where it did not, or where a writer has claimed.
  fs::Result trouble() const noexcept { return trouble_; }

  // Gives the marker back, under whichever of its names it stands. False when it was not there any more.
  bool give_back(const Marker& marker);

 private:
  Renewal renew_writer(Marker& marker);
  Renewal renew_reader(Marker& marker);
  bool writer_may_stand() const;
  Renewal settled(const Marker& marker);
  bool stands(const std::string& path, fs::Result& result) const;

  Site site_;
  std::optional<MarkerId> next_;  // a swap whose outcome is not known yet
  Instant first_sent_;
  fs::Result trouble_;
};

// Publishes a reader's marker while the write lease stands, then gives that back. Nothing when the write lease was not
// in force to the end: it is over then, and nothing is left. Throws Error with the write lease as before.
std::optional<Marker> swap_writer_for_reader(const Site& site, const Marker& writer);

}  // namespace rwlease::protocol
