// Makes one system call of the library fail, on the real path: the test program brings its own symlinkat, statx and the
// like, which the library calls instead of the C library's.
#pragma once

#include <string>

namespace rwlease::test {

// What becomes of the call that is hit.
struct Injection {
  int nth = 0;  // which of the counted calls, from 1; 0: none, they are only counted
  int error = 0;
  bool carried_out = false;  // done, and its reply lost
};

// Whose calls count.
enum class Counted { this_thread, other_threads };

struct Injected {
  int calls = 0;     // how many were counted
  std::string call;  // the one that was hit, as "unlinkat writer/<id>"; empty when none was

  bool hit() const { return !call.empty(); }
};

// Counts from construction until stop(). One at a time.
class Injector {
 public:
  Injector(Counted counted, const Injection& injection);
  ~Injector();
  Injector(const Injector&) = delete;
  Injector& operator=(const Injector&) = delete;

  Injected stop();

  // Until the call was made that is to be hit; false when that takes longer than any healthy machine needs.
  static bool wait_for_hit();
};

// From now on: no symlink can be made, so that markers are files.
void refuse_symlinks();

// Until that many further heartbeats were sent; false when that takes longer than any healthy machine needs.
bool wait_for_beats(int number);

// From now on the clocks of the library (boot and wall alike) are this much later.
void advance_clocks(long milliseconds);

}  // namespace rwlease::test
