#include "trace_story.hpp"

#include "duration.hpp"

#include <algorithm>
#include <map>
#include <sstream>
#include <utility>

namespace rwlease::cli {
namespace {

// The times of one event, by its own host's clock.
struct Span {
  std::int64_t from = 0;
  std::int64_t to = 0;
};

// An acquire as its own log has it.
struct Raw {
  Tenure tenure;
  Span wait;
  std::optional<Span> held;
  std::optional<Span> ended;
  bool ended_surely = false;  // its marker was gone by the end of `ended`
  struct Blocked {
    Span when;
    std::vector<std::string> ids;
    bool claimed = false;
  };
  std::vector<Blocked> blocked;
  std::vector<std::pair<Span, std::string>> changes;  // suspended, renewed
};

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, ',');) parts.push_back(part);
  return parts;
}

std::uint64_t fence_of(const TraceEvent& event) {
  try {
    return std::stoull(event.word("fence"));
  } catch (const std::exception&) {
    return 0;
  }
}

// Goes through the events of the logs.
class Reader {
 public:
  explicit Reader(const std::vector<TraceLog>& logs) {
    for (log_ = 0; log_ < logs.size(); ++log_) {
      acquires_.clear();
      for (const TraceEvent& event : logs[log_].events) take(event);
    }
  }

  std::vector<Raw> raws;
  std::map<std::string, std::size_t> by_id;  // which acquire a marker belongs to

 private:
  void take(const TraceEvent& event) {
    const Span when{event.from, event.to};
    if (event.name == "wait") return wait(event, when);
    if (Raw* const raw = by_acquire(event)) {
      if (event.name == "blocked")
        raw->blocked.push_back({when, split(event.word("by")), event.word("claimed") == "1"});
      if (event.name == "held") hold(*raw, event, when);
      if (event.name == "gave-up") end(*raw, when, "gave up");
      return;
    }
    const auto found = by_id.find(event.word(event.words.count("was") != 0 ? "was" : "id"));
    if (found == by_id.end()) return;
    Raw& raw = raws[found->second];
    if (event.name == "renewed") by_id[event.word("id")] = found->second;
    if (event.name == "renewed" || event.name == "suspended") raw.changes.emplace_back(when, event.name);
    if (event.name == "lost") end(raw, when, "lost");
    if (event.name == "released") release(raw, event, when);
    if (event.name == "downgraded") downgrade(found->second, event, when);
  }

  Raw* by_acquire(const TraceEvent& event) {
    const auto found = acquires_.find(event.word("acquire"));
    return found == acquires_.end() ? nullptr : &raws[found->second];
  }

  void wait(const TraceEvent& event, Span when) {
    Raw raw;
    raw.wait = when;
    raw.tenure.log = log_;
    raw.tenure.thread = event.thread;
    raw.tenure.lock = event.word("lock");
    raw.tenure.mode = event.word("mode");
    raw.tenure.label = event.word("label");
    acquires_[event.word("acquire")] = raws.size();
    raws.push_back(std::move(raw));
  }

  void hold(Raw& raw, const TraceEvent& event, Span when) {
    raw.held = when;
    raw.tenure.fence = fence_of(event);
    by_id[event.word("id")] = static_cast<std::size_t>(&raw - raws.data());
  }

  static void end(Raw& raw, Span when, const char* outcome) {
    raw.ended = when;
    raw.tenure.outcome = outcome;
  }

  // What was lost is given back all the same, but it was over before.
  static void release(Raw& raw, const TraceEvent& event, Span when) {
    if (raw.tenure.outcome == "lost") return;
    end(raw, when, "released");
    raw.ended_surely = event.word("done") == "1";
  }

  // It goes on as a reader, without a wait.
  void downgrade(std::size_t which, const TraceEvent& event, Span when) {
    Raw reader;
    reader.tenure = raws[which].tenure;
    reader.tenure.mode = "read";
    reader.tenure.fence = 0;
    reader.wait = when;
    reader.held = when;
    end(raws[which], when, "downgraded");
    by_id[event.word("id")] = raws.size();
    raws.push_back(std::move(reader));
  }

  std::size_t log_ = 0;
  std::map<std::string, std::size_t> acquires_;  // of this log
};

// One clock for each boot of a host.
class Clocks {
 public:
  explicit Clocks(const std::vector<TraceLog>& logs) {
    for (const TraceLog& log : logs) {
      const auto [entry, fresh] = numbers_.try_emplace(log.host + ' ' + log.boot, guesses.size());
      if (fresh) {
        guesses.push_back(log.ahead);
        names.push_back(log.host);
      }
      of_log.push_back(entry->second);
    }
  }

  std::vector<std::int64_t> guesses;
  std::vector<std::string> names;
  std::vector<std::size_t> of_log;

 private:
  std::map<std::string, std::size_t> numbers_;
};

// What must have come before what, in all logs.
class Orders {
 public:
  Orders(const Reader& reader, const Clocks& clocks) : reader_(reader), clocks_(clocks) {
    for (std::size_t which = 0; which < reader.raws.size(); ++which) blocks(which);
    fences();
  }

  std::vector<Order> all;
  std::map<std::size_t, std::vector<std::size_t>> waited_for;

 private:
  std::size_t clock_of(const Raw& raw) const { return clocks_.of_log[raw.tenure.log]; }

  void add(const Raw& earlier, std::int64_t earlier_at, const Raw& later, std::int64_t later_at) {
    if (clock_of(earlier) != clock_of(later)) all.push_back({clock_of(earlier), earlier_at, clock_of(later), later_at});
  }

  void blocks(std::size_t which) {
    const Raw& raw = reader_.raws[which];
    for (const Raw::Blocked& blocked : raw.blocked) {
      for (const std::string& id : blocked.ids) {
        const auto found = reader_.by_id.find(id);
        if (found == reader_.by_id.end() || found->second == which) continue;
        block(which, reader_.raws[found->second], blocked.when);
        auto& list = waited_for[which];
        if (std::find(list.begin(), list.end(), found->second) == list.end()) list.push_back(found->second);
      }
    }
  }

  // A marker that was seen had been made, and was not gone yet; who got in behind it did so after it went.
  void block(std::size_t which, const Raw& other, Span seen) {
    const Raw& raw = reader_.raws[which];
    add(other, other.wait.from, raw, seen.to);
    if (!other.ended) return;
    if (other.ended_surely) add(raw, seen.from, other, other.ended->to);
    if (raw.held && other.tenure.outcome == "released") add(other, other.ended->from, raw, raw.held->to);
  }

  // Write leases of one lock come in the order of their numbers, each after the release of the one before.
  void fences() {
    std::map<std::string, std::map<std::uint64_t, const Raw*>> writers;
    for (const Raw& raw : reader_.raws) {
      if (raw.tenure.fence != 0) writers[raw.tenure.lock][raw.tenure.fence] = &raw;
    }
    for (const auto& [lock, numbers] : writers) {
      const Raw* before = nullptr;
      for (const auto& [fence, raw] : numbers) {
        if (before != nullptr) {
          const bool released = before->tenure.outcome == "released";
          add(*before, released ? before->ended->from : before->held->from, *raw, raw->held->to);
        }
        before = raw;
      }
    }
  }

  const Reader& reader_;
  const Clocks& clocks_;
};

std::string seconds_text(std::int64_t ns) {
  return to_text(std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::nanoseconds(ns)));
}

class Teller {
 public:
  explicit Teller(std::vector<TraceLog> logs) { story_.logs = std::move(logs); }

  Story tell() {
    const Reader reader(story_.logs);
    const Clocks clocks(story_.logs);
    const Orders orders(reader, clocks);
    const Alignment alignment = align(clocks.guesses, orders.all);
    notes(clocks, alignment);
    for (std::size_t which = 0; which < reader.raws.size(); ++which) {
      offset_ = alignment.offsets[clocks.of_log[reader.raws[which].tenure.log]];
      add(reader.raws[which]);
      const auto found = orders.waited_for.find(which);
      if (found != orders.waited_for.end()) story_.tenures.back().after = found->second;
    }
    finish();
    return std::move(story_);
  }

 private:
  void notes(const Clocks& clocks, const Alignment& alignment) {
    for (std::size_t clock = 1; clock < clocks.names.size(); ++clock) {
      const std::int64_t moved = alignment.offsets[clock] - clocks.guesses[clock];
      if (!alignment.tied[clock]) {
        story_.notes.push_back("nothing ties the clock of " + clocks.names[clock] + " to that of " + clocks.names[0] +
                               ": it is taken by its wall clock");
      } else if (moved != 0) {
        story_.notes.push_back("the wall clock of " + clocks.names[clock] + " was " + (moved < 0 ? "ahead" : "behind") +
                               " by " + seconds_text(moved < 0 ? -moved : moved) + " or more");
      }
    }
    if (alignment.contradiction == 0) return;
    story_.notes.push_back("the logs contradict each other by " + std::to_string(alignment.contradiction / 1000) +
                           " us: clocks that run at different rates, or leases that excluded nobody");
  }

  void say(std::int64_t at, const std::string& what) { story_.moments.push_back({at, story_.tenures.size(), what}); }

  void add(const Raw& raw) {
    Tenure tenure = raw.tenure;
    tenure.waited_from = raw.wait.from + offset_;
    const bool continues = raw.held && raw.held->from == raw.wait.from && raw.held->to == raw.wait.to;
    if (!continues) say(tenure.waited_from, "waits to " + tenure.mode);
    for (const Raw::Blocked& blocked : raw.blocked) add_blocked(tenure, blocked);
    if (raw.held) add_held(tenure, raw.held->to + offset_);
    for (const auto& [when, what] : raw.changes) say(when.to + offset_, what);
    if (raw.ended) add_end(tenure, (tenure.outcome == "released" ? raw.ended->from : raw.ended->to) + offset_);
    story_.tenures.push_back(std::move(tenure));
  }

  void add_blocked(Tenure& tenure, const Raw::Blocked& blocked) {
    const std::int64_t at = blocked.when.to + offset_;
    const std::string others = std::to_string(blocked.ids.size()) + (blocked.ids.size() == 1 ? " holder" : " holders");
    if (blocked.claimed && !tenure.claimed_at) tenure.claimed_at = at;
    say(at, (blocked.claimed ? "has claimed, drains " : "is behind ") + others);
  }

  void add_held(Tenure& tenure, std::int64_t at) {
    tenure.held_from = at;
    std::string what = "holds to " + tenure.mode + " after " + seconds_text(at - tenure.waited_from);
    if (tenure.fence != 0) what += " (fence " + std::to_string(tenure.fence) + ")";
    say(at, what);
  }

  void add_end(Tenure& tenure, std::int64_t at) {
    tenure.ended_at = at;
    const std::int64_t since = tenure.held_from.value_or(tenure.waited_from);
    say(at, tenure.outcome + " after " + seconds_text(at - since));
  }

  void finish() {
    std::stable_sort(story_.moments.begin(), story_.moments.end(),
                     [](const Moment& a, const Moment& b) { return a.at < b.at; });
    if (story_.moments.empty()) return;
    story_.begin = story_.moments.front().at;
    story_.end = story_.moments.back().at;
  }

  Story story_;
  std::int64_t offset_ = 0;
};

}  // namespace

Story tell(std::vector<TraceLog> logs) { return Teller(std::move(logs)).tell(); }

}  // namespace rwlease::cli
