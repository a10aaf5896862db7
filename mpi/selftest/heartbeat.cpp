// Every node sees every other node's heartbeats, often enough that nobody who lives can be taken for dead.
#include "context.hpp"

#include <rwlease/lock.hpp>

#include <algorithm>
#include <atomic>
#include <string>
#include <vector>

namespace rwlease::selftest {
namespace {

constexpr char lock_name[] = "heartbeat";
constexpr double least_leases = 2.5;

// What one seat sees of another's marker: the observer's rule of rwlease, written down a second time.
class Watch {
 public:
  Watch(std::string name, std::chrono::nanoseconds lease) : name_(std::move(name)), lease_(lease) {}

  void look(const Folder& readers, Timings& timings) {
    if (vanished_) return;
    const auto before = Clock::now();
    Stamp stamp;
    const int error = readers.look(name_, stamp);
    const auto after = Clock::now();
    if (is_absent(error)) vanished_ = true;
    if (error == 0) note(stamp, before, after, timings);
  }

  bool vanished() const { return vanished_; }
  bool taken_for_dead() const { return taken_for_dead_; }
  int beats() const { return beats_; }

 private:
  void note(const Stamp& stamp, Clock::time_point before, Clock::time_point after, Timings& timings) {
    if (!begun_ || stamp != stamp_) {
      if (begun_ && beats_++ > 0) timings.add(Operation::heartbeat_gap, Load::contended, after - last_change_);
      last_change_ = window_ = after;
    } else if (before - last_look_ > lease_ / 3) {
      window_ = after;  // this observer stood still; what it missed it cannot hold against the holder
    } else if (before - window_ >= lease_) {
      taken_for_dead_ = true;
    }
    begun_ = true;
    stamp_ = stamp;
    last_look_ = after;
  }

  std::string name_;
  std::chrono::nanoseconds lease_;
  bool begun_ = false;
  bool vanished_ = false;
  bool taken_for_dead_ = false;
  int beats_ = 0;
  Stamp stamp_;
  Clock::time_point window_{};
  Clock::time_point last_change_{};
  Clock::time_point last_look_{};
};

Options holder_options(const Context& context) {
  Options options = context.terms.options();
  options.label = "seat-" + std::to_string(context.seats.own());
  if (context.broken(Breakage::heartbeat)) {
    options.interval = std::chrono::minutes(20);
    options.lease = std::chrono::hours(1);
  }
  return options;
}

// The entry whose record carries this seat's label; empty when there is none.
std::string own_marker(const Context& context, const Folder& readers) {
  const std::string label = "label=seat-" + std::to_string(context.seats.own());
  std::vector<std::string> entries;
  readers.require(readers.list_fresh("seat-" + std::to_string(context.seats.own()), entries), "listing", "");
  for (const std::string& entry : entries) {
    std::string record;
    if (readers.read_marker(entry, record) != 0) continue;
    const std::size_t at = record.find(label);
    const std::size_t end = at + label.size();
    if (at != std::string::npos && (end == record.size() || record[end] == ' ' || record[end] == '\n')) return entry;
  }
  return {};
}

class HeartbeatTest {
 public:
  HeartbeatTest(Context& context, PhaseLog& log) : context_(context), log_(log), team_(*context.seats.team) {}

  void run(std::chrono::nanoseconds budget) {
    std::atomic<bool> lapsed{false};
    Lease lease;
    log_.guarded([&] {
      lease = Lock(context_.path(lock_name), holder_options(context_)).acquire(Mode::read);
      lease.on_lost([&lapsed](LossReason) { lapsed = true; });
    });
    team_.barrier();
    std::string marker;
    log_.guarded([&] {
      const Folder readers(context_.path(std::string(lock_name) + ".rwlease/readers"), context_.terms.kind);
      marker = own_marker(context_, readers);
      if (marker.empty() && lease.valid() && !lapsed) log_.fail("an own marker was not listed");
    });
    watch(team_.gather(marker), budget);
    team_.barrier();
    const bool beat_all_along = lease.valid() && !lapsed;
    judge(team_.gather(beat_all_along ? 1 : 0));
    lease.release();
    team_.barrier();
  }

 private:
  void watch(const std::vector<std::string>& markers, std::chrono::nanoseconds budget) {
    for (const std::string& marker : markers) watches_.emplace_back(marker, context_.terms.lease);
    const std::chrono::nanoseconds least(static_cast<std::int64_t>(least_leases * 1e6) * context_.terms.lease.count());
    const auto end = Clock::now() + std::max(budget, least);
    log_.guarded([&] {
      const Folder readers(context_.path(std::string(lock_name) + ".rwlease/readers"), context_.terms.kind);
      while (Clock::now() < end) {
        look_at_all(readers);
        context_.waiting().sleep_until(Clock::now() + context_.terms.interval / 20);
      }
    });
  }

  void look_at_all(const Folder& readers) {
    for (int seat = 0; seat < team_.size(); ++seat) {
      if (seat != team_.rank()) watches_[static_cast<std::size_t>(seat)].look(readers, context_.timings);
    }
  }

  // A holder whose lease lapsed was not seen for a good reason; that leases lapse is told apart.
  void judge(const std::vector<std::int64_t>& beat_all_along) {
    for (int seat = 0; seat < team_.size(); ++seat) {
      const auto at = static_cast<std::size_t>(seat);
      if (seat == team_.rank()) continue;
      log_.count("heartbeats_seen", static_cast<std::uint64_t>(watches_[at].beats()));
      if (beat_all_along[at] == 0) {
        log_.count("lapsed");
        log_.note("a lease lapsed: its heartbeats did not come through in time, or its rank stood still");
      } else if (watches_[at].vanished()) {
        complain(seat, "the marker vanished under a holder that lives");
      } else if (watches_[at].taken_for_dead()) {
        complain(seat, "no heartbeat was seen for a whole lease of a holder that lives");
      }
    }
  }

  void complain(int seat, const std::string& what) {
    log_.fail(what + ": " + context_.seat_shown(seat) + " held, " + context_.seat_shown(team_.rank()) + " looked");
  }

  Context& context_;
  PhaseLog& log_;
  const Team& team_;
  std::vector<Watch> watches_;
};

}  // namespace

void test_heartbeat(Context& context, PhaseLog& log, std::chrono::nanoseconds budget) {
  if (context.seats.team) HeartbeatTest(context, log).run(budget);
}

}  // namespace rwlease::selftest
