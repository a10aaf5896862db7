#include "fingerprint.hpp"

namespace rwlease::mpi::detail {
namespace {

void add_duration(Fingerprint& print, std::chrono::milliseconds duration) noexcept { print.add(duration.count()); }

template <class Optional, class Count>
void add_optional(Fingerprint& print, const Optional& value, Count count) noexcept {
  print.add(value.has_value() ? 1 : 0);
  if (value) print.add(static_cast<std::int64_t>(count(*value)));
}

}  // namespace

void Fingerprint::add_byte(unsigned char byte) noexcept {
  state_ ^= byte;
  state_ *= 0x100000001b3;
}

Fingerprint& Fingerprint::add(std::int64_t number) noexcept {
  const auto bits = static_cast<std::uint64_t>(number);
  for (unsigned shift = 0; shift < 64; shift += 8) add_byte(static_cast<unsigned char>(bits >> shift));
  return *this;
}

Fingerprint& Fingerprint::add(std::string_view text) noexcept {
  add(static_cast<std::int64_t>(text.size()));
  for (const char character : text) add_byte(static_cast<unsigned char>(character));
  return *this;
}

std::uint64_t Fingerprint::value() const noexcept {
  std::uint64_t mixed = state_;
  mixed = (mixed ^ (mixed >> 33)) * 0xff51afd7ed558ccd;
  return mixed ^ (mixed >> 33);
}

std::uint64_t fingerprint(std::string_view text) noexcept { return Fingerprint().add(text).value(); }

std::uint64_t fingerprint(const Options& options) noexcept {
  const auto milliseconds = [](std::chrono::milliseconds duration) { return duration.count(); };
  Fingerprint print;
  add_duration(print, options.interval);
  add_optional(print, options.lease, milliseconds);
  add_optional(print, options.margin, milliseconds);
  add_duration(print, options.poll_min);
  add_duration(print, options.poll_max);
  add_optional(print, options.stand_back, milliseconds);
  add_optional(print, options.group, [](gid_t group) { return group; });
  print.add(static_cast<std::int64_t>(options.sharing));
  print.add(options.renew ? 1 : 0).add(options.trust_proof_of_death ? 1 : 0);
  print.add(options.label).add(options.job);
  return print.value();
}

std::uint64_t fingerprint(const Policy& policy) noexcept {
  return Fingerprint().add(static_cast<std::int64_t>(policy.on_loss)).add(policy.peer_timeout.count()).value();
}

}  // namespace rwlease::mpi::detail
