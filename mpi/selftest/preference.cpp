// Writers go first: while a writer has claimed and waits for a reader to leave, no other reader gets in.
#include "actor.hpp"
#include "context.hpp"
#include "rounds.hpp"

#include <rwlease/lock.hpp>

#include <algorithm>
#include <random>

namespace rwlease::selftest {
namespace {

constexpr int tries_of_newcomer = 3;

struct Roles {
  int writer;
  int holder;
  int newcomer;
};

// Different nodes where there are some; the holder and the newcomer may be one rank, on different threads.
class Casting {
 public:
  explicit Casting(const Nodes& nodes) : nodes_(nodes) {}

  Roles next() {
    const int writer = any_rank();
    const int holder = other_than(writer);
    return {writer, holder, other_than(writer)};
  }

 private:
  int any_rank() { return static_cast<int>(random_() % nodes_.of_rank.size()); }

  int node_of(int rank) const { return nodes_.of_rank[static_cast<std::size_t>(rank)]; }

  int other_than(int rank) {
    for (;;) {
      const int other = any_rank();
      if (other != rank && (nodes_.count() == 1 || node_of(other) != node_of(rank))) return other;
    }
  }

  const Nodes& nodes_;
  std::minstd_rand random_{1};  // the same numbers on every rank
};

class PreferenceRound {
 public:
  PreferenceRound(Context& context, PhaseLog& log, const Lock& lock, Actor& actor, const Roles& roles)
      : context_(context), log_(log), lock_(lock), actor_(actor), roles_(roles) {}

  void run() {
    if (is(roles_.holder)) take(Mode::read);
    context_.all.barrier();
    if (is(roles_.writer)) claim();
    const bool early = context_.all.any(early_);
    if (early && context_.all.any(is(roles_.holder) && !lease_.valid())) return give_up_on_holder();
    if (early && is(roles_.writer)) fail("a writer got in beside a reader");
    if (context_.all.any(failed_)) return end();
    if (is(roles_.newcomer)) expect_refused();
    context_.all.barrier();
    if (is(roles_.holder)) give_back();
    if (is(roles_.writer)) finish_claim();
    context_.all.barrier();
    if (is(roles_.newcomer)) expect_refused();
    end();
  }

 private:
  bool is(int rank) const { return context_.all.rank() == rank; }

  Lock fresh_lock() const { return Lock(lock_.name(), lock_.options()); }

  void take(Mode mode) {
    const auto error = actor_.run(context_.waiting(), [&] {
      lease_ = fresh_lock().acquire(mode, Deadline::after(context_.terms.patience()), &actor_.cancel());
    });
    if (!error.empty()) fail(error);
  }

  void give_back() {
    actor_.run(context_.waiting(), [&] { lease_ = Lease(); });
  }

  void fail(const std::string& what) {
    failed_ = true;
    log_.fail(what);
  }

  // Asks, and goes on when the claim stands. Whether it does is asked of the file system; that it does not yet hold is
  // what the rest of the round shows.
  void claim() {
    actor_.start([&] {
      lease_ = fresh_lock().acquire(Mode::write, Deadline::after(context_.terms.patience()), &actor_.cancel());
    });
    const auto stands = [&] { return actor_.done() || fresh_lock().status().writer_stands; };
    const auto limit = Clock::now() + context_.terms.patience();
    bool stood = false;
    log_.guarded([&] { stood = context_.waiting().until(stands, limit); });
    if (actor_.done() && !actor_.error().empty()) return fail(actor_.error());
    early_ = actor_.done();
    if (!stood) fail("a writer's claim did not become visible on its own node");
  }

  // It stood still for a lease and was rightly evicted.
  void give_up_on_holder() {
    log_.note("a reader's lease lapsed while held; that round shows nothing");
    end();
  }

  void finish_claim() {
    context_.waiting().until([&] { return actor_.done(); });
    if (!actor_.error().empty()) fail(actor_.error());
  }

  // On the main thread: to rwlease another process than the actor.
  void expect_refused() {
    for (int i = 0; i < tries_of_newcomer; ++i) {
      log_.count("tries_refused");
      bool entered = context_.broken(Breakage::preference);
      log_.guarded([&] { entered = fresh_lock().try_acquire(Mode::read).has_value() || entered; });
      if (entered) {
        return fail("a reader (" + context_.nodes.shown(roles_.newcomer) + ") came in after a writer (" +
                    context_.nodes.shown(roles_.writer) + ") had claimed");
      }
    }
  }

  // Whatever happened, nobody holds or waits afterwards.
  void end() {
    if (is(roles_.holder)) give_back();
    context_.all.barrier();
    if (is(roles_.writer)) {
      finish_claim();
      give_back();
    }
    context_.all.barrier();
  }

  Context& context_;
  PhaseLog& log_;
  const Lock& lock_;
  Actor& actor_;
  Roles roles_;
  Lease lease_;
  bool failed_ = false;
  bool early_ = false;  // the writer got in before the reader left
};

}  // namespace

void test_preference(Context& context, PhaseLog& log, std::chrono::nanoseconds budget) {
  const Lock lock(context.path("preference"), context.terms.options());
  Casting casting(context.nodes);
  Actor actor;
  for (Rounds rounds(context.all, budget); rounds.next();) {
    if (context.all.rank() == 0) log.count("rounds");
    PreferenceRound(context, log, lock, actor, casting.next()).run();
  }
}

}  // namespace rwlease::selftest
