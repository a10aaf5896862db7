// For those who wrap rwlease for another language: exceptions as the codes of rwlease.h, and what its handles stand
// for.
#pragma once

#include <rwlease/rwlease.h>
#include <rwlease/cancel.hpp>
#include <rwlease/export.hpp>
#include <rwlease/options.hpp>

#include <chrono>
#include <string>

namespace rwlease::wrapping {

// Within a catch block: the rwl_code of what was caught, whose message rwl_last_message() tells from now on.
RWLEASE_EXPORT int code_of_current_exception() noexcept;

// Keeps a message for rwl_last_message(); returns `code`.
RWLEASE_EXPORT int fail(int code, const std::string& message) noexcept;

// The defaults for null; null for null.
RWLEASE_EXPORT const Options& options_of(const rwl_options* options) noexcept;
RWLEASE_EXPORT const Cancel* cancel_of(const rwl_cancel* cancel) noexcept;

// nanoseconds::max() for a negative number of seconds and for more than the clock can count: as long as it takes.
RWLEASE_EXPORT std::chrono::nanoseconds timeout_of(double seconds) noexcept;

// Runs what may throw; RWL_OK, or the code of what it threw.
template <class Call>
int guarded(Call&& call) noexcept {
  try {
    call();
    return RWL_OK;
  } catch (...) {
    return code_of_current_exception();
  }
}

}  // namespace rwlease::wrapping
