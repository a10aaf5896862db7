// Traces that the library writes, told by `rwlease trace`.
#include "program.hpp"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <signal.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

namespace rwlease::test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

std::string content_of(const std::filesystem::path& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::function<void()> tracing_to(const std::filesystem::path& directory) {
  return [directory] { ::setenv("RWLEASE_TRACE", directory.c_str(), 1); };
}

// A reader holds, a writer claims and drains, the reader leaves, the writer is in.
void reader_then_writer(const Scratch& scratch, const std::filesystem::path& traces) {
  std::filesystem::create_directory(traces);
  Program reader(with_subject({"--read"}, scratch.path()), tracing_to(traces));
  reader.await_out("ready");
  Program writer({"run", "--label", "nightly build", scratch.path(), "--", "true"}, tracing_to(traces));
  writer.await_err("waiting");
  reader.send(SIGTERM);
  ASSERT_EQ(writer.finish().code, 0);
  reader.finish();
}

TEST(Trace, TellsWhoWaitedClaimedDrainedAndHeld) {
  const Scratch scratch;
  reader_then_writer(scratch, scratch / "traces");
  const Result result = run({"trace", scratch.path("traces")});
  EXPECT_EQ(result.code, 0) << result.err;
  std::size_t at = 0;
  for (const char* what : {"waits to read", "holds to read", "waits to write", "has claimed, drains 1 holder",
                           "released", "holds to write", "released"}) {
    at = result.out.find(what, at);
    EXPECT_NE(at, std::string::npos) << what << " in\n" << result.out;
    if (at == std::string::npos) return;
  }
}

TEST(Trace, BecomesOneForChrome) {
  const Scratch scratch;
  reader_then_writer(scratch, scratch / "traces");
  const Result result = run({"trace", "--chrome", scratch.path("out.json"), scratch.path("traces")});
  ASSERT_EQ(result.code, 0) << result.err;
  const json trace = json::parse(content_of(scratch / "out.json"));
  EXPECT_THAT(trace.dump(), AllOf(HasSubstr("\"drain\""), HasSubstr("\"hand over\""), HasSubstr("nightly build")));
}

TEST(Trace, NamesNoToken) {
  const Scratch scratch;
  const std::filesystem::path traces = scratch / "traces";
  std::filesystem::create_directory(traces);
  Program holder(with_subject({}, scratch.path()), tracing_to(traces));
  holder.await_out("ready");
  const std::string marker = only_entry(scratch.path() + ".rwlease/writer").filename();
  const std::string log = content_of(traces / listing(traces).at(0));
  EXPECT_THAT(log, AllOf(HasSubstr("held "), Not(HasSubstr(marker.substr(marker.rfind('.') + 1)))));
}

TEST(Trace, TellsOfALossToo) {
  const Scratch scratch;
  const std::filesystem::path traces = scratch / "traces";
  std::filesystem::create_directory(traces);
  Program holder(with_subject({"--lease", "2"}, scratch.path()), tracing_to(traces));
  holder.await_out("ready");
  std::filesystem::remove_all(scratch.path() + ".rwlease");
  EXPECT_EQ(holder.finish().code, 123);
  EXPECT_THAT(run({"trace", traces}).out, HasSubstr("lost after"));
}

TEST(Trace, IsNotWrittenUnlessAskedForAndNeverStopsALease) {
  const Scratch scratch;
  Program unable({"run", scratch.path(), "--", "true"}, tracing_to(scratch / "missing"));
  const Result result = unable.finish();
  EXPECT_EQ(result.code, 0);
  EXPECT_THAT(result.err, AllOf(HasSubstr("no trace is written"), HasSubstr(scratch.path("missing"))));
  EXPECT_EQ(run({"run", scratch.path(), "--", "true"}).code, 0);
  EXPECT_THAT(listing(scratch.directory()), Not(testing::Contains(HasSubstr("rwltrace"))));
}

TEST(Trace, LeavesOutEmptyAndHalfLogsWithANote) {
  const Scratch scratch;
  reader_then_writer(scratch, scratch / "traces");
  std::ofstream(scratch / "traces/empty.rwltrace").close();
  std::ofstream(scratch / "traces/half.rwltrace") << "rwlease-trace/1 host=a pid=1 boot=x real=1 mo";
  const Result result = run({"trace", scratch.path("traces")});
  EXPECT_EQ(result.code, 0);
  EXPECT_THAT(result.out, HasSubstr("holds to write"));
  EXPECT_THAT(result.err, AllOf(HasSubstr("empty.rwltrace is left out"), HasSubstr("half.rwltrace is left out")));
}

TEST(Trace, ForChromeGoesToStdoutToo) {
  const Scratch scratch;
  reader_then_writer(scratch, scratch / "traces");
  EXPECT_TRUE(json::accept(run({"trace", "--chrome", "-", scratch.path("traces")}).out));
  EXPECT_TRUE(json::accept(run({"trace", "--chrome", "/dev/stderr", scratch.path("traces")}).err)) << "not replaced";
}

TEST(Trace, OfWhatIsNoLogFails) {
  const Scratch scratch;
  std::ofstream(scratch.path()) << "hello\n";
  std::filesystem::create_directory(scratch / "empty");
  for (const char* name : {"data", "empty", "missing"}) {
    const Result result = run({"trace", scratch.path(name)});
    EXPECT_EQ(result.code, 125);
    EXPECT_THAT(result.out, IsEmpty());
    EXPECT_THAT(result.err, HasSubstr(scratch.path(name)));
  }
}

}  // namespace
}  // namespace rwlease::test
