// Getting between the library and the kernel, within the test program itself.
//
// The program brings its own utimensat, statx and unlinkat, which the library calls instead of the C library's. They
// do the same unless they are told otherwise here.
#pragma once

#include <condition_variable>
#include <mutex>

namespace rwlease::test {

// Where a call waits until the test lets it through. Any thread.
class Gate {
 public:
  // Until open(), but not for ever.
  void pass();
  void open();

  // Whether a call came to it within patience.
  bool await_arrival();
  bool arrived() const;

 private:
  mutable std::mutex mutex_;  // guards all below
  std::condition_variable changed_;
  bool arrived_ = false;
  bool open_ = false;
};

// From now on no heartbeat of this process gets through (EIO), or all do again.
void refuse_heartbeats(bool refuse);

// While it lives, the looks at entries or the removals of entries that this thread does come to the gate first.
class HeldUp {
 public:
  enum class Calls { looks, removals };
  HeldUp(Calls calls, Gate& gate);
  ~HeldUp();
  HeldUp(const HeldUp&) = delete;
  HeldUp& operator=(const HeldUp&) = delete;
};

}  // namespace rwlease::test
