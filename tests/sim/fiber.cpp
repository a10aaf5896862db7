#include "sim/fiber.hpp"

#include <cxxabi.h>
#include <setjmp.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <cstdlib>
#include <new>
#include <utility>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#endif

namespace rwlease::sim {
namespace {

#if defined(__SANITIZE_ADDRESS__)
constexpr std::size_t stack_size = 1024 * 1024;  // its frames are larger
#else
constexpr std::size_t stack_size = 256 * 1024;
#endif

constexpr std::size_t guard_size = 4096;

// What the language keeps for each thread of the exceptions under way; each fiber has its own.
struct Exceptions {
  void* caught = nullptr;
  unsigned uncaught = 0;

  void swap() {
    auto* current = reinterpret_cast<Exceptions*>(abi::__cxa_get_globals());
    std::swap(caught, current->caught);
    std::swap(uncaught, current->uncaught);
  }
};

}  // namespace

// The first entry goes by makecontext. From then on a switch is a pair of setjmp and longjmp, which unlike swapcontext
// ask the kernel nothing; address sanitizer has to be told of each.
struct Fiber::Implementation {
  std::function<void()> body;
  bool started = false;
  bool done = true;
  char* memory = nullptr;
  ucontext_t start = {};
  jmp_buf outside = {};
  jmp_buf inside = {};
  Exceptions exceptions;
  void* outside_fake_stack = nullptr;
  void* inside_fake_stack = nullptr;
  const void* outside_bottom = nullptr;
  std::size_t outside_size = 0;

  static Implementation* beginning;  // the one that is entered for the first time

  static void begin() { beginning->run(); }
  void prepare();
  void run();
  void enter();
  void about_to_enter();
  void entered();
  void about_to_leave();
  void left();
};

Fiber::Implementation* Fiber::Implementation::beginning = nullptr;

void Fiber::Implementation::prepare() {
  void* mapped = ::mmap(nullptr, stack_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
  if (mapped == MAP_FAILED) throw std::bad_alloc();
  memory = static_cast<char*>(mapped);
  static_cast<void>(::mprotect(memory, guard_size, PROT_NONE));
  ::getcontext(&start);
  start.uc_stack.ss_sp = memory + guard_size;
  start.uc_stack.ss_size = stack_size - guard_size;
  start.uc_link = nullptr;
  ::makecontext(&start, begin, 0);
}

void Fiber::Implementation::run() {
  entered();
  for (;;) {
    body();
    body = nullptr;
    done = true;
    about_to_leave();
    if (_setjmp(inside) == 0) _longjmp(outside, 1);
    entered();
  }
}

void Fiber::Implementation::enter() {
  if (_setjmp(outside) != 0) return;
  if (started) _longjmp(inside, 1);
  started = true;
  beginning = this;
  ::setcontext(&start);
  std::abort();  // setcontext does not return
}

#if defined(__SANITIZE_ADDRESS__)
void Fiber::Implementation::about_to_enter() {
  __sanitizer_start_switch_fiber(&outside_fake_stack, memory + guard_size, stack_size - guard_size);
}
void Fiber::Implementation::entered() {
  __sanitizer_finish_switch_fiber(inside_fake_stack, &outside_bottom, &outside_size);
}
void Fiber::Implementation::about_to_leave() {
  __sanitizer_start_switch_fiber(&inside_fake_stack, outside_bottom, outside_size);
}
void Fiber::Implementation::left() { __sanitizer_finish_switch_fiber(outside_fake_stack, nullptr, nullptr); }
#else
void Fiber::Implementation::about_to_enter() {}
void Fiber::Implementation::entered() {}
void Fiber::Implementation::about_to_leave() {}
void Fiber::Implementation::left() {}
#endif

Fiber::Fiber() : implementation_(std::make_unique<Implementation>()) { implementation_->prepare(); }

Fiber::~Fiber() { ::munmap(implementation_->memory, stack_size); }

void Fiber::take(std::function<void()> body) {
  implementation_->body = std::move(body);
  implementation_->done = false;
}

void Fiber::resume() {
  implementation_->exceptions.swap();
  implementation_->about_to_enter();
  implementation_->enter();
  implementation_->left();
  implementation_->exceptions.swap();
}

void Fiber::leave() {
  implementation_->about_to_leave();
  if (_setjmp(implementation_->inside) == 0) _longjmp(implementation_->outside, 1);
  implementation_->entered();
}

bool Fiber::done() const { return implementation_->done; }

}  // namespace rwlease::sim
