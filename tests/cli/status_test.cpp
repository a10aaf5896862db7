// `rwlease status` on real locks.
#include "program.hpp"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <signal.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace rwlease::test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

json status_of(const Scratch& scratch) {
  const Result result = run({"status", "--json", scratch.path()});
  EXPECT_EQ(result.code, 0) << result.err;
  return json::parse(result.out);
}

TEST(StatusJson, OfALockThatNobodyUsedIsFree) {
  const Scratch scratch;
  const json status = status_of(scratch);
  EXPECT_EQ(status["schema"], "rwlease-status/1");
  EXPECT_EQ(status["path"], scratch.path());
  EXPECT_EQ(status["exists"], false);
  EXPECT_EQ(status["state"], "free");
  EXPECT_EQ(status["fence"], 0);
  EXPECT_EQ(status["participants"], json::array());
  EXPECT_THAT(listing(scratch.directory()), IsEmpty()) << "asking changes nothing";
}

TEST(StatusJson, OfAReleasedLockIsFreeAndKeepsTheFence) {
  const Scratch scratch;
  run({"run", scratch.path(), "--", "true"});
  const json status = status_of(scratch);
  EXPECT_EQ(status["exists"], true);
  EXPECT_EQ(status["state"], "free");
  EXPECT_EQ(status["writer_stands"], false);
  EXPECT_GT(status["fence"].get<std::uint64_t>(), 0U);
}

// What acquire would refuse must not read as a free lock.
TEST(StatusJson, OfASymlinkInTheLockDirectorysPlaceIsAnError) {
  const Scratch scratch;
  std::filesystem::create_directory_symlink("/tmp", scratch.path() + ".rwlease");
  const Result result = run({"status", "--json", scratch.path()});
  EXPECT_EQ(result.code, 125);
  EXPECT_THAT(result.err, HasSubstr("symlink"));
}

TEST(StatusJson, TellsWhoWrites) {
  const Scratch scratch;
  Program holder(with_subject({"--label", "nightly", "--lease", "45", "--local"}, scratch.path()),
                 [] { ::setenv("SLURM_JOB_ID", "77", 1); });
  holder.await_out("ready");
  const json status = status_of(scratch);
  EXPECT_EQ(status["state"], "write");
  EXPECT_EQ(status["writer_stands"], true);
  ASSERT_EQ(status["participants"].size(), 1U);
  const json& writer = status["participants"][0];
  EXPECT_EQ(writer["mode"], "write");
  EXPECT_EQ(writer["phase"], "holding");
  EXPECT_EQ(writer["pid"], holder.pid());
  EXPECT_EQ(writer["uid"], ::geteuid());
  EXPECT_EQ(writer["job"], "77");
  EXPECT_EQ(writer["label"], "nightly");
  EXPECT_EQ(writer["lease_seconds"], 45.0);
  EXPECT_EQ(writer["sole"], true);
  EXPECT_EQ(writer["readable"], true);
  EXPECT_EQ(writer["liveness"], "alive");
  EXPECT_THAT(writer["since"].get<std::string>(), testing::MatchesRegex("....-..-..T..:..:..\\....Z"));
  EXPECT_THAT(writer["last_heartbeat"].get<std::string>(), testing::MatchesRegex("....-..-..T..:..:..\\....Z"));
  EXPECT_GE(writer["heartbeat_age_seconds"].get<double>(), 0.0);
  EXPECT_LT(writer["heartbeat_age_seconds"].get<double>(), 45.0);
  EXPECT_THAT(writer["name"].get<std::string>(), testing::StartsWith("writer/"));
  const std::string name = writer["name"];
  EXPECT_EQ(name.substr(name.find('/') + 1), writer["host"].get<std::string>() + "." + std::to_string(holder.pid()));
}

TEST(StatusJson, WithoutLocalTheWriterIsNotSole) {
  const Scratch scratch;
  Program holder(with_subject({}, scratch.path()));
  holder.await_out("ready");
  EXPECT_EQ(status_of(scratch)["participants"][0]["sole"], false);
}

TEST(StatusJson, TellsReadersAndTheWriterThatWaitsForThem) {
  const Scratch scratch;
  Program first(with_subject({"--read"}, scratch.path()));
  first.await_out("ready");
  Program second(with_subject({"--read"}, scratch.path()));
  second.await_out("ready");
  EXPECT_EQ(status_of(scratch)["writer_stands"], false);
  Program writer({"run", "--write", scratch.path(), "--", "true"});
  writer.await_err("waiting");
  const json status = status_of(scratch);
  EXPECT_EQ(status["state"], "read");
  EXPECT_EQ(status["writer_stands"], true);
  ASSERT_EQ(status["participants"].size(), 3U);
  EXPECT_EQ(status["participants"][0]["phase"], "draining") << "writers first";
  EXPECT_EQ(status["participants"][0]["pid"], writer.pid());
  EXPECT_EQ(status["participants"][1]["mode"], "read");
  EXPECT_EQ(status["participants"][2]["mode"], "read");
}

TEST(StatusJson, NeverHasAToken) {
  const Scratch scratch;
  Program holder(with_subject({}, scratch.path()));
  holder.await_out("ready");
  const std::string marker = only_entry(scratch.path() + ".rwlease/writer").filename();
  const std::string token = marker.substr(marker.rfind('.') + 1);
  ASSERT_EQ(token.size(), 32U);
  EXPECT_THAT(run({"status", "--json", scratch.path()}).out, Not(HasSubstr(token)));
  EXPECT_THAT(run({"status", scratch.path()}).out, Not(HasSubstr(token)));
}

// What no terminal should get: control bytes but for the ends of lines.
std::string control_bytes(const std::string& text) {
  std::string found;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte < 0x20 && c != '\n') || byte == 0x7f) found += c;
  }
  return found;
}

TEST(Status, NeverLetsForeignNamesReachTheTerminalRaw) {
  const Scratch scratch;
  run({"run", "--read", scratch.path(), "--", "true"});
  const std::string hostile =
      "\x1b]0;owned\x07 \x7f\x9b"
      "31m\r\n";
  std::ofstream(scratch.path() + ".rwlease/readers/" + hostile) << "\x1b[2J";
  for (const auto& arguments : {std::vector<std::string>{"status"}, {"status", "--json"}}) {
    std::vector<std::string> words = arguments;
    words.push_back(scratch.path());
    const Result result = run(words);
    EXPECT_EQ(result.code, 0);
    EXPECT_THAT(result.out, HasSubstr("owned"));
    EXPECT_EQ(control_bytes(result.out), "");
  }
  const Result waiter = run({"run", "--timeout", "1.5", scratch.path(), "--", "true"});
  EXPECT_EQ(waiter.code, 124);
  EXPECT_THAT(waiter.err, HasSubstr("owned"));
  EXPECT_EQ(control_bytes(waiter.err), "");
}

TEST(StatusText, SaysItInOneLineWhereNobodyHolds) {
  const Scratch scratch;
  EXPECT_EQ(run({"status", scratch.path()}).out, scratch.path() + ": free (not used yet)\n");
}

TEST(StatusText, ListsWhoHolds) {
  const Scratch scratch;
  Program holder(with_subject({"--read", "--label", "nightly"}, scratch.path()));
  holder.await_out("ready");
  const Result result = run({"status", scratch.path()});
  EXPECT_EQ(result.code, 0);
  EXPECT_THAT(result.err, IsEmpty());
  EXPECT_THAT(result.out, AllOf(HasSubstr(": held by 1 reader\n"), HasSubstr("HOST"), HasSubstr("nightly"),
                                HasSubstr(std::to_string(holder.pid())), HasSubstr("alive")));
}

void use_once(const Scratch& scratch) { ASSERT_EQ(run({"run", "--read", scratch.path(), "--", "true"}).code, 0); }

// Of stderr, without the program's name and the end of the line.
std::string complaint_of_run(const Scratch& scratch) {
  const Result result = run({"run", scratch.path(), "--", "true"});
  EXPECT_EQ(result.code, 125);
  const std::string begin = "rwlease: ";
  EXPECT_EQ(result.err.substr(0, begin.size()), begin);
  return result.err.substr(begin.size(), result.err.size() - begin.size() - 1);
}

void expect_told_as_by_run(const Scratch& scratch) {
  const std::string complaint = complaint_of_run(scratch);
  const auto before = listing(scratch.directory());
  EXPECT_EQ(status_of(scratch)["refusal"], complaint);
  const Result text = run({"status", scratch.path()});
  EXPECT_EQ(text.code, 0) << "it was found out";
  EXPECT_THAT(text.out, HasSubstr(", but 'rwlease run' refuses it"));
  EXPECT_THAT(text.out, HasSubstr("\nrefused: " + complaint + "\n"));
  EXPECT_EQ(listing(scratch.directory()), before);
}

TEST(StatusOfARefusedDirectory, SaysWhatRunSaysOfAMode) {
  const Scratch scratch;
  use_once(scratch);
  EXPECT_TRUE(status_of(scratch)["refusal"].is_null());
  const std::filesystem::path directory = scratch.path() + ".rwlease";
  for (const unsigned mode : {0777U, 0755U, 0720U}) {
    std::filesystem::permissions(directory, std::filesystem::perms(mode));
    expect_told_as_by_run(scratch);
    EXPECT_EQ(std::filesystem::status(directory).permissions(), std::filesystem::perms(mode));
  }
}

TEST(StatusOfARefusedDirectory, SaysNothingWhereAGroupSharesIt) {
  const Scratch scratch;
  ASSERT_EQ(run({"run", "--group", scratch.path(), "--", "true"}).code, 0);
  EXPECT_TRUE(status_of(scratch)["refusal"].is_null());
}

TEST(StatusOfARefusedDirectory, SaysWhatRunSaysOfAnOwner) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give a directory away";
  const Scratch scratch;
  use_once(scratch);
  constexpr uid_t nobody = 65534;
  ASSERT_EQ(::chown((scratch.path() + ".rwlease").c_str(), nobody, static_cast<gid_t>(-1)), 0);
  expect_told_as_by_run(scratch);
}

TEST(StatusOfARefusedDirectory, SaysWhatRunSaysOfWhatIsInIt) {
  const Scratch scratch;
  const std::filesystem::path directory = scratch.path() + ".rwlease";
  std::filesystem::create_directory(directory);
  std::filesystem::permissions(directory, std::filesystem::perms::owner_all);
  std::ofstream(directory / "readers") << "x";
  expect_told_as_by_run(scratch);
}

// Where there is no directory to look into, the look itself is refused, in the same words.
TEST(StatusOfARefusedDirectory, FailsAsRunDoesWhereThereIsNone) {
  const Scratch scratch;
  const std::string directory = scratch.path() + ".rwlease";
  std::filesystem::create_directory_symlink("/tmp", directory);
  for (const bool symlink : {true, false}) {
    if (!symlink) {
      std::filesystem::remove(directory);
      std::ofstream(directory) << "x";
    }
    const Result result = run({"status", "--json", scratch.path()});
    EXPECT_EQ(result.code, 125);
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(result.err, "rwlease: " + complaint_of_run(scratch) + "\n");
  }
}

TEST(Status, ThatCannotBeFoundOutIsAFailure) {
  const Scratch scratch;
  std::ofstream(scratch.path() + ".rwlease") << "not a directory";
  const Result result = run({"status", scratch.path()});
  EXPECT_EQ(result.code, 125);
  EXPECT_THAT(result.out, IsEmpty());
  EXPECT_THAT(result.err, HasSubstr(scratch.path()));
}

}  // namespace
}  // namespace rwlease::test
