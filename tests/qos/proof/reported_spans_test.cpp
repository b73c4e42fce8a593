// Which figures count for a span of a trial, and when the span is complete.
#include <gtest/gtest.h>

#include "qos/proof/proof.h"
#include "tests/support/scenes/snapshot_builder.h"

namespace evenkeel {
namespace {

using std::chrono::seconds;

/// A node with two objectives, of which the figures are set by hand.
class Spans : public testing::Test {
 protected:
  Spans() {
    for (const double target : {2.0, 10.0}) {
      auto& one = slo.evenkeel.objectives.emplace_back();
      one.target = target;
      one.prometheus.quantile_percent = 99;
    }
    auto builder = test::node().cpus(1);
    node = builder.pod("web").ls().build();
    node.at = at(100);
    node.since_previous = seconds(1);
    node.objectives.resize(2);
  }
  static MonoTime at(int second) { return MonoTime(seconds(second)); }
  void report(std::size_t objective, double value, int since, int until) {
    node.at = std::max(node.at, at(until));
    node.objectives[objective] = {value, at(until), at(since), at(until)};
  }
  proof::ReportedStep take(int since) { return take_reported(node, slo, at(since), compared); }
  NodeSlo slo{};
  NodeSnapshot node{};
  std::vector<proof::ReportedSum> compared{};
};

TEST_F(Spans, AFigureThatReachesBeyondTheSpanDoesNotCount) {
  report(0, 1, 98, 100);
  begin_reported(node, slo, compared);
  ASSERT_EQ(compared.size(), 1U) << "the other one has no figure";
  EXPECT_FALSE(take(101).value) << "it was there before the span";
  report(0, 1, 100, 102);
  EXPECT_FALSE(take(101).value) << "it began before the span";
  report(0, 1, 102, 104);
  EXPECT_EQ(take(101).value, 0.5) << "half of the target";
  EXPECT_FALSE(take(101).value) << "a figure counts once";
}

TEST_F(Spans, ASpanLastsUntilEachServiceHasReported) {
  report(0, 1, 98, 100);
  report(1, 1, 98, 100);
  begin_reported(node, slo, compared);
  report(0, 1, 101, 103);
  EXPECT_FALSE(take(101).value);
  report(0, 3, 103, 105);
  report(1, 2, 101, 105);
  EXPECT_DOUBLE_EQ(take(101).value.value(), (1.0 + 0.2) / 2) << "means of multiples of the targets";
  node.at = at(120);
  EXPECT_TRUE(take(101).lost) << "older than staleAfter";
}

TEST_F(Spans, AServiceElsewhereIsNoEvidence) {
  report(0, 1, 98, 100);
  EXPECT_TRUE(proof::reported_pace(node, slo));
  slo.evenkeel.objectives[0].namespace_ = "elsewhere";
  EXPECT_FALSE(proof::reported_pace(node, slo));
}

TEST_F(Spans, APlainFigureIsComparedIfTheConfigurationSaysWhatItCovers) {
  EXPECT_EQ(proof::error_rate(slo), proof::kErrorRate / 2);
  for (auto& one : slo.evenkeel.objectives) one.prometheus = {};
  EXPECT_EQ(proof::error_rate(slo), proof::kErrorRate) << "nothing to correct for";
  slo.evenkeel.objectives[0].figure_covers = seconds(5);
  EXPECT_EQ(proof::error_rate(slo), proof::kErrorRate / 2);
  EXPECT_FALSE(proof::reported_pace(node, slo));
  report(0, 1, 95, 100);
  const auto pace = proof::reported_pace(node, slo);
  ASSERT_TRUE(pace);
  EXPECT_EQ(pace->ticks, 5 + 10 + 3) << "a file may change as seldom as staleAfter says";
}

}  // namespace
}  // namespace evenkeel
