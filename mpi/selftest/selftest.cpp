#include "selftest.hpp"

#include "arguments.hpp"
#include "clocks.hpp"
#include "context.hpp"
#include "duration.hpp"
#include "output.hpp"
#include "place.hpp"
#include "plot.hpp"
#include "probe/interrupt.hpp"
#include "report.hpp"

#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <system_error>

namespace rwlease::selftest {
namespace {

using std::chrono::milliseconds;

struct Phase {
  const char* name;
  const char* shows;
  int percent;  // of the time
  std::vector<std::string> counts;
  void (*run)(Context& context, PhaseLog& log, std::chrono::nanoseconds budget);
};

const std::vector<Phase>& phases() {
  static const std::vector<std::string> book{"reads", "writes", "most_readers_at_once", "lapsed",
                                             "overlaps_with_lapsed"};
  static const std::vector<Phase> all{
      {"claims", "of several claims at once one wins", 5, {"races"}, test_claims},
      {"freshness",
       "every forced look sees what another node did",
       15,
       {"rounds_of_all_pairs", "looks", "listings", "late_removals"},
       test_freshness},
      {"heartbeat", "every node sees every other's heartbeats", 12, {"heartbeats_seen", "lapsed"}, test_heartbeat},
      {"preference", "a writer that claimed goes before readers", 8, {"rounds", "tries_refused"}, test_preference},
      {"exclusion", "leases of processes exclude each other", 25, book, test_exclusion},
      {"crossing", "leases of processes and communicators exclude each other", 5, {"rounds", "tries"}, test_crossing},
      {"collective", "leases of communicators exclude each other", 12, book, test_collective},
      {"eviction", "who dies is evicted after a lease, who lives is not", 15, {"evicted", "void"}, test_eviction},
      {"cost", "what each operation takes", 3, {"rounds"}, measure_cost},
  };
  return all;
}

// The lease's duration by the time there is, and by the file system's: where it keeps whole seconds, heartbeats less
// than two seconds apart do not show.
Terms choose_terms(const Settings& settings, const TimeStep& step) {
  constexpr milliseconds longest{6000};
  constexpr milliseconds shortest{1000};
  Terms terms;
  terms.kind = step.kind;
  terms.time_step = step.step;
  terms.lease =
      settings.lease.count() != 0 ? settings.lease : std::min(longest, std::max(shortest, settings.duration / 20));
  if (step.step >= milliseconds(500)) terms.lease = std::max(terms.lease, longest);
  terms.interval = terms.lease / 3;
  return terms;
}

std::string file_trouble(const std::string& path) {
  if (path.empty()) return {};
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor == -1) return "writing " + path + ": " + std::generic_category().message(errno);
  ::close(descriptor);
  return {};
}

class SelfTest {
 public:
  SelfTest(const Settings& settings, const Team& all) : all_(all), nodes_(find_nodes(all, settings.pretended_nodes)) {
    report_.settings = settings;
    report_.nodes = nodes_;
    report_.began = Clock::now();
    report_.started = std::chrono::system_clock::now();
  }

  int run() {
    if (const int code = prepare()) return code;
    Place place(all_, nodes_, report_.settings.directory);
    if (place.obstruction() && !place.obstruction().refused) return fail_usage(place.obstruction().why);
    all_.waiting().set_departure([this, &place](int signal) { depart(place, signal); });
    report_.refusal = place.obstruction().why;
    try {
      if (report_.refusal.empty()) test_in(place.path());
      all_.barrier();
    } catch (const std::exception& error) {
      give_up(place, error.what());
    }
    if (is_first() && !place.remove()) note("something was left in " + place.path());
    return conclude();
  }

 private:
  bool is_first() const { return all_.rank() == 0; }

  void tell(const std::string& text) const {
    if (is_first()) say(text);
  }

  void note(const std::string& text) {
    tell("note: " + text);
    report_.notes.push_back(text);
  }

  int fail_usage(const std::string& sentence) const {
    tell(sentence);
    return exit_usage;
  }

  // What would otherwise turn out wrong only after minutes.
  int prepare() {
    if (all_.size() < 2) {
      return fail_usage("it takes at least two ranks: start it with mpirun or srun; see 'rwlease-selftest --help'");
    }
    std::string trouble;
    if (is_first()) trouble = file_trouble(report_.settings.json);
    trouble = all_.from(0, trouble);
    if (!trouble.empty()) return fail_usage(trouble);
    if (is_first() && !report_.settings.plot.empty() && !can_plot()) {
      note("--plot: gnuplot is not installed (not in PATH), so there will be no picture");
      report_.settings.plot.clear();
    }
    return 0;
  }

  void test_in(const std::string& place) {
    const TimeStep step = shared_time_step(place);
    if (!step.trouble.empty()) {
      report_.refusal = "heartbeats cannot be kept here: " + step.trouble;
      return;
    }
    report_.terms = choose_terms(report_.settings, step);
    furnish(all_, nodes_, place);
    const Clocks clocks(all_);
    run_phases(place);
    report_.clocks = clocks.measure(nodes_, place, step);
    report_.timings.merge(all_);
  }

  TimeStep shared_time_step(const std::string& place) const {
    TimeStep step;
    if (is_first()) step = measure_time_step(place);
    step.step = std::chrono::nanoseconds(all_.from(0, step.step.count()));
    step.kind = static_cast<MarkerKind>(all_.from(0, static_cast<std::int64_t>(step.kind)));
    step.trouble = all_.from(0, step.trouble);
    return step;
  }

  void run_phases(const std::string& place) {
    std::optional<Referee> referee;
    if (is_first()) referee.emplace(all_);
    if (is_first()) all_.waiting().set_duty([&referee] { referee->serve(); });
    const Door door(all_);
    Seats seats;
    const bool sits = std::find(nodes_.seats.begin(), nodes_.seats.end(), all_.rank()) != nodes_.seats.end();
    auto part = std::make_unique<Team>(all_.split(sits ? 0 : 1), all_.waiting());
    if (sits) seats.team = std::move(part);
    Context context{report_.settings, report_.terms, nodes_, all_, seats, place, door, referee ? &*referee : nullptr,
                    report_.timings,  report_.stays};
    announce();
    for (const Phase& phase : phases()) run_phase(context, phase);
    all_.waiting().set_duty({});
  }

  void announce() const {
    tell(std::to_string(all_.size()) + " ranks on " + std::to_string(nodes_.count()) + " node(s), about " +
         cli::to_text(report_.settings.duration) + " in " + report_.settings.directory + "; leases of " +
         cli::to_text(report_.terms.lease) + ", heartbeats every " + cli::to_text(report_.terms.interval));
    if (nodes_.count() == 1) tell("all ranks are on one host: whatever comes out holds for that host only");
  }

  void run_phase(Context& context, const Phase& phase) {
    all_.barrier();
    tell(std::string(phase.name) + ": " + phase.shows + " ...");
    PhaseLog log(phase.name, phase.counts);
    const auto begin = Clock::now();
    phase.run(context, log, report_.settings.duration * phase.percent / 100);
    all_.barrier();
    const std::chrono::duration<double> took = Clock::now() - begin;
    report_.phases.push_back(log.summary(all_, took.count()));
    tell_result(report_.phases.back());
  }

  void tell_result(const PhaseResult& result) {
    std::string line = result.name + (result.failures != 0 ? ": FAILED" : result.skipped ? ": skipped" : ": passed");
    for (const auto& [what, number] : result.counts) line += ", " + std::to_string(number) + " " + what;
    tell(line);
    if (result.failures != 0) tell(result.name + ": " + result.first_failure);
    if (!result.note.empty()) note(result.name + ": " + result.note);
  }

  int conclude() {
    const std::chrono::duration<double> took = Clock::now() - report_.began;
    report_.seconds = took.count();
    if (is_first()) publish();
    return report_.certified() ? exit_certified : exit_refused;
  }

  void publish() {
    if (!report_.settings.json.empty()) write_json();
    if (!report_.settings.plot.empty()) draw_plot();
    cli::write_stdout(cli::printable(report_.verdict()) + '\n');
  }

  void write_json() {
    std::ofstream file(report_.settings.json, std::ios::trunc);
    file << report_json(report_);
    file.close();
    if (!file) say("writing " + report_.settings.json + " failed");
  }

  void draw_plot() {
    const std::string trouble = report_.phases.empty() ? "there is nothing to draw" : draw(report_);
    if (!trouble.empty()) say("--plot: " + trouble);
  }

  // What no phase expects, such as lack of memory, strikes one rank alone; the others would wait for it for ever.
  [[noreturn]] void give_up(const Place& place, const std::string& why) {
    report_.refusal = "could not go on: " + nodes_.shown(all_.rank()) + ": " + why;
    cli::write_stdout(cli::printable(report_.verdict()) + '\n');
    if (is_first()) place.remove();
    MPI_Abort(MPI_COMM_WORLD, exit_refused);
    std::abort();
  }

  // After a signal, on each rank that notices it: the first removes what is there; the others leave it the time for
  // that, because the first rank that ends takes all others with it.
  [[noreturn]] void depart(const Place& place, int signal) const {
    constexpr timespec time_for_removal{2, 0};
    if (is_first()) {
      say("ended by signal " + std::to_string(signal) + "; removing " + place.path());
      if (!place.remove()) say("something was left in " + place.path());
    } else {
      nanosleep(&time_for_removal, nullptr);
    }
    MPI_Abort(MPI_COMM_WORLD, 128 + signal);
    std::abort();
  }

  const Team& all_;
  Nodes nodes_;
  Report report_;
};

// Every rank reads its own words; all know whether all could.
std::optional<Settings> settings_of_all(const Team& all, const std::vector<std::string>& arguments) {
  std::optional<Settings> settings;
  std::string trouble;
  try {
    settings = parse_settings(arguments);
  } catch (const cli::BadUsage& error) {
    trouble = error.what();
  }
  const auto troubles = all.gather(trouble);
  for (const std::string& one : troubles) {
    if (one.empty()) continue;
    if (all.rank() == 0) say(one + "; see 'rwlease-selftest --help'");
    return std::nullopt;
  }
  return settings;
}

}  // namespace

void say(const std::string& text) noexcept {
  const std::string line = "rwlease-selftest: " + cli::printable(text) + '\n';
  static_cast<void>(!::write(STDERR_FILENO, line.data(), line.size()));
}

int run(const std::vector<std::string>& arguments) {
  Waiting waiting;
  MPI_Comm own = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &own);
  const Team all(own, waiting);
  const auto settings = settings_of_all(all, arguments);
  if (!settings) return exit_usage;
  if (settings->help || settings->version) {
    const std::string text = settings->help ? help_text() : std::string("rwlease-selftest " RWLEASE_VERSION "\n");
    if (all.rank() == 0) cli::write_stdout(text);
    return exit_certified;
  }
  probe::note_signals();
  return SelfTest(*settings, all).run();
}

}  // namespace rwlease::selftest
