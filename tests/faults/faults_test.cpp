// Every system call that the library makes fails once, in every way that is to be expected, on a real directory: the
// caller is told the right thing, no lease is in force that should not be, nothing stays behind, and the next acquire
// works.
#include "faults/fault_scenarios.hpp"

#include <rwlease/log.hpp>

#include <algorithm>
#include <chrono>
#include <future>
#include <memory>
#include <mutex>
#include <regex>
#include <string_view>
#include <vector>

namespace rwlease::test {
namespace {

using namespace std::chrono_literals;

class FaultTest : public ::testing::TestWithParam<Scenario> {};

TEST_P(FaultTest, EveryCallInEveryWay) {
  each_injection([](const Injection& injection) { return run(GetParam(), injection); });
}

INSTANTIATE_TEST_SUITE_P(
    Each, FaultTest,
    ::testing::Values(Scenario{"FirstRead", nothing, take_read}, Scenario{"FirstWrite", nothing, take_write},
                      Scenario{"Read", warm_up, take_read}, Scenario{"Write", warm_up, take_write},
                      Scenario{"ReleaseRead", take_read, release}, Scenario{"ReleaseWrite", take_write, release},
                      Scenario{"Downgrade", take_write, downgrade}, Scenario{"Publish", write_and_finish_file, publish},
                      Scenario{"Verify", take_read, verify}, Scenario{"Status", take_write, survey}),
    name_of);

TEST(InjectorTest, HitsTheCallThatIsMeant) {
  const Scenario scenario{"Read", warm_up, take_read};
  EXPECT_TRUE(run(scenario, {1, EIO, false}));
  EXPECT_TRUE(run(scenario, {3, EIO, false}));
  EXPECT_FALSE(run(scenario, {1000, EIO, false}));
}

// What the library's own threads call, as far as the first few calls.
class ThreadFaultTest : public ::testing::TestWithParam<Mode> {
 protected:
  static bool more(const Injection& injection) { return injection.nth < 8; }
};

TEST_P(ThreadFaultTest, OneFailedHeartbeatIsNoLoss) {
  each_injection([](const Injection& injection) {
    Stage stage;
    stage.take(GetParam());
    Injector injector(Counted::other_threads, injection);
    EXPECT_TRUE(Injector::wait_for_hit());
    EXPECT_TRUE(wait_for_beats(2));
    SCOPED_TRACE(describe(injector.stop(), injection));
    EXPECT_NE(stage.lease.state(), LeaseState::lost);
    expect_clean(stage, false);
    return more(injection);
  });
}

// The lines of the log while it lives.
class LogLines {
 public:
  LogLines() {
    set_log_hook([lines = lines_](LogLevel, std::string_view line) {
      const std::lock_guard<std::mutex> guard(lines->mutex);
      lines->all.emplace_back(line);
    });
  }
  ~LogLines() { set_log_hook({}); }
  LogLines(const LogLines&) = delete;
  LogLines& operator=(const LogLines&) = delete;

  int that_match(const std::string& pattern) const {
    const std::lock_guard<std::mutex> guard(lines_->mutex);
    return static_cast<int>(std::count_if(lines_->all.begin(), lines_->all.end(), [&](const std::string& line) {
      return std::regex_search(line, std::regex(pattern));
    }));
  }

 private:
  struct Lines {
    std::mutex mutex;
    std::vector<std::string> all;  // guarded by mutex
  };

  // A call may still be under way in a hook that was taken away.
  const std::shared_ptr<Lines> lines_ = std::make_shared<Lines>();
};

TEST_P(ThreadFaultTest, AFailedHeartbeatIsLoggedWithItsCause) {
  int heartbeats = 0;
  for (Injection injection{1, EDQUOT, false}; more(injection); ++injection.nth) {
    LogLines log;
    Stage stage;
    stage.take(GetParam());
    Injector injector(Counted::other_threads, injection);
    EXPECT_TRUE(Injector::wait_for_hit());
    EXPECT_TRUE(wait_for_beats(2));
    const Injected injected = injector.stop();
    SCOPED_TRACE(describe(injected, injection));
    if (injected.call.rfind("utimensat", 0) != 0) continue;  // not the call that makes a heartbeat
    ++heartbeats;
    EXPECT_EQ(log.that_match("^heartbeat on .*data.rwlease: .*[Dd]isk quota exceeded; trying again$"), 1);
  }
  EXPECT_GT(heartbeats, 0);
}

TEST_P(ThreadFaultTest, ARenewalSucceedsOrTheLeaseIsLost) {
  each_injection([](const Injection& injection) {
    Stage stage;
    stage.take(GetParam());
    std::promise<LeaseState> settled;
    stage.lease.on_lost([&settled](LossReason reason) {
      if (reason == LossReason::evicted) settled.set_value(LeaseState::lost);
    });
    stage.lease.on_renewed([&settled] { settled.set_value(LeaseState::valid); });
    Injector injector(Counted::other_threads, injection);
    advance_clocks(stage.lock.options().effective_lease().count());
    auto future = settled.get_future();
    EXPECT_EQ(future.wait_for(1min), std::future_status::ready);
    const Injected injected = injector.stop();
    SCOPED_TRACE(describe(injected, injection));
    // Not to know whether the old marker was still there is not to have it.
    if (future.get() == LeaseState::lost) {
      EXPECT_TRUE(injection.carried_out);
      EXPECT_FALSE(stage.lease.valid());
    }
    expect_clean(stage, keeps_entry(injected, injection));
    return more(injection);
  });
}

std::string mode_of(const ::testing::TestParamInfo<Mode>& info) { return std::string(to_string(info.param)); }

INSTANTIATE_TEST_SUITE_P(Each, ThreadFaultTest, ::testing::Values(Mode::read, Mode::write), mode_of);

}  // namespace
}  // namespace rwlease::test
