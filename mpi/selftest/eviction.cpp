// Who shows heartbeats is left alone; who stops is evicted once its lease has passed, and not before.
#include "actor.hpp"
#include "context.hpp"
#include "played_marker.hpp"
#include "rounds.hpp"

#include <rwlease/lock.hpp>

#include <optional>
#include <string>

namespace rwlease::selftest {
namespace {

constexpr double leases_alive = 1.5;

// Each seat plays a holder of a lock of its own, and waits for that of the seat before it.
class EvictionRound {
 public:
  EvictionRound(Context& context, PhaseLog& log, Actor& actor, int round)
      : context_(context),
        log_(log),
        actor_(actor),
        team_(*context.seats.team),
        round_(round),
        played_seat_((team_.rank() + team_.size() - 1) % team_.size()) {}

  void run() {
    log_.guarded([&] { play(); });
    if (team_.any(!marker_)) return clean_up();
    start_waiting();
    live_on();
    team_.barrier();
    const auto before_last = Clock::now();
    beat();
    team_.barrier();
    const auto stopped = Clock::now();
    const bool stalled = team_.gather(stalled_ ? 1 : 0)[static_cast<std::size_t>(played_seat_)] != 0;
    await_entry(stopped);
    judge(before_last, stopped, stalled);
    team_.barrier();
    clean_up();
  }

 private:
  // All combinations come in turn: a dead reader or writer, waited for by a writer or a reader.
  Mode played_mode(int seat) const { return (seat + round_) % 2 == 0 ? Mode::read : Mode::write; }
  Mode waiting_mode() const {
    const bool writes = played_mode(played_seat_) == Mode::read || (played_seat_ + round_) % 4 == 1;
    return writes ? Mode::write : Mode::read;
  }

  std::string name(int seat) const {
    return context_.path("eviction-" + std::to_string(round_) + "-" + std::to_string(seat));
  }

  void play() {
    const std::string own = name(team_.rank());
    Lock(own, context_.terms.options()).acquire(Mode::read).release();  // makes the lock directory
    const auto began = Clock::now();
    marker_.emplace(own + ".rwlease", played_mode(team_.rank()), context_.terms.lease, context_.terms.kind);
    last_beat_ = began;
  }

  void start_waiting() {
    Options options = context_.terms.options();
    if (context_.broken(Breakage::eviction)) options.lease = std::chrono::hours(24);  // never seen to end
    actor_.start([this, options] {
      const Lease lease =
          Lock(name(played_seat_), options).acquire(waiting_mode(), Deadline::forever(), &actor_.cancel());
      entered_ = Clock::now();
    });
  }

  void live_on() {
    const auto end = Clock::now() + std::chrono::nanoseconds(static_cast<std::int64_t>(leases_alive * 1e6) *
                                                             context_.terms.lease.count());
    while (Clock::now() < end) {
      context_.waiting().sleep_until(std::min(end, Clock::now() + context_.terms.interval));
      beat();
    }
  }

  // A holder goes by its own clock: one that could not beat for nearly a lease has no right to complain.
  void beat() {
    const auto begin = Clock::now();
    if (!context_.broken(Breakage::heartbeat)) {
      log_.guarded([&] { beat_if_there(); });
    }
    if (Clock::now() - last_beat_ > context_.terms.lease * 9 / 10) stalled_ = !context_.broken(Breakage::heartbeat);
    last_beat_ = begin;
  }

  void beat_if_there() const {
    if (!marker_->gone()) marker_->beat();
  }

  void await_entry(Clock::time_point stopped) {
    const auto limit = stopped + 3 * context_.terms.lease + std::chrono::seconds(10);
    const auto done = [&] { return actor_.done(); };
    if (context_.waiting().until(done, limit)) {
      if (!actor_.error().empty()) log_.fail(actor_.error());
      return;
    }
    actor_.cancel().cancel();
    context_.waiting().until(done);
    actor_.cancel().reset();
    log_.fail("a holder that died was not evicted: " + described() +
              ", still waiting after three leases and ten seconds");
  }

  void judge(Clock::time_point before_last, Clock::time_point stopped, bool stalled) {
    if (stalled) {
      log_.count("void");
      return log_.note("a rank stood still for most of a lease; that round of eviction shows nothing");
    }
    if (entered_ == Clock::time_point{}) return;
    const auto shortest = context_.terms.lease - context_.terms.time_step;
    if (entered_ - before_last < shortest) {
      return log_.fail("a holder that shows heartbeats was evicted, or one that died before its lease had passed: " +
                       described());
    }
    log_.count("evicted");
    context_.timings.add(Operation::recovery, Load::contended, entered_ - stopped);
  }

  std::string described() const {
    return "a " + std::string(to_string(played_mode(played_seat_))) + " lease played by " +
           context_.seat_shown(played_seat_) + ", waited for by " + context_.seat_shown(team_.rank());
  }

  void clean_up() {
    if (marker_ && !marker_->gone()) log_.note("a played marker was left and is removed by hand");
    marker_.reset();
    team_.barrier();
    remove_tree(name(team_.rank()) + ".rwlease");
  }

  Context& context_;
  PhaseLog& log_;
  Actor& actor_;
  const Team& team_;
  int round_;
  int played_seat_;
  std::optional<PlayedMarker> marker_;
  Clock::time_point last_beat_{};
  bool stalled_ = false;
  Clock::time_point entered_{};  // by the actor; read when it is done
};

}  // namespace

void test_eviction(Context& context, PhaseLog& log, std::chrono::nanoseconds budget) {
  if (!context.seats.team) return;
  Actor actor;
  for (Rounds rounds(*context.seats.team, budget); rounds.next();) {
    EvictionRound(context, log, actor, rounds.number()).run();
  }
}

}  // namespace rwlease::selftest
