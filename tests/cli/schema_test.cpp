// The JSON of the status against docs/status.schema.json.
#include "schema.hpp"
#include "program.hpp"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <signal.h>

#include <filesystem>
#include <fstream>

namespace rwlease::test {
namespace {

using nlohmann::json;

constexpr const char* schema_file = "status.schema.json";

std::string status_of(const std::vector<std::string>& paths) {
  std::vector<std::string> words{"status", "--json"};
  words.insert(words.end(), paths.begin(), paths.end());
  const Result result = run(words);
  EXPECT_EQ(result.code, 0) << result.err;
  return result.out;
}

TEST(StatusSchema, HoldsForALockWithEverythingInIt) {
  const Scratch scratch;
  Program reader(with_subject({"--read", "--label", "nightly"}, scratch.path()));
  reader.await_out("ready");
  Program writer({"run", scratch.path(), "--", "true"});
  writer.await_err("waiting");
  Program second({"run", scratch.path(), "--", "true"});
  second.await_err("waiting");
  std::ofstream(scratch.path() + ".rwlease/readers/foreign") << "x";
  std::ofstream(scratch.path() + ".rwlease/.left") << "x";
  const std::string text = status_of({scratch.path()});
  EXPECT_EQ(violations(text, schema_file), "");
  EXPECT_EQ(json::parse(text)["participants"].size(), 5U);
}

TEST(StatusSchema, HoldsForUnusedLocksAndForSeveral) {
  const Scratch scratch;
  EXPECT_EQ(violations(status_of({scratch.path()}), schema_file), "");
  EXPECT_EQ(violations(status_of({scratch.path("a"), scratch.path("b")}), schema_file), "");
}

// Keys may be added, but not behind the schema's back.
TEST(StatusSchema, NamesEveryKeyThatIsWritten) {
  const Scratch scratch;
  Program holder(with_subject({}, scratch.path()));
  holder.await_out("ready");
  std::ifstream file(std::string(RWLEASE_SOURCE_DIR) + "/docs/" + schema_file);
  const json definitions = json::parse(file)["definitions"];
  const json status = json::parse(status_of({scratch.path()}));
  for (const auto& [key, value] : status.items()) {
    EXPECT_TRUE(definitions["status"]["properties"].contains(key)) << key;
  }
  for (const auto& [key, value] : status["participants"][0].items()) {
    EXPECT_TRUE(definitions["participant"]["properties"].contains(key)) << key;
  }
}

TEST(StatusSchema, RefusesWhatIsNotAStatus) {
  const Scratch scratch;
  json status = json::parse(status_of({scratch.path()}));
  status["state"] = "broken";
  EXPECT_NE(violations(status.dump(), schema_file), "");
  status["state"] = "free";
  status.erase("fence");
  EXPECT_NE(violations(status.dump(), schema_file), "");
}

}  // namespace
}  // namespace rwlease::test
