// Beside the programs that sites use already: liblockfile's dotlockfile, procmail's lockfile, Perl's File::NFSLock, and
// plain mkdir; and the rwlease lockfile command, which is to take their places.
#include "process/support/participant.hpp"
#include "process/support/terms.hpp"
#include "softlock/support/primitives.hpp"
#include "support/scratch.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

namespace rwlease::test {
namespace {

// The exit code of a shell command; -1 where it did not exit.
int shell(const std::string& command) {
  const int status = std::system(command.c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

void make_old(const std::filesystem::path& path, std::chrono::seconds age) {
  struct timespec times[2] = {};
  ::clock_gettime(CLOCK_REALTIME, &times[0]);
  times[0].tv_sec -= age.count();
  times[1] = times[0];
  ASSERT_EQ(::utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
}

class Beside : public testing::TestWithParam<Primitive> {
 protected:
  void SetUp() override {
    ASSERT_EQ(shell("command -v dotlockfile lockfile perl > /dev/null && perl -MFile::NFSLock -e 1"), 0)
        << "jobs/install-packages.sh test installs them";
  }

  Words words(const Words& more = {}) const { return Words{"primitive=" + word(GetParam()), "suffix="} + more; }
  std::string at(const std::string& name) const { return scratch_ / name; }

  Scratch scratch_;
};

class BesideFiles : public Beside {};
INSTANTIATE_TEST_SUITE_P(By, BesideFiles, testing::Values(Primitive::hard_link, Primitive::exclusive_file),
                         name_of_primitive);

TEST_P(BesideFiles, DotlockfileAndWeRespectEachOther) {
  Participant we(at("x.lock"), words());
  ASSERT_EQ(shell("dotlockfile -l " + at("x.lock")), 0);
  EXPECT_EQ(we.ask("try"), "no");
  EXPECT_EQ(we.ask("owner").substr(0, 16), "another program|");
  ASSERT_EQ(shell("dotlockfile -u " + at("x.lock")), 0);
  EXPECT_EQ(we.ask("lock"), "yes");
  EXPECT_NE(shell("dotlockfile -q -l -r 0 " + at("x.lock")), 0);
  EXPECT_NE(shell("dotlockfile -q -p -l -r 0 " + at("x.lock")), 0);
  EXPECT_EQ(we.ask("unlock"), "released");
  EXPECT_EQ(shell("dotlockfile -l -r 0 " + at("x.lock")), 0);
}

TEST_P(BesideFiles, LockfileAndWeRespectEachOther) {
  Participant we(at("x.lock"), words());
  ASSERT_EQ(shell("lockfile -r0 " + at("x.lock")), 0);
  EXPECT_EQ(we.ask("try"), "no");
  EXPECT_EQ(we.ask("owner").substr(0, 16), "another program|");
  std::filesystem::remove(at("x.lock"));
  EXPECT_EQ(we.ask("lock"), "yes");
  EXPECT_NE(shell("lockfile -r0 " + at("x.lock") + " 2> /dev/null"), 0);
  EXPECT_EQ(we.ask("unlock"), "released");
  EXPECT_EQ(shell("lockfile -r0 " + at("x.lock")), 0);
}

TEST_P(BesideFiles, NfsLockAndWeRespectEachOther) {
  const std::string perl = "perl -MFile::NFSLock=uncache -e 'exit(File::NFSLock->new({file => \"" + at("x") +
                           "\", lock_type => 6}) ? 0 : 1)'";
  const std::string hold = "perl -MFile::NFSLock -e '$l = File::NFSLock->new({file => \"" + at("x") +
                           "\", lock_type => 6}) or die; open(F, \">\", \"" + at("ready") + "\"); sleep 1 until -e \"" +
                           at("go") + "\"' & while [ ! -e " + at("ready") + " ]; do sleep 0.05; done";
  Participant we(at("x"), {"primitive=" + word(GetParam()), "suffix=.NFSLock"});
  ASSERT_EQ(shell(hold), 0);
  EXPECT_EQ(we.ask("try"), "no");
  EXPECT_EQ(we.ask("owner").substr(0, 8), "NFSLock|");
  std::ofstream(at("go"));
  EXPECT_EQ(we.ask("lock"), "yes");
  EXPECT_EQ(shell(perl), 1);
  EXPECT_EQ(we.ask("locked"), "yes");
  EXPECT_EQ(we.ask("unlock"), "released");
  EXPECT_EQ(shell(perl), 0);
}

// All of them on one lock, each adding to one number under it.
TEST_P(BesideFiles, AllTogetherCountRight) {
  const std::string lock = at("x.lock");
  const std::string counter = at("counter");
  const std::string add = "n=$(cat " + counter + "); echo $((n + 1)) > " + counter;
  std::ofstream(counter) << "0\n";
  const auto loop = [](int rounds, const std::string& body) {
    return "(for i in $(seq " + std::to_string(rounds) + "); do " + body + "; done) & ";
  };
  const std::string primitive = GetParam() == Primitive::hard_link ? "link" : "excl";
  const std::string ours = std::string(RWLEASE_CLI_PROGRAM) + " lockfile ";
  std::string all;
  all += loop(4, "dotlockfile -l -r -1 -i 1 " + lock + " && { " + add + "; dotlockfile -u " + lock + "; }");
  all += loop(4, "lockfile -1 " + lock + " && { " + add + "; rm -f " + lock + "; }");
  all += loop(8, ours + "run --primitive " + primitive + " -i 0.05 -r -1 " + lock + " -- sh -c '" + add + "'");
  all += loop(8, ours + "create --primitive " + primitive + " -i 0.05 -r -1 " + lock + " && { " + add + "; " + ours +
                     "remove --primitive " + primitive + " " + lock + "; }");
  all +=
      "perl -MFile::NFSLock -e '$File::NFSLock::LOCK_EXTENSION = \"\"; for (1 .. 4) { my $l = "
      "File::NFSLock->new({file => \"" +
      lock + "\", lock_type => 2}) or die; system(q(" + add + ")); $l->unlock }' & wait";
  ASSERT_EQ(shell(all), 0);
  long counted = 0;
  std::ifstream(counter) >> counted;
  EXPECT_EQ(counted, 4 + 4 + 8 + 8 + 4);
  EXPECT_FALSE(std::filesystem::exists(lock));
}

// A pid that is gone means death only where all are on one host.
TEST_P(BesideFiles, BarePidCountsOnASingleHostOnly) {
  ASSERT_EQ(shell("sh -c 'dotlockfile -p -l " + at("x.lock") + "; true'"), 0);
  Participant shared(at("x.lock"), words());
  EXPECT_EQ(shared.ask("owner").substr(0, 9), "pid file|");
  EXPECT_EQ(shared.ask("try"), "no");
  Participant local(at("x.lock"), words({"single_host=1"}));
  EXPECT_EQ(local.ask("try"), "yes");
}

// With the pid in its first line, dotlockfile -p finds a living owner however old the file is, and a dead one at once.
TEST_P(BesideFiles, DotlockfileFindsOurPidOnASingleHost) {
  Participant we(at("x.lock"), words({"single_host=1"}));
  we.ask("lock");
  make_old(at("x.lock"), std::chrono::minutes(10));
  EXPECT_NE(shell("dotlockfile -q -p -l -r 3 -i 1 " + at("x.lock")), 0);
  EXPECT_EQ(we.ask("locked"), "yes");
  we.kill_hard();
  EXPECT_EQ(shell("dotlockfile -q -p -l -r 0 " + at("x.lock")), 0);
}

// Where theirs is unsound: it removes a live lock because of its age. We find out, and leave theirs alone.
TEST_P(BesideFiles, TheirAgeRulesRemoveALiveLockAndWeFindOut) {
  for (const std::string& theirs :
       {std::string("dotlockfile -q -l -r 3 -i 1 "), std::string("lockfile -r1 -1 -l60 -s0 ")}) {
    Participant we(at("x.lock"), words());
    we.ask("lock");
    make_old(at("x.lock"), std::chrono::minutes(10));
    ASSERT_EQ(shell(theirs + at("x.lock") + " 2> /dev/null"), 0) << theirs;
    EXPECT_EQ(we.ask("locked"), "no");
    EXPECT_EQ(we.ask("unlock"), "already lost");
    EXPECT_TRUE(std::filesystem::remove(at("x.lock"))) << "theirs stands";
  }
}

// A heartbeat keeps a lock young for them.
TEST_P(BesideFiles, HeartbeatProtectsFromTheirAgeRules) {
  Participant we(at("x.lock"), words({"heartbeat=0.1"}));
  we.ask("lock");
  make_old(at("x.lock"), std::chrono::minutes(10));
  struct stat raw = {};
  const time_t begun = ::time(nullptr);
  do {
    ASSERT_EQ(::stat(at("x.lock").c_str(), &raw), 0);
  } while (raw.st_mtime < begun - 60 && ::time(nullptr) < begun + 30);
  EXPECT_NE(shell("dotlockfile -q -l -r 3 -i 1 " + at("x.lock")), 0);
  EXPECT_EQ(we.ask("locked"), "yes");
}

TEST_P(BesideFiles, ForeignFileIsWaitedOutWhenAsked) {
  ASSERT_EQ(shell("dotlockfile -l " + at("x.lock")), 0);
  Participant one(at("x.lock"), words({"foreign_stale=3", "timeout=20"}));
  Participant other(at("x.lock"), words({"foreign_stale=3", "timeout=0.5"}));
  EXPECT_EQ(other.refusal("lock").substr(0, 8), "LockBusy");
  EXPECT_EQ(one.ask("lock"), "yes");
}

TEST_P(BesideFiles, ClassicAgeRuleTakesAnOldFileAtOnce) {
  std::ofstream(at("x.lock")) << "0\n";
  make_old(at("x.lock"), std::chrono::minutes(10));
  Participant classic(at("x.lock"), words({"foreign_stale=60", "rule=age"}));
  EXPECT_EQ(classic.ask("try"), "yes");
  EXPECT_NE(classic.await("log").text.find("two may work at once"), std::string::npos);
}

class BesideMkdir : public Beside {};
INSTANTIATE_TEST_SUITE_P(By, BesideMkdir, testing::Values(Primitive::directory), name_of_primitive);

TEST_P(BesideMkdir, MkdirAndWeRespectEachOther) {
  Participant we(at("x.LOCK"), words());
  ASSERT_EQ(shell("mkdir " + at("x.LOCK")), 0);
  EXPECT_EQ(we.ask("try"), "no");
  ASSERT_EQ(shell("rmdir " + at("x.LOCK")), 0);
  EXPECT_EQ(we.ask("lock"), "yes");
  EXPECT_NE(shell("mkdir " + at("x.LOCK") + " 2> /dev/null"), 0);
  EXPECT_NE(shell("rmdir " + at("x.LOCK") + " 2> /dev/null"), 0) << "a live lock is not empty";
  EXPECT_EQ(we.ask("unlock"), "released");
  EXPECT_EQ(shell("mkdir " + at("x.LOCK")), 0);
}

TEST_P(BesideMkdir, BareDirectoryIsWaitedOutWhenAsked) {
  ASSERT_EQ(shell("mkdir " + at("x.LOCK")), 0);
  Participant never(at("x.LOCK"), words({"timeout=0.5"}));
  EXPECT_EQ(never.refusal("lock").substr(0, 8), "LockBusy");
  Participant one(at("x.LOCK"), words({"foreign_stale=3", "timeout=20"}));
  EXPECT_EQ(one.ask("lock"), "yes");
}

// A directory with files of another program in it: all of them, then the directory.
TEST_P(BesideMkdir, FurnishedDirectoryIsWaitedOutWhenAsked) {
  ASSERT_EQ(shell("mkdir " + at("x.LOCK") + " && date > " + at("x.LOCK/owner")), 0);
  Participant one(at("x.LOCK"), words({"foreign_stale=3", "timeout=25"}));
  EXPECT_EQ(one.ask("lock"), "yes");
}

TEST_P(BesideMkdir, MkdirLoopsAndWeCountRight) {
  const std::string lock = at("x.LOCK");
  const std::string counter = at("counter");
  const std::string add = "n=$(cat " + counter + "); echo $((n + 1)) > " + counter;
  std::ofstream(counter) << "0\n";
  const std::string bare = "(for i in $(seq 40); do until mkdir " + lock + " 2> /dev/null; do sleep 0.01; done; " +
                           add + "; rmdir " + lock + "; done) & ";
  const std::string ours = "(for i in $(seq 15); do " + std::string(RWLEASE_CLI_PROGRAM) +
                           " lockfile run --primitive mkdir -i 0.01 -r -1 " + lock + " -- sh -c '" + add +
                           "'; done) & ";
  ASSERT_EQ(shell(bare + bare + ours + ours + "wait"), 0);
  long counted = 0;
  std::ifstream(counter) >> counted;
  EXPECT_EQ(counted, 2 * 40 + 2 * 15);
}

// ---- the command

class Command : public Beside {
 protected:
  int command(const std::string& arguments) const {
    const std::string primitive = GetParam() == Primitive::hard_link   ? "link"
                                  : GetParam() == Primitive::directory ? "mkdir"
                                                                       : "excl";
    const std::size_t space = arguments.find(' ');
    return shell(std::string(RWLEASE_CLI_PROGRAM) + " lockfile " + arguments.substr(0, space) + " --primitive " +
                 primitive + arguments.substr(space) + " > " + at("out") + " 2> " + at("err"));
  }
  std::string said(const char* where) const {
    std::ostringstream text;
    text << std::ifstream(at(where)).rdbuf();
    return text.str();
  }
};
INSTANTIATE_TEST_SUITE_P(By, Command, testing::ValuesIn(primitives), name_of_primitive);

TEST_P(Command, LifeOfALockFile) {
  const std::string lock = at("x.lock");
  EXPECT_EQ(command("check " + lock), 1);
  EXPECT_EQ(command("create " + lock), 0);
  EXPECT_EQ(command("check " + lock), 0);
  EXPECT_NE(said("out").find("process "), std::string::npos);
  EXPECT_EQ(command("create -r 1 -i 0.05 " + lock), 124);
  EXPECT_NE(said("err").find("is held by"), std::string::npos) << said("err");
  EXPECT_EQ(command("create -q --timeout 0 " + lock), 124);
  EXPECT_EQ(said("err"), "");
  // Every std::system() is another shell, and so another caller.
  EXPECT_EQ(command("remove " + lock), 1);
  EXPECT_NE(said("err").find("--force"), std::string::npos) << said("err");
  EXPECT_EQ(command("remove --force " + lock), 0);
  EXPECT_EQ(command("check " + lock), 1);
  EXPECT_EQ(command("remove " + lock), 0) << "nothing there is no error";
}

TEST_P(Command, TheCallerTouchesAndRemovesItsOwn) {
  const std::string lock = at("x.lock");
  const std::string primitive = GetParam() == Primitive::hard_link   ? "link"
                                : GetParam() == Primitive::directory ? "mkdir"
                                                                     : "excl";
  const std::string ours = std::string(RWLEASE_CLI_PROGRAM) + " lockfile ";
  const std::string rest = " --primitive " + primitive + " --stale 60 " + lock;
  EXPECT_EQ(shell(ours + "create" + rest + " && " + ours + "touch" + rest + " && " + ours + "remove" + rest +
                  " && [ ! -e " + lock + " ]"),
            0);
}

TEST_P(Command, DeadCallersLockIsTakenOver) {
  const std::string lock = at("x.lock");
  EXPECT_EQ(command("create -p " + lock), 0);
  EXPECT_EQ(command("check -p " + lock), 1) << said("out");
  EXPECT_EQ(command("create --timeout 5 -i 0.05 " + lock), 0) << said("err");
}

TEST_P(Command, RunsACommandUnderIt) {
  const std::string lock = at("x.lock");
  EXPECT_EQ(command("run " + lock + " -- sh -c '[ -e " + lock + " ] && exit 7'"), 7);
  EXPECT_FALSE(std::filesystem::exists(lock));
  ASSERT_EQ(command("create " + lock), 0);
  EXPECT_EQ(command("run --timeout 0.1 " + lock + " -- true"), 124);
  EXPECT_EQ(command("run -r 1 -i 0.05 " + lock + " -- true"), 124);
}

// A command that goes on under a lock that was taken away is ended.
TEST_P(Command, EndsTheCommandWhenTheLockIsLost) {
  const std::string lock = at("x.lock");
  EXPECT_EQ(command("run --stale 2 --heartbeat 0.1 -i 0.1 " + lock + " -- sh -c 'rm -rf " + lock + "; sleep 60'"), 123);
}

TEST_P(Command, RefusesNonsense) {
  for (const char* arguments : {"create ", "steal x", "create x y", "create --timeout 1 -r 1 x", "create --stale -1 x",
                                "create -r many x", "run x", "create x -- true"}) {
    EXPECT_EQ(command(arguments), 125) << arguments;
  }
}

}  // namespace
}  // namespace rwlease::test
