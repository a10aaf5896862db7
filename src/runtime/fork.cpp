#include "runtime/fork.hpp"

#include <rwlease/error.hpp>

#include <pthread.h>

#include <atomic>

namespace rwlease::runtime {
namespace {

std::atomic<std::uint64_t> present_generation{1};

void count_generation() { present_generation.fetch_add(1); }

void register_handler(void (*in_child)()) {
  const int error = ::pthread_atfork(nullptr, nullptr, in_child);
  if (error == 0) return;
  const std::error_code code(error, std::generic_category());
  throw Error("registering a fork handler", "", code.message(), code);
}

}  // namespace

std::uint64_t generation() noexcept { return present_generation.load(std::memory_order_relaxed); }

void on_fork(void (*in_child)()) {
  static const bool counting = (register_handler(count_generation), true);
  static_cast<void>(counting);
  register_handler(in_child);
}

}  // namespace rwlease::runtime
