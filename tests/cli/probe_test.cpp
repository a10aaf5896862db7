// `rwlease probe` on directories of this host.
#include "program.hpp"
#include "schema.hpp"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <cstdlib>
#include <filesystem>

namespace rwlease::test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* schema_file = "probe.schema.json";

Result probe_broken(const std::string& call, const std::vector<std::string>& arguments) {
  Program program(arguments, [&call] {
    ::setenv("LD_PRELOAD", RWLEASE_CLI_BREAKAGE_PROGRAM, 1);
    ::setenv("ASAN_OPTIONS", "verify_asan_link_order=0", 1);
    ::setenv("RWLEASE_BREAK", call.c_str(), 1);
  });
  return program.finish();
}

TEST(Probe, FindsALocalDirectoryUsableAndLeavesNothing) {
  const Scratch scratch;
  const Result result = run({"probe", scratch.directory()});
  EXPECT_EQ(result.code, 0) << result.out << result.err;
  EXPECT_THAT(result.err, IsEmpty());
  EXPECT_THAT(result.out, AllOf(HasSubstr("mount: "), HasSubstr("markers: "), HasSubstr("acquire_write"),
                                HasSubstr("advice: --interval"), testing::EndsWith("USABLE\n")));
  EXPECT_THAT(listing(scratch.directory()), IsEmpty());
}

TEST(Probe, WritesJsonAsTheSchemaHasIt) {
  const Scratch scratch;
  const std::string directory = scratch.directory();
  const Result result = run({"probe", "--json", directory, directory + "/."});
  ASSERT_EQ(result.code, 0) << result.out << result.err;
  EXPECT_EQ(violations(result.out, schema_file), "");
  const json found = json::parse(result.out);
  EXPECT_EQ(found["verdict"], "usable");
  EXPECT_EQ(found["directories"].size(), 2U);
  EXPECT_EQ(found["directories"][0]["costs"].size(), 4U);
  ASSERT_EQ(found["freshness"].size(), 2U) << "each way";
  EXPECT_GT(found["freshness"][0]["looks"].get<int>(), 0);
  EXPECT_THAT(found["notes"].dump(), HasSubstr("share one cache"));
}

TEST(Probe, RefusesDirectoriesThatAreNotOne) {
  const Scratch scratch;
  for (const char* name : {"a", "b"}) std::filesystem::create_directory(scratch / name);
  const Result result = run({"probe", scratch.path("a"), scratch.path("b")});
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.out, AllOf(HasSubstr("against: "), HasSubstr("not the same directory"), HasSubstr("UNUSABLE")));
  EXPECT_EQ(listing(scratch.directory()), (std::vector<std::string>{"a", "b"}));
}

TEST(Probe, RefusesAFileSystemThatLetsTwoWritersIn) {
  const Scratch scratch;
  const Result result = probe_broken("claim", {"probe", "--json", scratch.directory()});
  EXPECT_EQ(result.code, 1) << result.out;
  EXPECT_EQ(violations(result.out, schema_file), "");
  EXPECT_THAT(result.out, HasSubstr("refuse it onto one that is not empty"));
  EXPECT_THAT(listing(scratch.directory()), IsEmpty());
}

TEST(Probe, RefusesAFileSystemWithoutHeartbeats) {
  const Scratch scratch;
  const Result result = probe_broken("times", {"probe", "--json", scratch.directory()});
  EXPECT_EQ(result.code, 1) << result.out;
  EXPECT_EQ(violations(result.out, schema_file), "");
  EXPECT_THAT(result.out, HasSubstr("no heartbeats"));
  EXPECT_THAT(listing(scratch.directory()), IsEmpty());
}

TEST(Probe, OfADirectoryThatIsNotThereFails) {
  const Scratch scratch;
  const Result result = run({"probe", scratch.path("missing")});
  EXPECT_EQ(result.code, 125);
  EXPECT_THAT(result.err, AllOf(HasSubstr(scratch.path("missing")), HasSubstr("No such file")));
  EXPECT_THAT(result.out, IsEmpty());
}

}  // namespace
}  // namespace rwlease::test
