// What each call costs, first for one rank alone, then while all do it on names of their own.
#include "context.hpp"

#include <rwlease/lock.hpp>

#include <string>
#include <vector>

namespace rwlease::selftest {
namespace {

// Without the pause that a writer makes for others.
Options at_once(const Context& context) {
  Options options = context.terms.options();
  options.stand_back = std::chrono::milliseconds(0);
  return options;
}

class Cost {
 public:
  Cost(Context& context, Load load)
      : context_(context),
        load_(load),
        own_(std::to_string(context.all.rank())),
        folder_(context.path("cost/" + own_), context.terms.kind),
        lock_(context.path("cost/" + own_ + "/lock"), at_once(context)) {}

  void once() {
    lease(Mode::read, Operation::acquire_read, Operation::release_read);
    lease(Mode::write, Operation::acquire_write, Operation::release_write);
    marker();
    claim();
  }

 private:
  void lease(Mode mode, Operation acquire, Operation release) {
    Lease held = context_.timings.timed(acquire, load_, [&] { return lock_.acquire(mode); });
    context_.timings.timed(release, load_, [&] { return held.release(); });
  }

  template <class Call>
  void timed(Operation operation, Call call) {
    const int error = context_.timings.timed(operation, load_, call);
    folder_.require(error, std::string(to_string(operation)).c_str(), "");
  }

  void marker() {
    Stamp stamp;
    std::vector<std::string> entries;
    timed(Operation::make_marker, [&] { return folder_.make_marker(".m", "a record"); });
    timed(Operation::publish_marker, [&] { return folder_.rename(".m", "published/m"); });
    timed(Operation::touch, [&] { return folder_.touch("published/m"); });
    timed(Operation::look, [&] { return folder_.look("published/m", stamp); });
    timed(Operation::list_fresh, [&] { return folder_.list_fresh("c", entries); });
    timed(Operation::remove_marker, [&] { return folder_.remove("published/m"); });
  }

  void claim() {
    timed(Operation::make_directory, [&] { return folder_.make_directory("published/.w"); });
    timed(Operation::claim, [&] { return folder_.rename("published/.w", "w"); });
    timed(Operation::remove_directory, [&] { return folder_.remove_directory("w"); });
  }

  Context& context_;
  Load load_;
  std::string own_;
  Folder folder_;
  Lock lock_;
};

void measure(Context& context, PhaseLog& log, Load load, std::chrono::nanoseconds budget) {
  const auto end = Clock::now() + budget;
  log.guarded([&] {
    Cost cost(context, load);
    do {
      cost.once();
      log.count("rounds");
    } while (Clock::now() < end);
  });
}

void prepare(const Context& context) {
  const std::string own = std::to_string(context.all.rank());
  const Folder folder(context.path("cost"));
  folder.require(folder.make_directory(own), "making", own);
  folder.require(folder.make_directory(own + "/published"), "making", own + "/published");
}

}  // namespace

void measure_cost(Context& context, PhaseLog& log, std::chrono::nanoseconds budget) {
  const bool prepared = log.guarded([&] { prepare(context); });
  if (context.all.any(!prepared)) return;
  if (context.all.rank() == 0) measure(context, log, Load::alone, budget / 2);
  context.all.barrier();
  measure(context, log, Load::together, budget / 2);
  context.all.barrier();
}

}  // namespace rwlease::selftest
