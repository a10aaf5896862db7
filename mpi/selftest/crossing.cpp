// Collective and per-process leases on one name exclude each other, whichever came first.
#include "actor.hpp"
#include "context.hpp"
#include "rounds.hpp"

#include <rwlease/lock.hpp>
#include <rwlease/mpi.hpp>

namespace rwlease::selftest {
namespace {

class Crossing {
 public:
  Crossing(Context& context, PhaseLog& log, Actor& actor, int root)
      : context_(context),
        log_(log),
        actor_(actor),
        root_(root),
        name_(context.path("crossing")),
        lock_(context.all.handle(), name_, context.terms.options(), root) {}

  void run() {
    together_first(Mode::write);
    together_first(Mode::read);
    one_first();
    lock_.close();
  }

 private:
  // Each rank tries by itself, on a thread that is to rwlease another process than the communicator's.
  void try_alone(Mode mode, bool may_enter) {
    bool entered = false;
    const auto error = actor_.run(
        context_.waiting(), [&] { entered = Lock(name_, context_.terms.options()).try_acquire(mode).has_value(); });
    log_.count("tries");
    if (!error.empty()) log_.fail(error);
    if (error.empty() && entered != may_enter) complain(mode, entered);
    context_.all.barrier();
  }

  void complain(Mode mode, bool entered) {
    const std::string who = "a " + std::string(to_string(mode)) + " lease of one process (" +
                            context_.nodes.shown(context_.all.rank()) + ")";
    log_.fail(who + (entered ? " was granted while the communicator held" : " was refused beside readers"));
  }

  void together_first(Mode mode) {
    mpi::Lease lease;
    if (!context_.broken(Breakage::collective)) lease = lock_.acquire(mode, context_.terms.patience());
    if (mode == Mode::read) try_alone(Mode::read, true);
    try_alone(Mode::write, false);
    if (mode == Mode::write) try_alone(Mode::read, false);
    if (lease && lease.check() != LeaseState::valid) log_.note("a collective lease lapsed while held");
    lease.release();
  }

  void one_first() {
    const bool holds = context_.all.rank() == root_;
    Lease lease;
    if (holds) {
      const auto error = actor_.run(context_.waiting(), [&] {
        lease = Lock(name_, context_.terms.options()).acquire(Mode::write, Deadline::after(context_.terms.patience()));
      });
      if (!error.empty()) log_.fail(error);
    }
    context_.all.barrier();
    const auto together = lock_.try_acquire(Mode::read);
    const bool valid = context_.all.any(lease.valid());
    if (together && valid) log_.fail("a communicator's read lease was granted while one process held a write lease");
    actor_.run(context_.waiting(), [&] { lease = Lease(); });
    if (together) lock_.close();
    context_.all.barrier();
  }

  Context& context_;
  PhaseLog& log_;
  Actor& actor_;
  int root_;
  std::string name_;
  mpi::Lock lock_;
};

}  // namespace

void test_crossing(Context& context, PhaseLog& log, std::chrono::nanoseconds budget) {
  Actor actor;
  for (Rounds rounds(context.all, budget); rounds.next();) {
    if (context.all.rank() == 0) log.count("rounds");
    // What the collective calls throw they throw on all ranks alike.
    const bool ran = log.guarded([&] { Crossing(context, log, actor, rounds.number() % context.all.size()).run(); });
    if (context.all.any(!ran)) return;
  }
}

}  // namespace rwlease::selftest
