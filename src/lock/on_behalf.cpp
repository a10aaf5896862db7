#include <rwlease/on_behalf.hpp>

#include "runtime/runtime.hpp"

namespace rwlease {

std::uint64_t thread_number() noexcept { return runtime::this_thread(); }

OnBehalfOf::OnBehalfOf(std::uint64_t thread) noexcept : before_(runtime::this_thread()) {
  runtime::count_as_thread(thread);
}

OnBehalfOf::~OnBehalfOf() { runtime::count_as_thread(before_); }

}  // namespace rwlease
