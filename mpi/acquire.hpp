// One acquire of a communicator on its way, moved on by whoever waits for it.
#pragma once

#include "agree.hpp"
#include "beside.hpp"
#include "hold.hpp"

#include <sys/types.h>
#include <rwlease/cancel.hpp>

#include <chrono>
#include <exception>
#include <memory>
#include <optional>

namespace rwlease::mpi::detail {

class Session;

// What is asked for.
struct Attempt {
  Call call;
  Mode mode;
  std::chrono::nanoseconds timeout;
  const Cancel* cancel = nullptr;
  bool beside = false;  // the root takes the lease on a thread of its own
};

// The steps are the same on every rank: agree; the root takes the core's lease; its result is told; the deadlines are
// handed out. What MPI writes to is in the session, which outlives this object.
class Acquire {
 public:
  // Begins to agree.
  Acquire(Session& session, const Attempt& attempt);
  ~Acquire();
  Acquire(const Acquire&) = delete;
  Acquire& operator=(const Acquire&) = delete;

  // Goes on as far as it can. True when it is over. Blocks only where the root takes the lease on this thread.
  bool advance() noexcept;

  // Once it is over: null when somebody was in the way of a try. Throws what came of it.
  std::shared_ptr<Hold> outcome() const;

  // Has the root give up. Local; does not block.
  void cancel() noexcept;

  // The application has destroyed its handle.
  void abandon() noexcept;
  bool abandoned() const noexcept { return abandoned_; }

 private:
  enum class Phase { agreeing, taking, telling, granting, over };

  bool step();
  void begin_taking();
  void take() noexcept;
  void begin_telling();
  void begin_granting();
  void enter(Phase phase) noexcept;
  void look_for_the_others();

  Session& session_;
  const Attempt attempt_;
  std::shared_ptr<Hold> hold_;
  Phase phase_ = Phase::agreeing;
  std::chrono::steady_clock::time_point phase_began_;
  std::exception_ptr error_;
  bool refused_ = false;
  bool abandoned_ = false;
  bool cancel_wanted_ = false;
  std::optional<Cancel> own_cancel_;
  std::optional<Beside> beside_;  // last, because its thread uses all of the above
};

}  // namespace rwlease::mpi::detail
