#include "agent/document/document.h"

#include <gtest/gtest.h>

#include "tests/support/malformed.h"

using namespace evenkeel;

namespace {

std::string first_problem(const document::Parsed& parsed) {
  return parsed.problems.empty() ? "(none)" : parsed.problems.front().text();
}
const document::Value& at(const document::Value& value, std::string_view key) {
  const auto* member = value.find(key);
  EXPECT_NE(member, nullptr) << key;
  return *member;
}
std::string place(document::Place p) { return std::to_string(p.line) + ':' + std::to_string(p.column); }

TEST(Document, YamlKeepsTextsQuotesPlacesAndOrder) {
  const auto parsed = document::parse_yaml("# head\nb: 010\na:\n  - \"x\"\n  - ~\n  - {k: yes}\n", "f");
  ASSERT_EQ(first_problem(parsed), "(none)");
  const auto& map = *parsed.root.map();
  EXPECT_EQ(map[0].first, "b");
  EXPECT_EQ(map[0].second.scalar()->text, "010") << "what a number is, is not the document's business";
  EXPECT_EQ(place(map[0].second.place), "2:4");
  EXPECT_EQ(place(map[1].second.key_place), "3:1");
  const auto& list = *map[1].second.list();
  EXPECT_TRUE(list[0].scalar()->quoted);
  EXPECT_TRUE(list[1].null());
  EXPECT_EQ(at(list[2], "k").scalar()->text, "yes");
  EXPECT_FALSE(at(list[2], "k").scalar()->quoted);
}

TEST(Document, JsonKeepsTextsAndPlaces) {
  const auto parsed =
      document::parse_json("{\n  \"a\": [1.50, \"\\u00e4\", null, true],\n  \"b\": {}\n}", "f");
  ASSERT_EQ(first_problem(parsed), "(none)");
  const auto& list = *at(parsed.root, "a").list();
  EXPECT_EQ(list[0].scalar()->text, "1.50");
  EXPECT_EQ(place(list[0].place), "2:9");
  EXPECT_EQ(list[1].scalar()->text, "ä");
  EXPECT_TRUE(list[1].scalar()->quoted);
  EXPECT_TRUE(list[2].null());
  EXPECT_EQ(list[3].scalar()->text, "true");
  EXPECT_EQ(place(at(parsed.root, "b").key_place), "3:3");
}

constexpr document::KeyFilter kInner[] = {{"x"}};
constexpr document::KeyFilter kSome[] = {{"a"}, {"list", kInner}};

TEST(Document, MembersAreFoundByTheirPath) {
  const auto root =
      document::parse_json(R"({"a":{"b":{"c":"x"},"list":[1,2],"none":null},"empty":[]})", "f").root;
  EXPECT_EQ(document::text_at(root, {"a", "b", "c"}), "x");
  EXPECT_EQ(document::text_at(root, {"a", "b"}), "") << "a map has no text";
  EXPECT_EQ(document::text_at(root, {"a", "b", "c", "d"}), "") << "beyond a scalar";
  EXPECT_EQ(document::value_at(root, {"a", "none"}), nullptr) << "null is as good as missing";
  EXPECT_EQ(document::value_at(root, {"a", "none", "c"}), nullptr);
  EXPECT_EQ(document::value_at(root, {}), &root);
  EXPECT_EQ(document::list_at(root, {"a", "list"}).value().size(), 2U);
  EXPECT_TRUE(document::list_at(root, {"empty"}).value().empty());
  EXPECT_TRUE(document::list_at(root, {"a", "none"}).value().empty());
  EXPECT_TRUE(document::list_at(root, {"nothing", "here"}).value().empty());
  EXPECT_FALSE(document::list_at(root, {"a", "b"})) << "a map is not a list";
}

TEST(Document, UnwantedMembersAreSkipped) {
  const auto parsed = document::parse_json(
      R"({"managed":{"a":[1,{"a":2}]},"a":{"any":["thing"]},"list":[{"x":1,"y":[{"x":2}]},{"y":3},null],"b":"{"})",
      "f", kSome);
  ASSERT_EQ(first_problem(parsed), "(none)");
  EXPECT_EQ(parsed.root.map()->size(), 2U);
  EXPECT_EQ(at(at(parsed.root, "a"), "any").list()->size(), 1U) << "no members named: all of them";
  const auto& list = *at(parsed.root, "list").list();
  ASSERT_EQ(list.size(), 3U);
  EXPECT_EQ(list[0].map()->size(), 1U);
  EXPECT_TRUE(list[1].map()->empty());
  EXPECT_TRUE(list[2].null());
}

TEST(Document, SkippedMembersDoNoHarm) {
  EXPECT_EQ(first_problem(document::parse_json(R"({"b":1,"b":2,"a":3})", "f", kSome)), "(none)")
      << "a key twice";
  EXPECT_NE(first_problem(document::parse_json(R"({"a":1,"a":2})", "f", kSome)), "(none)");
  const std::string deep(100'000, '[');
  EXPECT_NE(first_problem(document::parse_json("{\"b\":" + deep + "}", "f", kSome)), "(none)");
  document::parse_json("{\"b\":" + deep + std::string(100'000, ']') + ",\"a\":1}", "f",
                       kSome);  // may pass or fail, but must end
  for (const auto* bad : {R"({"b":)", R"({"b":"})", R"({"b":1)", R"({"b" 1})", R"({"a":1}})", R"({"b":1}x)"})
    EXPECT_NE(first_problem(document::parse_json(bad, "f", kSome)), "(none)") << bad;
}

TEST(Document, JsonIsTriedFirstAndFlowStyleYamlStillCounts) {
  EXPECT_EQ(first_problem(document::parse_document("{a: [1, 2]}", "f")), "(none)");
  EXPECT_EQ(first_problem(document::parse_document(" {\"a\": 1}", "f")), "(none)");
  EXPECT_EQ(first_problem(document::parse_document("a: 1", "f")), "(none)");
  EXPECT_NE(first_problem(document::parse_document("{\"a\": 1", "f")), "(none)");
}

struct BadText {
  const char* text;
  const char* problem;  ///< part of the message
};

TEST(Document, YamlProblemsHaveTheirPlace) {
  const std::vector<BadText> cases = {
      {"a: 1\nb: 2\na: 3\n", "f:3:1: the key 'a' occurs twice"},
      {"a: [1, 2\n", "f:"},
      {"a: b: c\n", "f:1:5"},
      {"a: \"never closed\n", "f:"},
      {"a: 'never closed", "f:"},
      {"? [1]\n: 2\n", "as a key"},
      {"a: *unknown\n", "f:1:4"},
      {"&a [*a]\n", "inside its own anchor"},
      {"a: !!binary aGk=\n", "the tag"},
      {"a: !mine x\n", "the tag"},
      {"a: 1\n---\nb: 2\n", "second document"},
      {"- a\nb\n", "second document"},
      {"\tb: 1\n  a: 2\n", "f:"},
      {"a: \"\\ud83d\"\n", "f:1:"},
      {"a: 1\n\x04 b: 2\n", "f:2:1: found a control character"},
  };
  for (const auto& c : cases)
    EXPECT_NE(first_problem(document::parse_yaml(c.text, "f")).find(c.problem), std::string::npos)
        << c.text << " gave " << first_problem(document::parse_yaml(c.text, "f"));
}

/// Found by fuzzing: yaml-cpp looped for ever on each of these.
TEST(Document, MisplacedYamlEndsTheParsing) {
  for (const auto* text : {",: Y & 2x\n", "]", "a: 1\n}\n", "}", ",", "{a: 1}u: 2}\n", "--- ]"})
    EXPECT_NE(first_problem(document::parse_yaml(text, "f")), "(none)") << text;
}

TEST(Document, JsonProblemsAreFound) {
  const std::vector<const char*> cases = {"",           "{",          "{\"a\":1,\"a\":2}",
                                          "{\"a\":1}}", "[1 2]",      "[01]",
                                          "[1.]",       "[+1]",       "[nul]",
                                          "[truex]",    "[1,]",       "{\"a\":1,}",
                                          "{a:1}",      "[\"\xff\"]", "[\"\\ud800\"]",
                                          "5",          "\"x\"",      "[[]",
                                          "[1]\n[2]",   "['a']",      "[NaN]",
                                          "[1e]",       "\"",         "{\"a\"}"};
  for (const auto* text : cases) EXPECT_NE(first_problem(document::parse_json(text, "f")), "(none)") << text;
}

TEST(Document, NumbersOfAnySizeAreKeptAsText) {
  const std::string big(5000, '9');
  const auto parsed = document::parse_json("[" + big + "]", "f");
  ASSERT_EQ(first_problem(parsed), "(none)");
  EXPECT_EQ((*parsed.root.list())[0].scalar()->text, big);
}

TEST(Document, EmptyTextsAreNull) {
  for (const auto* text : {"", "\n\n", "# only this\n", "---\n", "---\n...\n"}) {
    const auto parsed = document::parse_yaml(text, "f");
    EXPECT_EQ(first_problem(parsed), "(none)") << text;
    EXPECT_TRUE(parsed.root.null()) << text;
  }
}

TEST(Document, AliasesAreCopiesUntilTheyGrow) {
  const auto parsed = document::parse_yaml("a: &x {k: [1, 2]}\nb: *x\n", "f");
  ASSERT_EQ(first_problem(parsed), "(none)");
  EXPECT_EQ(at(at(parsed.root, "b"), "k").list()->size(), 2U);
  std::string bomb = "a: &a [x, x, x, x, x, x, x, x, x, x]\n";
  for (char c = 'b'; c < 'k'; ++c) {
    const std::string previous = std::string("*") + static_cast<char>(c - 1);
    bomb += std::string(1, c) + ": &" + c + " [" + previous;
    for (int i = 0; i < 9; ++i) bomb += ", " + previous;
    bomb += "]\n";
  }
  EXPECT_NE(first_problem(document::parse_yaml(bomb, "f")).find("grow beyond"), std::string::npos);
}

TEST(Document, AliasesCannotExceedTheNestingLimit) {
  std::string text = "a0: &a0 [x]\n";
  for (int i = 1; i < 100; ++i) {
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [*a" + std::to_string(i - 1) + "]\n";
  }
  EXPECT_NE(first_problem(document::parse_yaml(text, "f")).find("64 levels"), std::string::npos);
}

TEST(Document, NestingIsLimitedTo64Levels) {
  const auto nested = [](int depth) {
    return std::string(static_cast<std::size_t>(depth), '[') +
           std::string(static_cast<std::size_t>(depth), ']');
  };
  EXPECT_EQ(first_problem(document::parse_json(nested(64), "f")), "(none)");
  EXPECT_EQ(first_problem(document::parse_yaml(nested(64), "f")), "(none)");
  EXPECT_NE(first_problem(document::parse_json(nested(65), "f")).find("64 levels"), std::string::npos);
  EXPECT_NE(first_problem(document::parse_yaml(nested(65), "f")).find("64 levels"), std::string::npos);
  EXPECT_NE(first_problem(document::parse_json(std::string(2'000'000, '['), "f")), "(none)");
  EXPECT_NE(first_problem(document::parse_yaml(std::string(2'000'000, '['), "f")), "(none)");
}

TEST(Document, FiveMegabytesOfGarbageAreSurvived) {
  std::string noise;
  std::uint32_t state = 1;
  while (noise.size() < 5'000'000) {
    state = state * 1664525 + 1013904223;  // Numerical Recipes' generator: the same noise every time
    noise += static_cast<char>(state >> 24);
  }
  EXPECT_NE(first_problem(document::parse_yaml(noise, "f")), "(none)");
  EXPECT_NE(first_problem(document::parse_json(noise, "f")), "(none)");
  EXPECT_NE(first_problem(document::parse_document("{" + noise, "f")), "(none)");
  EXPECT_NE(first_problem(document::parse_yaml(std::string((16U << 20) + 1, 'a'), "f")).find("16 MiB"),
            std::string::npos);
}

TEST(Document, MalformedTextsGiveAProblemOrAPlainValue) {
  for (const auto& text : test::malformed_texts()) {
    EXPECT_NE(first_problem(document::parse_json(text, "f")), "(none)") << text.substr(0, 40);
    const auto yaml = document::parse_yaml(text, "f");
    EXPECT_TRUE(!yaml.problems.empty() || yaml.root.null() || yaml.root.scalar() != nullptr)
        << text.substr(0, 40);
  }
}

TEST(Document, EveryTruncationOfAnObjectIsAProblem) {
  const std::string json = R"({"a": [1, {"b": "c"}], "d": null})";
  for (const auto cut : test::truncations(json)) {
    if (cut.empty()) continue;  // an empty document
    EXPECT_NE(first_problem(document::parse_document(cut, "f")), "(none)") << cut;
  }
}

TEST(Document, DuplicatesAreFoundAmongManyKeys) {
  std::string text;
  for (int i = 0; i < 5000; ++i) text += "k" + std::to_string(i) + ": 1\n";
  EXPECT_EQ(first_problem(document::parse_yaml(text, "f")), "(none)");
  EXPECT_NE(first_problem(document::parse_yaml(text + "k17: 2\n", "f")).find("f:5001:1: the key 'k17'"),
            std::string::npos);
}

}  // namespace
