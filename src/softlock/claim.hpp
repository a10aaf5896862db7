// One participant's dealings with one lock, by one of the primitives.
#pragma once

#include "protocol/marker.hpp"
#include "softlock/inspector.hpp"
#include "softlock/remover.hpp"

#include <rwlease/softlock.hpp>

#include <memory>
#include <optional>
#include <string>

namespace rwlease::softlock {

using protocol::Beat;

// Does no waiting and starts no thread. Throws Error where the file system refuses; then nothing of the attempt is left
// that could hold others up for longer than their window. One thread at a time, except validity().
class Claim {
 public:
  explicit Claim(const Scene& scene) : scene_(scene), inspector_(scene), remover_(scene) {}
  Claim(const Claim&) = delete;
  Claim& operator=(const Claim&) = delete;
  virtual ~Claim() = default;

  // One try. Clears away what is dead, then tries to become the owner. After false, in_the_way() says whose it is.
  bool take();
  const Sighting& in_the_way() const noexcept { return in_the_way_; }

  // Did take() clear something away? Whoever died may have left more.
  bool cleared() const noexcept { return cleared_; }

  // What stands there; changes nothing.
  virtual Sighting sight() = 0;

  // Removes that, and nothing that came after it. `removed` also when somebody else did.
  virtual Removal clear(const Sighting& seen) = 0;

  // Of an owner: one forced look.
  virtual bool mine() = 0;
  virtual Beat beat() = 0;

  // Removes the lock, if it is still this owner's. False when it was not in force to the end.
  virtual bool give_back() = 0;

  // Becomes the owner of what an earlier process left for this one. It is not in force before a beat counted, and as
  // it may have been out of force before, it is given back as one that is.
  virtual bool adopt() = 0;

  const protocol::Validity& validity() const noexcept { return marker_->validity(); }

 protected:
  // Nobody was there: tries to become the owner.
  virtual bool make() = 0;

  bool left_for_us(const protocol::Record& record) const;
  void begin(const protocol::MarkerId& id, const std::string& path, const fs::Instant& sent);
  void begin_adopted(const protocol::MarkerId& id, const std::string& path);
  bool adopted() const noexcept { return adopted_; }

  // A proof of life sent then came back in time.
  Beat extend(const fs::Instant& sent);

  const Scene scene_;
  Inspector inspector_;
  Remover remover_;
  std::optional<protocol::Marker> marker_;

 private:
  bool clear_away();

  Sighting in_the_way_;
  bool cleared_ = false;
  bool adopted_ = false;
  Nanoseconds clear_again_{0};  // after a refusal not before this
};

std::unique_ptr<Claim> make_claim(Primitive primitive, const Scene& scene);

}  // namespace rwlease::softlock
