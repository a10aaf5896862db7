// Collective leases under load: two communicators on one name, judged by a rank that is in neither.
#include "book.hpp"
#include "context.hpp"
#include "rounds.hpp"

#include <rwlease/mpi.hpp>

#include <random>

namespace rwlease::selftest {
namespace {

constexpr int least_ranks = 3;
constexpr int referee_alone = 2;
constexpr std::chrono::milliseconds hold{2};

class Side {
 public:
  Side(Context& context, const Team& team, int party)
      : context_(context),
        team_(team),
        party_(party),
        lock_(team.handle(), context.path("collective"), context.terms.options()) {}

  void stay(Mode mode) {
    context_.door.asks();
    mpi::Lease lease;
    const bool broken = context_.broken(Breakage::collective);
    if (!broken) lease = acquire(mode);
    const bool enters = broken || lease.valid();
    if (enters) context_.door.enters(party_, mode, lease.fence());
    team_.barrier();
    if (!broken) check(lease);
    context_.waiting().sleep_until(Clock::now() + hold);
    if (enters) context_.door.leaves();
    const bool in_force = broken || lease.valid();
    if (!broken) release(lease);
    if (enters) context_.door.has_left(in_force);
  }

  void close() { lock_.close(); }

 private:
  mpi::Lease acquire(Mode mode) {
    return context_.timings.timed(Operation::collective_acquire, Load::contended,
                                  [&] { return lock_.acquire(mode, context_.terms.patience()); });
  }

  void check(mpi::Lease& lease) {
    context_.timings.timed(Operation::collective_check, Load::contended, [&] { return lease.check(); });
  }

  void release(mpi::Lease& lease) {
    context_.timings.timed(Operation::collective_release, Load::contended, [&] { return lease.release(); });
  }

  Context& context_;
  const Team& team_;
  int party_;
  mpi::Lock lock_;
};

void hammer(Context& context, PhaseLog& log, const Team& team, int party, std::chrono::nanoseconds budget) {
  std::minstd_rand random(static_cast<unsigned>(party) + 7);  // the same numbers on all ranks of a side
  log.guarded([&] {
    Side side(context, team, party);
    side.stay(Mode::write);
    side.stay(Mode::read);
    for (Rounds rounds(team, budget); rounds.next();) side.stay(random() % 2 == 0 ? Mode::write : Mode::read);
    side.close();
  });
}

}  // namespace

void test_collective(Context& context, PhaseLog& log, std::chrono::nanoseconds budget) {
  if (context.all.size() < least_ranks) return log.skip("it takes three ranks: two sides and a referee");
  const int rank = context.all.rank();
  const int party = rank == 0 ? referee_alone : (rank - 1) % 2;
  {
    const Team team(context.all.split(party), context.waiting());
    if (party != referee_alone) hammer(context, log, team, party, budget);
    context.all.barrier();
  }
  if (context.referee != nullptr) judge_book(context, log, "communicator");
}

}  // namespace rwlease::selftest
