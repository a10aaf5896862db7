// Whether a test can fork beside other threads, and use memory in the child.
#pragma once

namespace rwlease::test {

// Why not; null when it can. AddressSanitizer's allocator has locks of its own, which fork() knows nothing of: one that
// another thread holds at that moment, for instance a heartbeat that just starts, stays locked in the child for ever.
inline const char* why_no_fork_beside_threads() {
#if defined(__SANITIZE_ADDRESS__)
  return "this sanitizer's allocator may stay locked in a child forked beside other threads";
#else
  return nullptr;
#endif
}

}  // namespace rwlease::test
