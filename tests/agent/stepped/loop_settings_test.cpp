// Tests the benches' table of settings (tests/support/scenes/loop_settings.h): it has a row for each policy,
// and each row is a NodeSLO that the agent accepts.
#include "tests/support/scenes/loop_settings.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "agent/config/nodeslo_config.h"
#include "qos/decide/policy.h"

namespace evenkeel::test {
namespace {

TEST(LoopSettings, EveryPolicyHasARow) {
  for (const auto* policy : decide::policies())
    EXPECT_EQ(std::ranges::count(loop_settings(), policy->name, &LoopSettings::name), 1)
        << "tests/support/scenes/loop_settings.cpp: what turns " << policy->name << " on by itself?";
}

TEST(LoopSettings, EachIsALegalNodeSlo) {
  auto rows = loop_settings();
  rows.push_back({"all", settings_of_all()});
  for (const auto& row : rows) {
    const auto text = nodeslo_of(row.settings);
    EXPECT_TRUE(config::parse_nodeslo(text, "f").problems.empty()) << row.name << ": " << text;
  }
}

TEST(LoopSettings, NothingIsEnabledWithoutThem) {
  const auto off = config::parse_nodeslo(nodeslo_of({}), "f").slo;
  EXPECT_FALSE(off.evenkeel.cpusets);
  EXPECT_FALSE(off.evenkeel.batch_resources);
  EXPECT_FALSE(off.threshold.enable);
}

}  // namespace
}  // namespace evenkeel::test
