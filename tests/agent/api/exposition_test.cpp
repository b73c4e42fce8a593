// Tests the text of metrics.
#include <gtest/gtest.h>

#include "agent/api/metrics.h"

namespace evenkeel::test {
namespace {

std::size_t count(const std::string& text, std::string_view part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

TEST(Exposition, EachFamilyIsOnePieceHoweverManySamplesItHas) {
  constexpr int kMany = 1000;
  api::Exposition out(10000);
  for (int i = 0; i < kMany; ++i) {
    out.gauge("a", "Help of a.", i, {{"of", std::to_string(i)}});
    out.counter("b_total", "# Help of b.", i, {{"of", std::to_string(i)}});
  }
  const std::vector<double> bounds = {1};
  const std::vector<std::uint64_t> counts = {2, 1};
  out.histogram("c", "", bounds, counts, 7);
  std::string expected = "# HELP a Help of a.\n# TYPE a gauge\n";
  for (int i = 0; i < kMany; ++i)
    expected += "a{of=\"" + std::to_string(i) + "\"} " + std::to_string(i) + "\n";
  expected += "# HELP b_total # Help of b.\n# TYPE b_total counter\n";
  for (int i = 0; i < kMany; ++i)
    expected += "b_total{of=\"" + std::to_string(i) + "\"} " + std::to_string(i) + "\n";
  const std::string text = out.text();
  EXPECT_TRUE(text.starts_with(expected)) << text.substr(0, 200);
  EXPECT_EQ(count(text, "# TYPE c histogram\n"), 1U);
  EXPECT_EQ(count(text, "c_bucket{le=\"+Inf\"} 3\n"), 1U);
  EXPECT_EQ(out.text(), text) << "it can be asked for again";
  EXPECT_EQ(out.dropped(), 0U);
}

TEST(Exposition, SamplesBeyondTheCapAreLeftOutAndCounted) {
  api::Exposition out(2);
  for (int i = 0; i < 5; ++i) out.gauge("a", "", i, {{"of", std::to_string(i)}});
  EXPECT_EQ(count(out.text(), "a{"), 2U);
  EXPECT_EQ(out.dropped(), 3U);
}

}  // namespace
}  // namespace evenkeel::test
