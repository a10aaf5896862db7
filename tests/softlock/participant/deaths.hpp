// Dying at a certain system call.
#pragma once

namespace rwlease::test {

// The program brings its own linkat, openat, mkdirat and the like, which the library calls instead of the C library's.
// SIGKILL comes before the n-th of those that change something, from now on; 0: none.
void die_at(int n);

// How many have been made since.
int changes();

}  // namespace rwlease::test
