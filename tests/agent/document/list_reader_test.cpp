// Lists that arrive in pieces: what is an item, what is left out, what is no list, and how little is kept.
#include "agent/document/list_reader.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/resident.h"
#include "tests/support/rounds.h"

namespace evenkeel {
namespace {

using document::ListReader;

struct Read {
  std::vector<std::string> names{}, too_long{};
  document::Parsed rest{};
  [[nodiscard]] std::string problem() const {
    return rest.problems.empty() ? "" : rest.problems.front().text();
  }
};

Read read(std::string_view text, std::size_t piece = SIZE_MAX, std::size_t longest = document::kLongestItem) {
  Read out;
  ListReader reader({.longest_item = longest},
                    {.item = [&](const auto& item) { out.names.push_back(item.text("name")); },
                     .too_long = [&](std::string_view begin) { out.too_long.emplace_back(begin); }});
  for (std::size_t at = 0; at < text.size(); at += std::min(piece, text.size()))
    if (!reader.add(text.substr(at, piece))) break;
  out.rest = reader.end();
  return out;
}

constexpr const char* kList =
    R"( {"kind":"List", "x": ["items", {"items":[{"name":"not one"}]}], "items" : [ {"name":"a\"]}{","of":[{"y":[]}]} , )"
    R"({"name":"b","z":"\\"}],"metadata":{"resourceVersion":"7"}} )";

TEST(ListReader, PassesOnItemsHoweverTheBytesArrive) {
  for (std::size_t piece = 1; piece < 40; ++piece) {
    const Read got = read(kList, piece);
    EXPECT_EQ(got.problem(), "") << piece;
    EXPECT_EQ(got.names, (std::vector<std::string>{"a\"]}{", "b"})) << piece;
    EXPECT_EQ(got.rest.root.text("kind"), "List");
    EXPECT_EQ(got.rest.root.find("items")->list()->size(), 2U);
    EXPECT_EQ(got.rest.root.find("metadata")->text("resourceVersion"), "7");
  }
}

TEST(ListReader, AnItemThatIsTooLongIsLeftOutAlone) {
  const std::string text =
      R"({"items":[{"name":"a"},{"name":"long","x":")" + std::string(100, 'x') + R"("},{"name":"c"}]})";
  for (const std::size_t piece : {std::size_t{7}, text.size()}) {
    const Read got = read(text, piece, 50);
    EXPECT_EQ(got.problem(), "");
    EXPECT_EQ(got.names, (std::vector<std::string>{"a", "c"}));
    ASSERT_EQ(got.too_long.size(), 1U);
    EXPECT_EQ(got.too_long[0], (R"({"name":"long","x":")" + std::string(100, 'x')).substr(0, 50));
  }
}

TEST(ListReader, WithoutItemsTheRestIsAll) {
  for (const char* text :
       {R"({"items":null})", R"({"items":[]})", R"({"kind":"Status"})", R"([{"items":[{}]}])"}) {
    const Read got = read(text);
    EXPECT_EQ(got.problem(), "") << text;
    EXPECT_TRUE(got.names.empty()) << text;
  }
}

TEST(ListReader, WhatIsNoListIsAProblem) {
  EXPECT_EQ(read(R"({"items":[{"name":"a"},{"name":}]})").problem().rfind("answer: items[1]: ", 0), 0U);
  for (const char* text : {"", "<html>", R"({"items":[{"name":"a"})", R"({"items":[{"name":"a"})",
                           R"({"items":[{} {}]})", R"({"items":[{},]})", R"({"items":[{}],"items":[{}]})",
                           R"({"items":[{}]}})", R"({"items":[{"a":]}]})"})
    EXPECT_NE(read(text).problem(), "") << text;
  for (const char* text : {R"({"items":[5]})", R"({"items":[{},"a"]})", R"({"\u0069tems":[{}]})"})
    EXPECT_EQ(read(text).problem(), "answer: items: found something else than objects") << text;
  EXPECT_EQ(read("{\"a\":\"" + std::string(2 << 20, 'x') + "\"}").problem(),
            "answer: found more than 1 MiB beside the items of a list");
}

TEST(ListReader, IsAsNewAfterTheEnd) {
  int items = 0;
  ListReader reader({}, {.item = [&](const auto&) { ++items; }, .too_long = [](std::string_view) {}});
  EXPECT_FALSE(reader.add(R"({"items":[{"a":]}]})"));
  EXPECT_FALSE(reader.end().problems.empty());
  EXPECT_TRUE(reader.add(R"({"items":[{"a":1},{"b)"));
  reader.begin();
  EXPECT_TRUE(reader.add(R"({"items":[{"a":1}]})"));
  EXPECT_TRUE(reader.end().problems.empty());
  EXPECT_EQ(items, 2);
}

/// As many of the largest objects as a node may have pods.
TEST(ListReader, KeepsOneItemOfAListOfManyMebibytes) {
  const std::string item = R"({"name":"a","env":[)" + std::string((3 << 19) - 40, ' ') + R"("x"]})";
  const long before = test::resident_kib();
  std::size_t items = 0;
  ListReader reader({}, {.item = [&](const auto&) { ++items; }, .too_long = [](std::string_view) {}});
  reader.add(R"({"items":[)");
  for (int i = 0; i < 110; ++i) {
    reader.add(item);
    reader.add(i < 109 ? "," : "]}");
  }
  EXPECT_TRUE(reader.end().problems.empty());
  EXPECT_EQ(items, 110U);
#ifndef EVENKEEL_WATCHED
  EXPECT_LT(test::resident_kib() - before, 16 * 1024) << "KiB, of 165 MiB";
#else
  static_cast<void>(before);  // sanitizers delay freeing memory
#endif
}

}  // namespace
}  // namespace evenkeel
