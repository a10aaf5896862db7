// `rwlease status` only looks: it needs no right to write, and leaves everything as it was.
#include "program.hpp"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <map>

namespace rwlease::test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;

constexpr uid_t nobody = 65534;

// Every entry with the times of its last changes.
std::map<std::string, std::string> times_below(const std::filesystem::path& directory) {
  std::map<std::string, std::string> times;
  for (const std::string& name : listing(directory)) {
    struct stat entry = {};
    ::lstat((directory / name).c_str(), &entry);
    const auto text = [](const timespec& time) {
      return std::to_string(time.tv_sec) + "." + std::to_string(time.tv_nsec);
    };
    times[name] = text(entry.st_mtim) + " " + text(entry.st_ctim);
  }
  return times;
}

void open_to_all_readers(const std::filesystem::path& directory) {
  constexpr auto readable = std::filesystem::perms(0555);
  std::filesystem::permissions(directory, readable);
  for (const auto& entry : std::filesystem::recursive_directory_iterator(directory)) {
    if (entry.is_directory() && !entry.is_symlink()) std::filesystem::permissions(entry.path(), readable);
  }
}

// A holder that dies without a trace leaves its marker.
void leave_a_dead_reader(const Scratch& scratch) {
  Program holder(with_subject({"--read", "--local"}, scratch.path()));
  holder.await_out("ready");
  holder.send(SIGKILL);
  holder.await_exit();
}

TEST(StatusLooksOnly, WithoutTheRightToWrite) {
  const Scratch scratch;
  leave_a_dead_reader(scratch);
  open_to_all_readers(scratch.directory());
  Program asking({"status", "--json", scratch.path()}, [] {
    if (::geteuid() == 0 && ::setuid(nobody) != 0) ::_exit(98);
  });
  const Result result = asking.finish();
  std::filesystem::permissions(scratch.directory(), std::filesystem::perms(0700));
  for (const char* name : {"data.rwlease", "data.rwlease/readers"}) {
    std::filesystem::permissions(scratch / name, std::filesystem::perms(0700));
  }
  ASSERT_EQ(result.code, 0) << result.err;
  const json status = json::parse(result.out);
  ASSERT_EQ(status["participants"].size(), 1U);
  EXPECT_EQ(status["participants"][0]["host"].is_string(), true);
}

TEST(StatusLooksOnly, AndChangesNothing) {
  const Scratch scratch;
  leave_a_dead_reader(scratch);
  const auto before = times_below(scratch.directory());
  const Result result = run({"status", scratch.path()});
  EXPECT_THAT(result.out, HasSubstr("held by 1 reader"));
  EXPECT_EQ(times_below(scratch.directory()), before);
}

TEST(StatusOfSeveral, ShowsTheOthersWhereOneFails) {
  const Scratch scratch;
  std::filesystem::create_directory_symlink("/tmp", scratch.path("b") + ".rwlease");
  const Result text = run({"status", scratch.path("a"), scratch.path("b"), scratch.path("c")});
  EXPECT_EQ(text.code, 125);
  EXPECT_EQ(text.out, scratch.path("a") + ": free (not used yet)\n\n" + scratch.path("c") + ": free (not used yet)\n");
  EXPECT_THAT(text.err, AllOf(HasSubstr(scratch.path("b")), HasSubstr("symlink")));
  const Result both = run({"status", "--json", scratch.path("a"), scratch.path("b"), scratch.path("c")});
  EXPECT_EQ(both.code, 125);
  EXPECT_EQ(json::parse(both.out).size(), 2U);
}

}  // namespace
}  // namespace rwlease::test
