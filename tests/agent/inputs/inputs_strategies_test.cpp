// Tests nodeStrategies in the inputs: when the Node's labels are known, change, or come from a server.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "agent/inputs/inputs.h"
#include "tests/support/state_dir.h"

namespace evenkeel::test {
namespace {

using std::chrono::seconds;

MonoTime at(int second) { return MonoTime(seconds(second)); }

pods::NodeFile node_of(const std::string& labels) {
  return pods::parse_node(R"({"kind":"Node","metadata":{"name":"n","labels":{)" + labels + "}}}", "answer",
                          pods::Source::server);
}
constexpr const char* kBatch = R"("pool":"batch")";
constexpr const char* kPools =
    "resourceUsedThresholdWithBE: {enable: true, cpuSuppressThresholdPercent: 60}\nnodeStrategies:\n"
    "- nodeSelector: {matchLabels: {pool: batch}}\n"
    "  resourceUsedThresholdWithBE: {cpuSuppressThresholdPercent: 90}\n";

class PooledInputs : public testing::Test {
 protected:
  PooledInputs() { write(kPools); }
  void write(const std::string& text) const { std::ofstream(path_) << text; }
  [[nodiscard]] inputs::Inputs::Options options(const std::string& node_url = {}) const {
    return {.nodeslo = path_, .node_url = node_url, .by_text = true};
  }
  static Percent threshold(const inputs::Inputs& inputs) {
    return inputs.slo()->threshold.cpu_suppress_threshold_percent;
  }
  StateDir dir_{};
  std::string path_ = dir_.path + "/nodeslo.yaml";
};

TEST_F(PooledInputs, WithoutANodeTheCommonSettingsApplyAndItIsSaid) {
  inputs::Inputs inputs(options());
  const auto changed = inputs.refresh(at(0));
  EXPECT_EQ(threshold(inputs), Percent(60));
  ASSERT_EQ(changed.pools.size(), 1U);
  EXPECT_NE(changed.pools[0].find("the labels of the Node are not known"), std::string::npos);
  EXPECT_EQ(inputs.states()[0].notices, changed.pools) << "for /readyz and evenkeel explain";
  EXPECT_TRUE(inputs.states()[0].usable);
  const auto later = inputs.refresh(at(1));
  EXPECT_FALSE(later.any());
  EXPECT_TRUE(later.pools.empty()) << "it was said";
}

TEST_F(PooledInputs, TheFirstAnswerAboutTheNodeIsAwaited) {
  inputs::Inputs inputs(options("https://a/n"));
  const auto first = inputs.refresh(at(0));
  EXPECT_FALSE(inputs.slo()->threshold.enable) << "the settings of other nodes must not apply meanwhile";
  ASSERT_EQ(first.pools.size(), 1U);
  EXPECT_NE(first.pools[0].find("when the API server has answered"), std::string::npos);
  inputs.deliver(node_of(kBatch), at(1));
  const auto second = inputs.refresh(at(1));
  EXPECT_TRUE(second.nodeslo);
  EXPECT_EQ(threshold(inputs), Percent(90));
  EXPECT_TRUE(inputs.slo()->threshold.enable);
  ASSERT_EQ(second.pools.size(), 1U);
  EXPECT_NE(second.pools[0].find("applies to resourceUsedThresholdWithBE"), std::string::npos);
}

TEST_F(PooledInputs, AServerThatFailsIsNotAwaited) {
  inputs::Inputs inputs(options("https://a/n"));
  inputs.refresh(at(0));
  inputs.trouble(inputs::Inputs::kNode, "Connection refused");
  EXPECT_TRUE(inputs.refresh(at(1)).nodeslo);
  EXPECT_EQ(threshold(inputs), Percent(60));
  EXPECT_TRUE(inputs.slo()->threshold.enable) << "services are protected by the common settings";
  inputs.deliver(node_of(kBatch), at(60));
  EXPECT_TRUE(inputs.refresh(at(60)).nodeslo);
  EXPECT_EQ(threshold(inputs), Percent(90));
  inputs.trouble(inputs::Inputs::kNode, "Connection refused");
  EXPECT_FALSE(inputs.refresh(at(61)).nodeslo);
  EXPECT_EQ(threshold(inputs), Percent(90)) << "the last labels count";
}

TEST_F(PooledInputs, ChangedLabelsChooseAgain) {
  inputs::Inputs inputs(options("https://a/n"));
  inputs.deliver(node_of(kBatch), at(0));
  inputs.refresh(at(0));
  EXPECT_EQ(threshold(inputs), Percent(90));
  inputs.deliver(node_of(R"("pool":"web")"), at(1));
  EXPECT_TRUE(inputs.refresh(at(1)).nodeslo);
  EXPECT_EQ(threshold(inputs), Percent(60));
  inputs.deliver(node_of(R"("pool":"web")"), at(2));
  EXPECT_FALSE(inputs.refresh(at(2)).nodeslo) << "the same labels";
}

TEST_F(PooledInputs, ABadFileKeepsTheLastAlsoForNewLabels) {
  inputs::Inputs inputs(options("https://a/n"));
  inputs.deliver(node_of(kBatch), at(0));
  inputs.refresh(at(0));
  write("nodeStrategies:\n- {nodeSelector: {matchLabels: {pool: -}}}\n");
  const auto refused = inputs.refresh(at(1));
  ASSERT_EQ(refused.problems.size(), 1U);
  EXPECT_NE(refused.problems[0].find("nodeStrategies[0].nodeSelector"), std::string::npos);
  EXPECT_EQ(threshold(inputs), Percent(90));
  EXPECT_FALSE(inputs.states()[0].usable);
  inputs.deliver(node_of(""), at(2));
  EXPECT_TRUE(inputs.refresh(at(2)).nodeslo);
  EXPECT_EQ(threshold(inputs), Percent(60)) << "the last valid file, with the new labels";
  EXPECT_FALSE(inputs.states()[0].usable) << "the newest file is still not valid";
  write(kPools);
  EXPECT_EQ(inputs.refresh(at(3)).recovered, std::vector<std::string>{"nodeslo"});
}

/// On a node with both labels the second entry requests more than the first one has.
constexpr const char* kApart =
    "systemStrategy: {totalNetworkBandwidth: 1G}\nnodeStrategies:\n"
    "- {nodeSelector: {matchLabels: {a: x}}, systemStrategy: {totalNetworkBandwidth: 100M}}\n"
    "- {nodeSelector: {matchLabels: {b: x}}, resourceQOSStrategy: {lsClass: {networkQOS: {egressRequest: "
    "500M}}}}\n"
    "- {nodeSelector: {}, resourceUsedThresholdWithBE: {enable: true, cpuSuppressThresholdPercent: 70}}\n";
constexpr const char* kBoth = R"("a":"x","b":"x")";
constexpr const char* kOne = R"("a":"x")";

TEST_F(PooledInputs, AFileThatOnlyTheLabelsRefuseIsTriedAgainWithOthers) {
  for (const char* in_force : {kPools, "resourceUsedThresholdWithBE: {cpuSuppressThresholdPercent: 60}\n"}) {
    write(in_force);
    inputs::Inputs inputs(options("https://a/n"));
    inputs.deliver(node_of(kBoth), at(0));
    inputs.refresh(at(0));
    EXPECT_EQ(threshold(inputs), Percent(60));
    write(kApart);
    const auto refused = inputs.refresh(at(1));
    ASSERT_EQ(refused.problems.size(), 1U);
    EXPECT_NE(refused.problems[0].find("totalNetworkBandwidth"), std::string::npos) << refused.problems[0];
    EXPECT_EQ(threshold(inputs), Percent(60));
    EXPECT_TRUE(inputs.refresh(at(2)).problems.empty()) << "it was said";
    inputs.deliver(node_of(std::string(kBoth) + R"(,"pool":"batch")"), at(2));
    EXPECT_EQ(inputs.refresh(at(2)).problems.size(), 1U) << "with these neither";
    EXPECT_FALSE(inputs.states()[0].usable);
    inputs.deliver(node_of(kOne), at(3));
    const auto taken = inputs.refresh(at(3));
    EXPECT_TRUE(taken.nodeslo);
    EXPECT_EQ(taken.recovered, std::vector<std::string>{"nodeslo"});
    EXPECT_EQ(threshold(inputs), Percent(70));
    EXPECT_TRUE(inputs.states()[0].usable);
    EXPECT_FALSE(inputs.refresh(at(4)).any());
  }
}

TEST_F(PooledInputs, ARefusedFileThatWasReplacedIsForgotten) {
  for (const char* newest : {"nodeStrategies: 7\n", ""}) {
    write(kPools);
    inputs::Inputs inputs(options("https://a/n"));
    inputs.deliver(node_of(kBoth), at(0));
    inputs.refresh(at(0));
    write(kApart);
    inputs.refresh(at(1));
    write(newest);
    if (*newest == '\0') std::filesystem::remove(path_);
    inputs.refresh(at(2));
    inputs.deliver(node_of(kOne), at(3));
    inputs.refresh(at(3));
    EXPECT_EQ(threshold(inputs), Percent(60));
    EXPECT_FALSE(inputs.states()[0].usable);
  }
}

TEST_F(PooledInputs, ARefusedFileThatWasRemovedIsForgotten) {
  write(kApart);
  auto optional = options("https://a/n");
  optional.nodeslo_optional = true;
  inputs::Inputs inputs(optional);
  inputs.deliver(node_of(kBoth), at(0));
  inputs.refresh(at(0));
  std::filesystem::remove(path_);
  inputs.refresh(at(1));
  inputs.deliver(node_of(kOne), at(2));
  EXPECT_FALSE(inputs.refresh(at(2)).nodeslo);
}

TEST_F(PooledInputs, OtherLabelsDoNotMakeABadFileGood) {
  write(kApart);
  inputs::Inputs inputs(options("https://a/n"));
  inputs.deliver(node_of(kOne), at(0));
  inputs.refresh(at(0));
  write("nodeStrategies: 7\n");
  inputs.refresh(at(1));
  inputs.deliver(node_of(kBoth), at(2));
  inputs.refresh(at(2));
  inputs.deliver(node_of(kOne), at(3));
  EXPECT_TRUE(inputs.refresh(at(3)).recovered.empty());
  EXPECT_EQ(threshold(inputs), Percent(70));
  EXPECT_FALSE(inputs.states()[0].usable);
  EXPECT_NE(inputs.states()[0].error.find("found '7'"), std::string::npos) << inputs.states()[0].error;
}

TEST_F(PooledInputs, EachEntryAppliesToItsSections) {
  write(
      "nodeStrategies:\n"
      "- {nodeSelector: {matchLabels: {a: x}}, hostApplications: [{name: one, qos: LS, cgroupPath: {base: "
      "CgroupRoot, parentDir: s, relativePath: r}}]}\n"
      "- {nodeSelector: {matchLabels: {b: x}}, resourceUsedThresholdWithBE: {enable: true}}\n");
  inputs::Inputs inputs(options("https://a/n"));
  inputs.deliver(node_of(R"("a":"x","b":"x")"), at(0));
  const auto changed = inputs.refresh(at(0));
  EXPECT_TRUE(changed.problems.empty());
  EXPECT_EQ(changed.pools.size(), 2U) << "both apply, each to its section";
  EXPECT_TRUE(inputs.slo()->threshold.enable);
  EXPECT_EQ(inputs.slo()->host_applications.size(), 1U);
  write("cpuBurstStrategy: {policy: auto}\n");
  EXPECT_TRUE(inputs.refresh(at(1)).nodeslo);
  inputs.deliver(node_of(""), at(2));
  EXPECT_FALSE(inputs.refresh(at(2)).nodeslo) << "a file without strategies does not depend on labels";
}

}  // namespace
}  // namespace evenkeel::test
