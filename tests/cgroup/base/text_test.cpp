#include "cgroup/base/text.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "cgroup/base/result.h"

namespace evenkeel {
namespace {

TEST(Text, AWholeNumberIsNothingButANumber) {
  EXPECT_EQ(whole_number("42\n"), 42);
  EXPECT_EQ(whole_number("  -1 \n"), -1);
  EXPECT_EQ(whole_number("9223372036854775807"), std::numeric_limits<std::int64_t>::max());
  for (const char* bad : {"", "\n", "max", "1 2", "1x", "0x10", "+1", "1.5", "--1", "9223372036854775808",
                          "99999999999999999999999", "\x01", "1\n2"})
    EXPECT_FALSE(whole_number(bad)) << bad;
  EXPECT_FALSE(whole_number(std::string_view("1\0", 2))) << "a binary tail";
}

TEST(Text, AScannerTakesWordsNumbersAndLinesInTurn) {
  Scanner scan("some avg10=1.50 total=7\nnext 3\n");
  EXPECT_EQ(scan.word(), "some");
  scan.skip_blanks();
  EXPECT_TRUE(scan.eat("avg10="));
  EXPECT_EQ(scan.decimal(), 1.5);
  EXPECT_FALSE(scan.eat("total=")) << "a blank stands before it";
  EXPECT_EQ(scan.line(), " total=7");
  EXPECT_EQ(scan.word(), "next");
  EXPECT_EQ(scan.number(), 3);
  EXPECT_FALSE(scan.number());
  EXPECT_EQ(scan.line(), "");
  EXPECT_TRUE(scan.done());
}

TEST(Text, WhatIsNoNumberIsLeftWhereItIs) {
  Scanner scan("99999999999999999999 x");
  EXPECT_FALSE(scan.number());
  EXPECT_EQ(scan.word(), "99999999999999999999");
}

TEST(Text, KeysOfMalformedLinesAreSkipped) {
  std::map<std::string, std::int64_t> seen;
  for_each_key("nr_periods 5\nbroken\nlate x\n\n 7\nhuge 99999999999999999999\nlast -3",
               [&](std::string_view key, std::int64_t value) { seen[std::string(key)] = value; });
  const std::map<std::string, std::int64_t> expected = {{"nr_periods", 5}, {"last", -3}};
  EXPECT_EQ(seen, expected);
}

TEST(Text, TrimmedHasNoBlanksAroundIt) {
  EXPECT_EQ(trimmed(" \ta b\r\n"), "a b");
  EXPECT_EQ(trimmed(" \n"), "");
}

TEST(Result, ErrorsHaveNames) {
  EXPECT_STREQ(errno_name(EINVAL), "EINVAL");
  EXPECT_STREQ(errno_name(ENODEV), "ENODEV");
  EXPECT_STREQ(errno_name(0), "E?");
  EXPECT_STREQ(errno_name(100000), "E?");
  EXPECT_STREQ(name(Op::watch), "watch");
}

}  // namespace
}  // namespace evenkeel
