// One process: threads, reentrancy, spellings of a path, standard guards, callbacks, the log.
#include "process/support/participant.hpp"
#include "process/support/terms.hpp"
#include "support/scratch.hpp"

#include <rwlease/lock.hpp>
#include <rwlease/log.hpp>
#include <rwlease/on_behalf.hpp>

#include <gtest/gtest.h>
#include <signal.h>

#include <future>
#include <mutex>
#include <regex>
#include <shared_mutex>
#include <thread>

namespace rwlease::test {
namespace {

namespace fs = std::filesystem;

Options unhurried() {
  Options options;
  options.interval = std::chrono::seconds(20);
  options.poll_min = std::chrono::milliseconds(5);
  options.poll_max = std::chrono::milliseconds(100);
  return options;
}

template <class Function>
auto in_another_thread(Function function) {
  return std::async(std::launch::async, std::move(function)).get();
}

class Threads : public testing::Test {
 protected:
  Scratch scratch_;
  Lock lock_{scratch_ / "x", unhurried()};
};

TEST_F(Threads, ExcludeEachOtherLikeProcesses) {
  Lease lease = lock_.acquire(Mode::write);
  in_another_thread([&] {
    EXPECT_FALSE(lock_.try_acquire(Mode::write));
    EXPECT_FALSE(lock_.try_acquire(Mode::read));
    return 0;
  });
  auto waiting = std::async(std::launch::async, [&] { return lock_.acquire(Mode::write).valid(); });
  lease.release();
  EXPECT_TRUE(waiting.get());
}

TEST_F(Threads, ReadersShare) {
  const Lease lease = lock_.acquire(Mode::read);
  EXPECT_TRUE(in_another_thread([&] { return lock_.try_acquire(Mode::read).has_value(); }));
  EXPECT_FALSE(in_another_thread([&] { return lock_.try_acquire(Mode::write).has_value(); }));
}

TEST_F(Threads, AHelperTakesForAnother) {
  const std::uint64_t own = thread_number();
  Lease lease = in_another_thread([&] {
    const OnBehalfOf us(own);
    return lock_.acquire(Mode::write);
  });
  EXPECT_TRUE(lock_.try_acquire(Mode::write).has_value()) << "it nests in what this thread holds";
  EXPECT_THROW(static_cast<void>(lock_.try_acquire(Mode::read)), UsageError);
  EXPECT_FALSE(in_another_thread([&] { return lock_.try_acquire(Mode::write).has_value(); }));
}

TEST_F(Threads, AHelperIsRefusedWhatTheOtherIs) {
  const Lease lease = lock_.acquire(Mode::read);
  const std::uint64_t own = thread_number();
  in_another_thread([&] {
    {
      const OnBehalfOf us(own);
      EXPECT_EQ(thread_number(), own);
      EXPECT_THROW(static_cast<void>(lock_.acquire(Mode::write)), UsageError);
    }
    EXPECT_NE(thread_number(), own);
    EXPECT_FALSE(lock_.try_acquire(Mode::write).has_value());
    return 0;
  });
}

TEST_F(Threads, CountUnderContention) {
  int value = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      Lock own(scratch_ / "x", unhurried());
      for (int round = 0; round < 25; ++round) {
        const Lease lease = own.acquire(Mode::write);
        const int seen = value;
        std::this_thread::yield();
        value = seen + 1;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(value, 100);
}

TEST_F(Threads, NestedLeasesCount) {
  for (const Mode mode : {Mode::read, Mode::write}) {
    Lease outer = lock_.acquire(mode);
    Lease inner = lock_.acquire(mode);
    EXPECT_EQ(inner.fence(), outer.fence());
    EXPECT_EQ(outer.release(), ReleaseResult::released);
    EXPECT_TRUE(inner.verify());
    EXPECT_EQ(inner.release(), ReleaseResult::released);
    EXPECT_EQ(inner.release(), ReleaseResult::already_lost);
  }
  EXPECT_EQ(listing_without_fences(scratch_ / "x.rwlease"), std::vector<std::string>{"readers"});
}

TEST_F(Threads, UpgradeIsRefusedAndChangesNothing) {
  const Lease lease = lock_.acquire(Mode::read);
  EXPECT_THROW(lock_.acquire(Mode::write), UsageError);
  EXPECT_THROW(lock_.try_acquire(Mode::write), UsageError);
  EXPECT_TRUE(lease.verify());
}

TEST_F(Threads, ReadWithinWriteIsRefused) {
  const Lease lease = lock_.acquire(Mode::write);
  EXPECT_THROW(lock_.acquire(Mode::read), UsageError);
  EXPECT_TRUE(lease.verify());
}

TEST_F(Threads, DowngradeLetsReadersInAndNoWriter) {
  Participant reader(scratch_ / "x", long_lease);
  Participant writer(scratch_ / "x", long_lease + Words{"tell=claim-refused", "tell=claimed"});
  Lease lease = lock_.acquire(Mode::write);
  writer.send("acquire write");
  EXPECT_EQ(writer.await("point").text, "claim-refused");
  Lease reading = std::move(lease).downgrade();
  EXPECT_FALSE(lease);  // NOLINT(bugprone-use-after-move): what a lease that was moved from is like
  EXPECT_TRUE(reading.verify());
  EXPECT_EQ(reading.mode(), Mode::read);
  // The writer claims now and drains us; it is not in.
  while (writer.await("point").text != "claimed") {
  }
  EXPECT_FALSE(writer.hear("done", std::chrono::milliseconds(100)));
  EXPECT_TRUE(reading.valid());
  reading.release();
  writer.await("done");
}

TEST_F(Threads, DowngradeOfNestedOrReadLeasesIsRefused) {
  Lease outer = lock_.acquire(Mode::write);
  Lease inner = lock_.acquire(Mode::write);
  EXPECT_THROW(std::move(inner).downgrade(), UsageError);
  EXPECT_TRUE(inner.verify());  // NOLINT(bugprone-use-after-move): refused, so it is as before
  inner.release();
  Lease reading = std::move(outer).downgrade();
  EXPECT_THROW(std::move(reading).downgrade(), UsageError);
  EXPECT_TRUE(reading.verify());  // NOLINT(bugprone-use-after-move): refused, so it is as before
}

TEST_F(Threads, LeaseMayBeReleasedOnAnotherThread) {
  Lease lease = lock_.acquire(Mode::write);
  EXPECT_EQ(in_another_thread([moved = std::move(lease)]() mutable { return moved.release(); }),
            ReleaseResult::released);
  EXPECT_TRUE(lock_.try_acquire(Mode::read));
}

TEST_F(Threads, StandardGuardsWork) {
  {
    const std::unique_lock<Lock> guard(lock_);
    EXPECT_FALSE(in_another_thread([&] { return lock_.try_lock_shared(); }));
  }
  {
    const std::shared_lock<Lock> guard(lock_);
    EXPECT_FALSE(in_another_thread([&] { return lock_.try_lock_for(std::chrono::milliseconds(20)); }));
    EXPECT_TRUE(in_another_thread([&] {
      const std::shared_lock<Lock> other(lock_, std::chrono::seconds(10));
      return other.owns_lock();
    }));
  }
  Lock second(scratch_ / "y", unhurried());
  {
    const std::scoped_lock both(lock_, second);
    EXPECT_FALSE(in_another_thread([&] { return second.try_lock_shared(); }));
  }
  EXPECT_EQ(listing_without_fences(scratch_ / "x.rwlease"), std::vector<std::string>{"readers"});
  EXPECT_EQ(listing_without_fences(scratch_ / "y.rwlease"), std::vector<std::string>{"readers"});
}

TEST_F(Threads, WriteLeaseIsOwnedByItsThread) {
  lock_.lock();
  in_another_thread([&] {
    EXPECT_THROW(lock_.unlock(), UsageError);
    return 0;
  });
  EXPECT_THROW(lock_.unlock_shared(), UsageError);
  lock_.unlock();
  EXPECT_THROW(lock_.unlock(), UsageError);
}

// One state for one directory, however it is spelled.
TEST_F(Threads, SpellingsOfThePathAreOneLock) {
  fs::create_directory(scratch_ / "sub");
  fs::create_directory_symlink(scratch_.directory(), scratch_ / "link");
  const fs::path spellings[] = {
      scratch_.directory() / "." / "x",
      scratch_.directory() / "sub" / ".." / "x",
      scratch_.directory().string() + "//x",
      scratch_ / "link/x",
      scratch_ / "x/",
      fs::relative(scratch_ / "x"),
  };
  const Lease lease = lock_.acquire(Mode::write);
  for (const fs::path& spelling : spellings) {
    Lock same(spelling, unhurried());
    const Lease nested = same.acquire(Mode::write, Deadline::now());
    EXPECT_EQ(nested.fence(), lease.fence()) << spelling;
    EXPECT_FALSE(in_another_thread([&] { return same.try_acquire(Mode::read).has_value(); })) << spelling;
  }
  EXPECT_TRUE(lease.verify());
  for (const char* name : {"", ".", "..", "/"}) EXPECT_THROW(Lock(fs::path(name)), InvalidOptions) << name;
}

TEST_F(Threads, SpellingsMeetAcrossProcesses) {
  fs::create_directory_symlink(scratch_.directory(), scratch_ / "link");
  Participant one(fs::relative(scratch_ / "x"), long_lease);
  Participant other(scratch_ / "link/./x", long_lease);
  one.ask("acquire write");
  EXPECT_EQ(other.ask("try read"), "busy");
}

TEST_F(Threads, CancelFromAnotherThread) {
  const Lease lease = lock_.acquire(Mode::write);
  Cancel cancel;
  auto waiting =
      std::async(std::launch::async, [&] { return lock_.acquire(Mode::read, Deadline::forever(), &cancel).valid(); });
  cancel.cancel();
  EXPECT_THROW(waiting.get(), Cancelled);
}

TEST(Callbacks, ThatThrowAreFenced) {
  const Scratch scratch;
  Participant holder(scratch / "x", short_lease + Words{"log=1"});
  holder.ask("acquire write");
  holder.ask("throw-when-lost");
  fs::remove(only_entry(scratch / "x.rwlease/writer"));
  EXPECT_EQ(holder.await("lost").text, "evicted");
  EXPECT_EQ(holder.ask("release"), "already lost");
  EXPECT_EQ(holder.ask("acquire read"), "yes") << "heartbeats and callbacks go on";
  holder.ask("watch");
  fs::remove(only_entry(scratch / "x.rwlease/readers"));
  EXPECT_EQ(holder.await("lost").text, "evicted");
}

TEST(Callbacks, MayReleaseTheirOwnLease) {
  const Scratch scratch;
  Options options;
  options.interval = std::chrono::milliseconds(100);
  options.poll_max = std::chrono::milliseconds(50);
  Lock lock(scratch / "x", options);
  Lease lease = lock.acquire(Mode::read);
  std::promise<ReleaseResult> released;
  lease.on_lost([&](LossReason) { released.set_value(lease.release()); });
  fs::remove(only_entry(scratch / "x.rwlease/readers"));
  auto result = released.get_future();
  ASSERT_EQ(result.wait_for(patience), std::future_status::ready);
  EXPECT_EQ(result.get(), ReleaseResult::already_lost);
}

// Through everything that is worth a line: waiting, eviction, loss, renewal, a directory that vanished.
TEST(Log, NeverShowsAToken) {
  const Scratch scratch;
  Participant one(scratch / "x", short_lease + Words{"log=1"});
  Participant victim(scratch / "x", short_lease);
  victim.ask("acquire write");
  const std::string marker = only_entry(scratch / "x.rwlease/writer").filename();
  const std::string token = marker.substr(marker.rfind('.') + 1);
  EXPECT_EQ(token.size(), 32U);
  const std::string refusal = one.refusal("acquire read 50");
  victim.kill_hard();
  one.ask("acquire write");
  one.ask("watch");
  one.stop();
  std::this_thread::sleep_for(std::chrono::milliseconds(short_lease_ms + 100));
  one.signal(SIGCONT);
  one.await("renewed");
  fs::remove_all(scratch / "x.rwlease");
  one.ask("verify");
  one.ask("release");
  one.ask("acquire read");
  std::string all = refusal + "\n";
  int lines = 0;
  for (; auto line = one.hear("log", std::chrono::milliseconds(0)); ++lines) all += line->text + "\n";
  EXPECT_GE(lines, 3) << all;
  EXPECT_FALSE(std::regex_search(all, std::regex("[0-9a-f]{32}"))) << all;
}

TEST(Log, HookThatThrowsDisturbsNobody) {
  const Scratch scratch;
  Participant victim(scratch / "x", long_lease);
  victim.ask("acquire write");
  victim.kill_hard();
  int calls = 0;
  set_log_hook([&](LogLevel, std::string_view) {
    ++calls;
    throw std::runtime_error("a hook that throws");
  });
  Lock lock(scratch / "x", unhurried());
  EXPECT_TRUE(lock.acquire(Mode::read, Deadline::after(patience)).valid());
  set_log_hook({});
  EXPECT_GT(calls, 0);
}

}  // namespace
}  // namespace rwlease::test
