// Deliberate faults in the protocol, to see that the simulation catches them.
#pragma once

#include <stdexcept>
#include <string>

namespace rwlease::sim {

enum class Variant {
  none,
  plain_look,            // attributes from the cache instead of a forced look
  plain_lookup,          // looks names up instead of listing after an own change
  held_listing,          // believes an earlier listing of the readers
  check_before_publish,  // a reader looks for a writer first, then publishes
  fixed_name_eviction,   // evicts whoever is in writer/ by now
  touch_as_renewal,      // touches the old marker instead of swapping it
  renewal_without_look,  // a reader's renewal does not look for a writer
  early_eviction,        // takes a third of the lease for all of it
};

inline constexpr Variant all_variants[] = {
    Variant::plain_look,           Variant::plain_lookup,        Variant::held_listing,
    Variant::check_before_publish, Variant::fixed_name_eviction, Variant::touch_as_renewal,
    Variant::renewal_without_look, Variant::early_eviction,
};

inline const char* to_string(Variant variant) {
  switch (variant) {
    case Variant::none:
      return "none";
    case Variant::plain_look:
      return "plain-look";
    case Variant::plain_lookup:
      return "plain-lookup";
    case Variant::held_listing:
      return "held-listing";
    case Variant::check_before_publish:
      return "check-before-publish";
    case Variant::fixed_name_eviction:
      return "fixed-name-eviction";
    case Variant::touch_as_renewal:
      return "touch-as-renewal";
    case Variant::renewal_without_look:
      return "renewal-without-look";
    case Variant::early_eviction:
      return "early-eviction";
  }
  return "";
}

inline Variant variant_of(const std::string& name) {
  for (const Variant variant : all_variants) {
    if (name == to_string(variant)) return variant;
  }
  throw std::invalid_argument("there is no variant '" + name + "'");
}

}  // namespace rwlease::sim
