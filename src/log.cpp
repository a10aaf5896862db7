#include "log.hpp"

#include <atomic>
#include <exception>
#include <memory>

namespace rwlease {
namespace {

// Read without a lock, because a lock could be held by another thread at the moment of a fork. A hook that was
// replaced may be running, so it is kept.
std::atomic<const LogHook*> current_hook{nullptr};

struct KeptHook {
  LogHook hook;
  KeptHook* older;
};
std::atomic<KeptHook*> kept_hooks{nullptr};

}  // namespace

void set_log_hook(LogHook hook) {
  if (!hook) {
    current_hook.store(nullptr);
    return;
  }
  auto* kept = new KeptHook{std::move(hook), kept_hooks.load()};
  while (!kept_hooks.compare_exchange_weak(kept->older, kept)) {
  }
  current_hook.store(&kept->hook);
}

void log_line(LogLevel level, const std::string& line) noexcept {
  const LogHook* hook = current_hook.load();
  if (hook == nullptr) return;
  try {
    (*hook)(level, line);
  } catch (...) {
    // The hook's trouble is not the lease's.
  }
}

std::string text_of_current_exception() {
  try {
    throw;
  } catch (const std::exception& error) {
    return error.what();
  } catch (...) {
    return "something that is no std::exception";
  }
}

bool log_wanted() noexcept { return current_hook.load() != nullptr; }

std::string_view to_string(LogLevel level) noexcept {
  switch (level) {
    case LogLevel::debug:
      return "debug";
    case LogLevel::info:
      return "info";
    case LogLevel::warning:
      return "warning";
  }
  return "";
}

}  // namespace rwlease
