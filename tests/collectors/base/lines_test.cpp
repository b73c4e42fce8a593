// Reading the lines of a file through a small buffer.
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "collectors/base/reading.h"
#include "tests/support/fakes/fake_host.h"

namespace evenkeel::test {
namespace {

constexpr std::size_t kAll = 4096;

std::vector<std::string> lines_of(const std::string& text, std::size_t most = kAll) {
  FakeHost fake;
  fake.file("proc/lines", text);
  const auto host = std::move(*Host::open(fake.root()));
  std::array<char, 8> buffer{};
  std::vector<std::string> lines;
  EXPECT_TRUE(collectors::for_each_line(host, "proc/lines", buffer, most,
                                        [&](std::string_view line) { lines.emplace_back(line); }));
  return lines;
}

using Lines = std::vector<std::string>;

TEST(Lines, AreGivenWhereverTheBufferEnds) {
  EXPECT_EQ(lines_of("a\nbcdef\n\nghijklm\nn\n"), (Lines{"a", "bcdef", "", "ghijklm", "n"}));
  EXPECT_EQ(lines_of("a\nno end"), (Lines{"a"}));
  EXPECT_EQ(lines_of(""), Lines{});
}

TEST(Lines, LongerThanTheBufferAreLeftOutAsAWhole) {
  for (const std::size_t length : {8U, 9U, 15U, 16U, 17U, 24U, 100U})
    EXPECT_EQ(lines_of("a\n" + std::string(length, 'x') + "\nb\n"), (Lines{"a", "b"})) << length;
  EXPECT_EQ(lines_of(std::string(20, 'x') + '\n' + std::string(20, 'y') + "\nb\n"), (Lines{"b"}));
}

TEST(Lines, BeyondTheLimitAreNotRead) {
  EXPECT_EQ(lines_of("a\nb\nc\nd\ne\nf\n", 4), (Lines{"a", "b", "c", "d"}));
}

}  // namespace
}  // namespace evenkeel::test
