// The documentation's tables of levers and capabilities against the rows of the knob table. A failure prints
// the line that belongs into the page.
#include "tests/support/lever_docs.h"

#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <string>

namespace evenkeel::test {
namespace {

constexpr const char* kPage = "docs/levers.md";

std::set<std::string> lines_of_page() {
  std::ifstream in(std::string(EVENKEEL_SOURCE_DIR "/") + kPage);
  EXPECT_TRUE(in.good()) << kPage;
  std::set<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.insert(line);
  return lines;
}

TEST(LeverDocs, EveryLeverHasItsLine) {
  const auto page = lines_of_page();
  for (const auto& lever : knob_table())
    EXPECT_TRUE(page.contains(lever_line(lever))) << kPage << " lacks the line\n" << lever_line(lever);
}

TEST(LeverDocs, EveryCapabilityOfALeverHasItsLine) {
  const auto page = lines_of_page();
  for (const auto& lever : knob_table()) {
    const auto line = capability_line(lever);
    EXPECT_TRUE(line.empty() || page.contains(line)) << kPage << " lacks the line\n" << line;
  }
}

}  // namespace
}  // namespace evenkeel::test
