// Every call of an acquire fails in every way: nothing stays behind, and the next acquire works.
#include "support/world.hpp"

#include <functional>
#include <memory>

namespace rwlease::test {
namespace {

using protocol::Attempt;
using protocol::Progress;

// One world for each failure.
struct Scene {
  World world;
  Actor& subject = world.join();
  Actor& other = world.join();
  std::optional<protocol::Grant> others;
};

struct Scenario {
  const char* name;
  bool writes;
  std::function<void(Scene&)> prepare;
};

void nobody(Scene&) {}
void a_writer(Scene& scene) { scene.others.emplace(scene.other.write()); }
void a_reader(Scene& scene) { scene.others.emplace(scene.other.read()); }

class FaultTest : public ::testing::TestWithParam<Scenario> {
 protected:
  // Steps past what fails; what is in the way goes after the first step.
  static void acquire(Scene& scene, const Verdict& verdict, int nth) {
    auto attempt = GetParam().writes ? scene.subject.writer() : scene.subject.reader();
    scene.subject.client.nth_call(nth, verdict);
    scene.subject.take_calls();
    bool held = false;
    for (int steps = 0; steps < 4 && !held; ++steps) {
      held = try_step(*attempt);
      if (scene.others) scene.other.release(*scene.others);
      scene.others.reset();
    }
    EXPECT_TRUE(held) << "one failure must not last";
  }

  static bool try_step(Attempt& attempt) {
    try {
      return attempt.step() == Progress::held;
    } catch (const Error& error) {
      EXPECT_FALSE(mentions_token(error.what())) << error.what();
      EXPECT_FALSE(error.path().empty());
      return false;
    }
  }

  // Then the entry stays for a lease; nothing can be done about that.
  static bool refuses_removal(const std::string& call, const Verdict& verdict) {
    const bool removes = call.compare(0, 7, "remove ") == 0 || call.compare(0, 6, "rmdir ") == 0;
    return removes && verdict.fate == Verdict::refused && !fs::Result(verdict.error).transient();
  }

  // False when there were fewer calls than that.
  static bool run(const Verdict& verdict, int nth) {
    Scene scene;
    GetParam().prepare(scene);
    acquire(scene, verdict, nth);
    const auto calls = scene.subject.take_calls();
    const bool reached = calls.size() >= static_cast<std::size_t>(nth);
    const std::string what = reached ? calls[static_cast<std::size_t>(nth) - 1] : "";
    if (!refuses_removal(what, verdict)) {
      const auto left = scene.world.leftovers();
      EXPECT_TRUE(left.empty()) << what << ", error " << verdict.error << ": " << ::testing::PrintToString(left);
      EXPECT_EQ(scene.other.writer()->step(), Progress::held) << what << ", error " << verdict.error;
    }
    for (const std::string& line : scene.world.log) EXPECT_FALSE(mentions_token(line)) << line;
    return reached;
  }
};

TEST_P(FaultTest, NothingStaysBehind) {
  for (const int error : {EINTR, EIO, ESTALE, ENOSPC, EDQUOT, EACCES, EROFS, ENAMETOOLONG, EMFILE, ETIMEDOUT, ELOOP}) {
    for (const auto fate : {Verdict::refused, Verdict::reply_lost}) {
      int nth = 1;
      while (run({fate, error}, nth)) ++nth;
      EXPECT_GT(nth, 3);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Each, FaultTest,
                         ::testing::Values(Scenario{"ReadAlone", false, nobody}, Scenario{"WriteAlone", true, nobody},
                                           Scenario{"ReadBehindAWriter", false, a_writer},
                                           Scenario{"WriteBehindAWriter", true, a_writer},
                                           Scenario{"WriteBehindAReader", true, a_reader}),
                         NameOfParameter());

}  // namespace
}  // namespace rwlease::test
