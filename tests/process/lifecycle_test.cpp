// A lease from grant to end within one process: heartbeats, callbacks, downgrade, nesting, release, signals, exit.
#include "process/support/calls.hpp"
#include "process/support/participant.hpp"
#include "process/support/terms.hpp"
#include "support/scratch.hpp"

#include <rwlease/lock.hpp>
#include <rwlease/signals.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <functional>
#include <future>
#include <mutex>
#include <optional>
#include <thread>

namespace rwlease::test {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

// What callbacks said, in order. Any thread.
class Heard {
 public:
  void add(const std::string& what) {
    const std::lock_guard<std::mutex> guard(mutex_);
    all_.push_back(what);
    changed_.notify_all();
  }

  // All, as soon as this is among it, or what there is when patience is over.
  Words until(const std::string& what) {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait_for(lock, patience, [&] { return std::find(all_.begin(), all_.end(), what) != all_.end(); });
    return all_;
  }

  Words all() {
    const std::lock_guard<std::mutex> guard(mutex_);
    return all_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  Words all_;
};

// For what only a look tells. False when patience is over first.
bool await(const std::function<bool()>& condition) {
  const auto end = std::chrono::steady_clock::now() + patience;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(5ms);
  }
  return true;
}

// By the file system's clock; nothing when the marker is not there.
std::optional<std::chrono::nanoseconds> last_sign_of_life(const fs::path& marker) {
  struct stat raw = {};
  if (::lstat(marker.c_str(), &raw) == -1) return std::nullopt;
  return std::chrono::seconds(raw.st_mtim.tv_sec) + std::chrono::nanoseconds(raw.st_mtim.tv_nsec);
}

// Until heartbeats have carried the lease past what its first proof of life was good for. False when it is not in
// force any more.
bool outlives_itself(const Lease& lease, const fs::path& marker, std::chrono::nanoseconds length) {
  const auto first = last_sign_of_life(marker);
  if (!first) return false;
  const bool passed = await([&] {
    const auto last = last_sign_of_life(marker);
    return !lease.valid() || !last || *last > *first + length;
  });
  return passed && lease.valid();
}

Options options_of(std::chrono::milliseconds interval, std::chrono::milliseconds lease,
                   std::chrono::milliseconds margin) {
  Options options;
  options.interval = interval;
  options.lease = lease;
  options.margin = margin;
  options.poll_min = 5ms;
  options.poll_max = 100ms;
  return options;
}

// Far longer than any test.
Options unhurried() { return options_of(20s, 60s, 6s); }

// To be seen out, yet long enough for a loaded machine to show life in time.
constexpr std::chrono::milliseconds brief_lease(2000);
Options brief() { return options_of(200ms, brief_lease, 300ms); }

// A child's exit code; -1 when a signal ended it.
int code_of_child(const std::function<int()>& work) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(work());
  int status = -1;
  while (::waitpid(child, &status, 0) == -1 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

class Lifecycle : public testing::Test {
 protected:
  ~Lifecycle() override { refuse_heartbeats(false); }

  void tell(Lease& lease) {
    lease.on_lost([this](LossReason reason) { heard_.add(std::string(to_string(reason))); });
    tell_renewal(lease);
  }
  // One suspension is enough.
  void tell_renewal(Lease& lease) {
    lease.on_renewed([this] {
      refuse_heartbeats(false);
      heard_.add("renewed");
    });
  }

  Words readers() const {
    Words found;
    for (const std::string& name : listing_without_fences(lock_directory_)) {
      if (name.compare(0, 8, "readers/") == 0) found.push_back(name);
    }
    return found;
  }
  fs::path reader_marker() const { return lock_directory_ / readers().at(0); }
  fs::path writer_marker() const { return only_entry(lock_directory_ / "writer"); }

  Scratch scratch_;
  const fs::path lock_directory_ = scratch_ / "x.rwlease";
  Heard heard_;
};

TEST_F(Lifecycle, DowngradeOfAnEvictedLeaseGivesNone) {
  Lock lock(scratch_ / "x", unhurried());
  Lease lease = lock.acquire(Mode::write);
  fs::remove(writer_marker());
  EXPECT_TRUE(lease.valid()) << "no heartbeat has told it yet";
  EXPECT_THROW(std::move(lease).downgrade(), LeaseLost);
  EXPECT_EQ(readers(), Words());
  EXPECT_FALSE(lease.valid());
  EXPECT_TRUE(lock.try_acquire(Mode::read)) << "the thread holds nothing any more";
}

TEST_F(Lifecycle, RenewalIsToldToOneWhoDidNotAskForLosses) {
  Lock lock(scratch_ / "x", brief());
  Lease lease = lock.acquire(Mode::write);
  tell_renewal(lease);
  refuse_heartbeats(true);
  EXPECT_EQ(heard_.until("renewed"), Words{"renewed"});
  EXPECT_TRUE(lease.valid());
}

// Whatever is told falsely comes no later than what is true.
TEST_F(Lifecycle, CallbacksThatGoOverInADowngradeTellNothingAgain) {
  Lock lock(scratch_ / "x", brief());
  Lease lease = lock.acquire(Mode::write);
  tell(lease);
  refuse_heartbeats(true);
  EXPECT_EQ(heard_.until("renewed"), (Words{"suspended", "renewed"}));
  const Lease reading = std::move(lease).downgrade();
  fs::remove(reader_marker());
  EXPECT_EQ(heard_.until("evicted"), (Words{"suspended", "renewed", "evicted"}));
}

TEST_F(Lifecycle, NestedLeaseAfterADowngradeLeavesTheOuterOnesCallbacks) {
  Lock lock(scratch_ / "x", brief());
  Lease outer = lock.acquire(Mode::write);
  Lease inner = lock.acquire(Mode::write);
  outer.release();
  Lease reading = std::move(inner).downgrade();
  tell(reading);
  Lease nested = lock.acquire(Mode::read);
  EXPECT_EQ(nested.release(), ReleaseResult::released);
  fs::remove(reader_marker());
  EXPECT_EQ(heard_.until("evicted"), Words{"evicted"});
}

// However long it takes and however often it is done.
TEST_F(Lifecycle, VerifyKeepsNoHeartbeatFromItsTurn) {
  Lock lock(scratch_ / "x", brief());
  Lease lease = lock.acquire(Mode::write);
  tell(lease);
  Gate gate;
  auto verified = std::async(std::launch::async, [&] {
    const HeldUp held_up(HeldUp::Calls::looks, gate);
    return lease.verify();
  });
  EXPECT_TRUE(gate.await_arrival());
  EXPECT_TRUE(outlives_itself(lease, writer_marker(), brief_lease));
  gate.open();
  EXPECT_TRUE(verified.get());
  EXPECT_EQ(heard_.all(), Words());
}

class NoDescriptors {
 public:
  NoDescriptors() {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    struct rlimit none = before_;
    none.rlim_cur = 0;
    ::setrlimit(RLIMIT_NOFILE, &none);
  }
  ~NoDescriptors() { ::setrlimit(RLIMIT_NOFILE, &before_); }
  NoDescriptors(const NoDescriptors&) = delete;
  NoDescriptors& operator=(const NoDescriptors&) = delete;

 private:
  struct rlimit before_ = {};
};

TEST_F(Lifecycle, HeartbeatsGoOnWithoutDescriptors) {
  for (const Mode mode : {Mode::read, Mode::write}) {
    Lock lock(scratch_ / "x", brief());
    Lease lease = lock.acquire(mode);
    tell(lease);
    const fs::path marker = mode == Mode::read ? reader_marker() : writer_marker();
    bool outlived = false;
    {
      const NoDescriptors none;
      ASSERT_EQ(::dup(STDOUT_FILENO), -1);
      outlived = outlives_itself(lease, marker, brief_lease);
    }
    EXPECT_TRUE(outlived) << to_string(mode);
    EXPECT_EQ(heard_.all(), Words()) << to_string(mode);
  }
}

// Its claim's last sign of life is nearly an interval old when it is granted, so the next is due soon.
TEST_F(Lifecycle, WriterThatWaitedNearlyAnIntervalShowsLifeInTime) {
  const Options options = options_of(2s, 4s, 1s);
  Lock lock(scratch_ / "x", options);
  Lease first = lock.acquire(Mode::write);
  auto waiting = std::async(std::launch::async, [&] {
    Lease lease = lock.acquire(Mode::write);
    tell(lease);
    return lease;
  });
  ASSERT_TRUE(await([&] { return !readers().empty(); })) << "the claim in preparation";
  std::this_thread::sleep_for(options.interval * 9 / 10);
  first.release();
  const Lease lease = waiting.get();
  EXPECT_TRUE(outlives_itself(lease, writer_marker(), 0s));
  EXPECT_EQ(heard_.all(), Words());
}

// The removal neither keeps the watcher from telling others nor is left undone.
TEST_F(Lifecycle, ReleaseInsideOnLostDoesNotHoldUpOthers) {
  Gate gate;
  Options options = brief();
  options.renew = false;
  Lock lock(scratch_ / "x", options);
  Lock other_lock(scratch_ / "y", options);
  Lease lease = lock.acquire(Mode::write);
  Lease other = other_lock.acquire(Mode::write);
  const fs::path marker = writer_marker();
  lease.on_lost([&](LossReason) {
    const HeldUp held_up(HeldUp::Calls::removals, gate);
    lease.release();
    heard_.add("one is released");
  });
  other.on_lost([&](LossReason) { heard_.add("other is lost"); });
  refuse_heartbeats(true);
  EXPECT_THAT(heard_.until("one is released"), testing::Contains("one is released"));
  EXPECT_THAT(heard_.until("other is lost"), testing::Contains("other is lost"));
  EXPECT_TRUE(await([&] { return !last_sign_of_life(marker); })) << "left to the heartbeat's thread";
  EXPECT_FALSE(gate.arrived());
  gate.open();
}

TEST_F(Lifecycle, NestedLeaseForOthersIsRefusedUnderOneForTheProcessAlone) {
  Options with_others = unhurried();
  with_others.sole = false;
  Options with_group = unhurried();
  with_group.process_group = ::getpgrp();
  Lock alone(scratch_ / "x", unhurried());
  for (const Mode mode : {Mode::read, Mode::write}) {
    const Lease lease = alone.acquire(mode);
    EXPECT_THROW(Lock(scratch_ / "x", with_others).acquire(mode), UsageError);
    EXPECT_THROW(Lock(scratch_ / "x", with_group).acquire(mode), UsageError);
    EXPECT_TRUE(lease.verify());
  }
  const Lease lease = Lock(scratch_ / "x", with_group).acquire(Mode::write);
  EXPECT_TRUE(Lock(scratch_ / "x", with_group).acquire(Mode::write).valid());
  EXPECT_TRUE(alone.acquire(Mode::write).valid());
}

// Also while the release is still under way on the other thread.
TEST_F(Lifecycle, ThreadAcquiresAnewAfterItsLeaseWasReleasedOnAnother) {
  Lock lock(scratch_ / "x", unhurried());
  Lease lease = lock.acquire(Mode::write);
  const std::uint64_t fence = lease.fence();
  Gate gate;
  auto released = std::async(std::launch::async, [&gate, moved = std::move(lease)]() mutable {
    const HeldUp held_up(HeldUp::Calls::removals, gate);
    return moved.release();
  });
  EXPECT_TRUE(gate.await_arrival());
  EXPECT_NO_THROW(EXPECT_FALSE(lock.try_acquire(Mode::write)) << "the marker still stands");
  gate.open();
  EXPECT_EQ(released.get(), ReleaseResult::released);
  const Lease anew = lock.acquire(Mode::write, Deadline::after(patience));
  EXPECT_GT(anew.fence(), fence);
}

std::array<int, 2> alarm_pipe;
std::atomic<int> alarms_left;

// The last alarm lets a read end that went on after the others.
void on_alarm(int) {
  const int saved = errno;
  if (alarms_left.fetch_sub(1) == 1 && ::write(alarm_pipe[1], "x", 1) != 1) ::_exit(3);
  errno = saved;
}

// What a blocking read says that alarms interrupt: errno, or 0 when it went on to its end.
int read_under_alarms(int flags, int alarms) {
  struct sigaction action = {};
  action.sa_handler = on_alarm;
  action.sa_flags = flags;
  alarms_left.store(alarms);
  if (::pipe(alarm_pipe.data()) == -1 || ::sigaction(SIGALRM, &action, nullptr) == -1) return -1;
  release_on_signals({SIGALRM});
  const struct itimerval every = {{0, 10'000}, {0, 10'000}};
  ::setitimer(ITIMER_REAL, &every, nullptr);
  char byte = 0;
  return ::read(alarm_pipe[0], &byte, 1) == 1 ? 0 : errno;
}

TEST_F(Lifecycle, SignalHandlerInterruptsCallsAsTheOneBeforeIt) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "this sanitizer does not deliver signals in a child forked beside other threads";
#endif
  EXPECT_EQ(code_of_child([] { return read_under_alarms(0, 300); }), EINTR);
  EXPECT_EQ(code_of_child([] { return read_under_alarms(SA_RESTART, 3); }), 0);
}

TEST_F(Lifecycle, IgnoredSignalStaysIgnoredAndEndsNothing) {
  const auto ignore = [this] {
    ::signal(SIGUSR1, SIG_IGN);
    release_on_signals({SIGUSR1});
    Lock lock(scratch_ / "x", unhurried());
    const Lease lease = lock.acquire(Mode::write);
    ::raise(SIGUSR1);
    struct sigaction now = {};
    ::sigaction(SIGUSR1, nullptr, &now);
    return (lease.verify() ? 0 : 1) + (now.sa_handler == SIG_IGN ? 0 : 2);
  };
  EXPECT_EQ(code_of_child(ignore), 0);
}

struct Ending {
  const char* name;
  const char* mode;
  bool sole;
};

class EndOfProcess : public testing::TestWithParam<Ending> {
 protected:
  EndOfProcess() { holder_.ask(std::string("acquire ") + GetParam().mode); }

  // Others may go on working under a lease that is not the process's alone.
  void expect_left_only_for_others() const {
    const bool left = listing_without_fences(scratch_ / "x.rwlease") != Words{"readers"};
    EXPECT_EQ(left, !GetParam().sole);
  }

  Scratch scratch_;
  Participant holder_{scratch_ / "x", long_lease + Words{GetParam().sole ? "sole=1" : "sole=0"}};
};

TEST_P(EndOfProcess, ByExit) {
  holder_.send("end exit");
  EXPECT_EQ(holder_.await_exit(), 0);
  expect_left_only_for_others();
}

TEST_P(EndOfProcess, BySignal) {
  holder_.ask("release-on TERM");
  holder_.signal(SIGTERM);
  EXPECT_TRUE(WIFSIGNALED(holder_.await_exit()));
  expect_left_only_for_others();
}

std::string name_of(const testing::TestParamInfo<Ending>& info) { return info.param.name; }
INSTANTIATE_TEST_SUITE_P(Of, EndOfProcess,
                         testing::Values(Ending{"AReaderAlone", "read", true},
                                         Ending{"AReaderWithOthers", "read", false},
                                         Ending{"AWriterAlone", "write", true},
                                         Ending{"AWriterWithOthers", "write", false}),
                         name_of);

}  // namespace
}  // namespace rwlease::test
