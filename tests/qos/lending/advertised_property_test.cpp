#include <gtest/gtest.h>

#include <random>

#include "qos/lending/advertised.h"
#include "tests/support/scenes/advertising_node.h"

namespace evenkeel {
namespace {

using std::chrono::seconds;
using test::AdvertisingNode;
using test::kGib;

/// Whatever happens: what is written covers the pods that the kubelet started, nothing rises while it is
/// unknown, nothing is written twice, only a drop is urgent, and less than pods hold never goes without
/// saying.
TEST(AdvertisedProperty, HoldsOverRandomHistories) {
  std::mt19937_64 random(1);
  const auto upto = [&](std::uint64_t most) { return static_cast<std::int64_t>(random() % (most + 1)); };
  int writes = 0;
  for (int history = 0; history < 300; ++history) {
    AdvertisingNode stage;
    stage.strategy.degrade_time_minutes = 1 + upto(3);
    for (int step = 0; step < 60; ++step) {
      stage.lend(upto(3) * 10000 + upto(2000), upto(4) * kGib);
      if (upto(3) == 0) stage.unknown("no");
      if (upto(5) == 0) stage.pods.clear();
      if (upto(3) == 0) stage.pod_holding(upto(9000), upto(2) * kGib);
      if (upto(20) == 0) stage.strategy.enable = !stage.strategy.enable;
      const auto before = stage.state.standing;
      const auto out = stage.after(seconds(upto(90)), upto(2) != 0);
      writes += out.write ? 1 : 0;
      ASSERT_EQ(out.write, out.amounts != before);
      for (std::size_t i = 0; i < lending::kLentCount; ++i) {
        const auto was = before[i].value_or(0);
        const auto is = out.amounts[i].value_or(0);
        if (!stage.lendable.batch_cpu || !stage.strategy.enable) {
          ASSERT_LE(is, was);
        }
        const bool computed = out.computed[i].has_value() && out.write;
        if (computed) {
          ASSERT_GE(is, lending::started_amounts(stage.pods)[i].value_or(0)) << out.why;
        }
        if (out.amounts[i] && is < out.held[i].value_or(0)) {
          ASSERT_TRUE(out.below_requested);
          ASSERT_NE(out.why.find(std::string(lending::kLentNames[i]) + ": "), std::string::npos) << out.why;
        }
      }
      const auto again = stage.after(seconds(0), false);
      ASSERT_FALSE(again.write || again.urgent) << again.why;
      ASSERT_EQ(again.amounts, out.amounts);
    }
  }
  EXPECT_GT(writes, 3000);
}

}  // namespace
}  // namespace evenkeel
