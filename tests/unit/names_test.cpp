// Names of entries: what counts as a marker, and what may be shown of it.
#include "protocol/names.hpp"

#include <gtest/gtest.h>

namespace rwlease::protocol {
namespace {

const std::string token = "0123456789abcdef0123456789abcdef";

TEST(NamesTest, AMarkersNameReadsAsItWasWritten) {
  const MarkerId id{"node07", 4711, std::chrono::milliseconds(90'000), token};
  EXPECT_EQ(id.text(), "node07.4711.90000." + token);
  const auto parsed = MarkerId::parse(id.text());
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->host, "node07");
  EXPECT_EQ(parsed->pid, 4711);
  EXPECT_EQ(parsed->lease, std::chrono::milliseconds(90'000));
  EXPECT_EQ(parsed->token, token);
  EXPECT_EQ(parsed->shown(), "node07.4711");
}

class NotAMarkerTest : public ::testing::TestWithParam<std::string> {};

TEST_P(NotAMarkerTest, IsRefused) { EXPECT_FALSE(MarkerId::parse(GetParam())) << GetParam(); }

INSTANTIATE_TEST_SUITE_P(
    Hostile, NotAMarkerTest,
    ::testing::Values("", ".", "...", token, "." + token, "node." + token, "4711.90000." + token,
                      ".4711.90000." + token, "no de.1.90000." + token,
                      "n\xc3\xb6"
                      "de.1.90000." +
                          token,
                      "a.b.1.90000." + token, "node_1.1.90000." + token, "node\n.1.90000." + token,
                      std::string("no\0de", 5) + ".1.90000." + token, std::string(65, 'a') + ".1.90000." + token,
                      "node.0.90000." + token, "node.-1.90000." + token, "node.+1.90000." + token,
                      "node.01.90000." + token, "node. 1.90000." + token, "node.1x.90000." + token,
                      "node.4194305.90000." + token, "node.18446744073709551617.90000." + token, "node.1.0." + token,
                      "node.1.-5." + token, "node.1.086400." + token, "node.1.86400001." + token,
                      "node.1.99999999999999999999." + token, "node.1.90000." + token.substr(1),
                      "node.1.90000." + token + "0", "node.1.90000.0123456789ABCDEF0123456789ABCDEF",
                      "node.1.90000.0123456789abcdef0123456789abcdeg", "node.1.90000." + token + "."));

TEST(NamesTest, TheLimitsThemselvesAreFine) {
  EXPECT_TRUE(MarkerId::parse(std::string(64, 'a') + ".4194304.86400000." + token));
  EXPECT_TRUE(MarkerId::parse("-.1.1." + token));
}

TEST(NamesTest, AnyHostNameBecomesOneThatParses) {
  EXPECT_EQ(clean_host("node07"), "node07");
  EXPECT_EQ(clean_host("node07.cluster"), "node07-cluster");
  EXPECT_EQ(clean_host("n\xc3\xb6 de/\n"), "n---de--");
  EXPECT_EQ(clean_host(""), "unnamed");
  EXPECT_EQ(clean_host(std::string(300, 'x')), std::string(64, 'x'));
  for (const std::string& host :
       {std::string(), std::string(300, '.'), std::string("\0", 1), std::string("\xff\xfe")}) {
    EXPECT_TRUE(MarkerId::parse(MarkerId{clean_host(host), 1, std::chrono::milliseconds(1), token}.text()));
  }
}

TEST(NamesTest, FenceNumbers) {
  EXPECT_EQ(fence_path(7), "readers/.f.7");
  EXPECT_EQ(fence_number(".f.7"), 7U);
  EXPECT_EQ(fence_number(".f.18446744073709551615"), ~std::uint64_t{0});
  for (const char* other : {".f.", ".f.-1", ".f.07", ".f.7x", ".f.18446744073709551616", ".f", "7", "f.7", "..f.7"}) {
    EXPECT_FALSE(fence_number(other)) << other;
  }
}

TEST(NamesTest, WhatCountsAsAReader) {
  for (const char* other : {".w.x", ".o.x", ".f.7"}) EXPECT_FALSE(counts_as_reader(other)) << other;
  for (const std::string& one : {"node.1.90000." + token, std::string("x"), std::string(".x"), std::string(".nfs0001"),
                                 std::string(".f.x"), std::string(".p.x")}) {
    EXPECT_TRUE(counts_as_reader(one)) << one;
  }
}

TEST(NamesTest, PrefixesComeOff) {
  for (const char* prefix : {".", ".w.", ".o.", ".p.", ""}) EXPECT_EQ(without_prefix(std::string(prefix) + "x"), "x");
}

TEST(NamesTest, WhatIsShownHasNoTokenAndNoControlBytes) {
  const std::string id = "node07.4711.90000." + token;
  for (const char* prefix : {"", ".", ".w.", ".o.", ".p."}) EXPECT_EQ(shown_name(prefix + id), "node07.4711");
  EXPECT_EQ(shown_name("odd\nname\x1b[2J\xff"), "odd?name?[2J?");
  EXPECT_EQ(shown_name("node_07.4711.90000." + token), "node_07.4711.90000");
  EXPECT_EQ(shown_name(std::string(200, 'x')), std::string(80, 'x'));
}

// Cut to length, half a token would be left.
TEST(NamesTest, AnOverlongNameShowsNoPartOfAToken) {
  const std::string shown = shown_name(std::string(66, 'h') + "." + token);
  EXPECT_EQ(shown.find(token.substr(0, 8)), std::string::npos) << shown;
}

}  // namespace
}  // namespace rwlease::protocol
