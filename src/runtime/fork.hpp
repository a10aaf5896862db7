// Which process this is: the one that started, or a child forked from it.
#pragma once

#include <cstdint>

namespace rwlease::runtime {

// Grows by one in each forked child. What was made under another value belongs to an ancestor: a child does not touch
// it, not even its mutexes, which another thread may have held at the fork.
std::uint64_t generation() noexcept;

// Has `in_child` called in every child forked from now on, before fork() returns there. Throws Error.
void on_fork(void (*in_child)());

}  // namespace rwlease::runtime
