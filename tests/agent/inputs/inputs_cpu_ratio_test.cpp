// Tests that a missing CPU normalization ratio is a notice of the NodeSLO, and is reported once.
#include <gtest/gtest.h>

#include "agent/inputs/inputs.h"

namespace evenkeel {
namespace {

TEST(InputsCpuRatio, IsANoticeWhileItIsMissingAndReportedOnce) {
  inputs::Inputs inputs({.nodeslo = "/nonexistent/nodeslo.yaml", .nodeslo_optional = true, .by_text = true});
  const auto notices = [&] { return inputs.states()[inputs::Inputs::kNodeSlo].notices; };
  inputs.refresh(MonoTime{});
  const auto before = notices();
  EXPECT_EQ(inputs.refresh(MonoTime{}, "no such model").no_cpu_ratio, "no such model");
  ASSERT_EQ(notices().size(), before.size() + 1);
  EXPECT_EQ(notices().back(), "no such model");
  const auto again = inputs.refresh(MonoTime{}, "no such model");
  EXPECT_EQ(again.no_cpu_ratio, "");
  EXPECT_FALSE(again.any()) << "nothing has to be joined again";
  EXPECT_EQ(inputs.refresh(MonoTime{}, "another").no_cpu_ratio, "another");
  EXPECT_EQ(inputs.refresh(MonoTime{}).no_cpu_ratio, "");
  EXPECT_EQ(notices(), before);
}

}  // namespace
}  // namespace evenkeel
