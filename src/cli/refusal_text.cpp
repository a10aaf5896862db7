#include "refusal_text.hpp"

#include "way_out.hpp"

#include <rwlease/error.hpp>

namespace rwlease::cli {

std::string refusal_text(const Status& status) {
  if (status.refusal.cause.empty()) return {};
  const UnsafeDirectory error("opening lock directory", status.refusal.path, status.refusal.cause);
  return error.what() + way_out(error, "run");
}

}  // namespace rwlease::cli
