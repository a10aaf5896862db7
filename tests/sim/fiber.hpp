// A function that can be left in the middle and gone on with.
#pragma once

#include <functional>
#include <memory>

namespace rwlease::sim {

// Has a stack of its own, and takes one function after another. All on one thread.
class Fiber {
 public:
  Fiber();
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  // Not before the function it had is done. The function throws nothing.
  void take(std::function<void()> body);

  // From outside any fiber: goes on until it leaves or is done.
  void resume();

  // From inside: back to who resumed it.
  void leave();

  bool done() const;

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace rwlease::sim
