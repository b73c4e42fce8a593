// Tests for how much a CPU counts by the NodeSLO's table, and when the Node's annotation counts instead.
#include "agent/tick/cpu_ratio.h"

#include <gtest/gtest.h>

namespace evenkeel {
namespace {

CpuTopology cpus_of(const std::string& model, bool threads, std::optional<bool> turbo) {
  CpuTopology out{.online = CpuSet::range(0, 3), .model = model, .turbo = turbo};
  for (CpuId id = 0; id < 4; ++id) out.cpus.push_back({.id = id, .core = threads ? id / 2 : id});
  return out;
}
CpuNormalizationModels table() {
  return {.enable = true,
          .models = {
              {.model = "old", .base = 1.0},
              {.model = "new", .base = 1.3, .hyper_thread = 1.1, .turbo = 1.5, .hyper_thread_turbo = 1.155}}};
}

TEST(CpuRatio, IsOfTheModelAndOfWhatIsSwitchedOn) {
  const auto ratio = [](bool threads, std::optional<bool> turbo) {
    return tick::ratio_in(table(), cpus_of("new", threads, turbo)).ratio;
  };
  EXPECT_EQ(ratio(false, false), 1.3);
  EXPECT_EQ(ratio(false, std::nullopt), 1.3) << "not Intel's driver";
  EXPECT_EQ(ratio(true, false), 1.1);
  EXPECT_EQ(ratio(false, true), 1.5);
  EXPECT_NEAR(ratio(true, true).value(), 1.16, 1e-9) << "two decimals";
  EXPECT_EQ(tick::ratio_in(table(), cpus_of("old", false, false)).ratio, 1.0);
}

TEST(CpuRatio, WhatTheTableLacksIsTheDefaultOrNamed) {
  auto ratios = table();
  const auto missing = [&](const CpuTopology& cpus) {
    const auto found = tick::ratio_in(ratios, cpus);
    return found.ratio ? std::to_string(*found.ratio) : found.missing;
  };
  EXPECT_EQ(missing(cpus_of("other", false, true)), "ratioModel has no 'other'");
  EXPECT_EQ(missing(cpus_of("old", true, false)), "hyperThreadEnabledRatio of 'old' is not given");
  EXPECT_EQ(missing(cpus_of("old", true, true)), "hyperThreadTurboEnabledRatio of 'old' is not given");
  EXPECT_EQ(missing(cpus_of("", false, false)), "the model of this machine's CPUs is not known");
  ratios.default_ratio = 2.0;
  EXPECT_EQ(missing(cpus_of("other", false, true)), "2.000000");
  EXPECT_EQ(missing(cpus_of("old", true, false)), "2.000000");
  EXPECT_EQ(missing(cpus_of("", false, false)), "2.000000");
}

/// A node as the inputs and the collectors leave it.
struct CpuRatioOfANode : testing::Test {
  CpuRatioOfANode() { configure(table()); }
  void configure(const CpuNormalizationModels& models, ResourceAmplification amplification = {}) {
    NodeSlo slo;
    slo.evenkeel.cpu_normalization_models = models;
    slo.evenkeel.resource_amplification = amplification;
    node.slo = std::make_shared<const NodeSlo>(std::move(slo));
    joined({});
  }
  void joined(std::optional<double> annotation) {
    node.object.cpu_normalization_ratio = annotation;
    ratio.inputs_changed(node);
  }
  NodeSnapshot node{};
  tick::CpuRatio ratio{};
};

TEST_F(CpuRatioOfANode, ComesWithTheFirstMeasurementAndStays) {
  EXPECT_EQ(node.object.cpu_normalization_ratio, std::nullopt);
  EXPECT_EQ(ratio.missing(), "") << "the CPUs are not known yet";
  node.topology = cpus_of("new", true, false);
  ratio.update(node);
  EXPECT_EQ(node.object.cpu_normalization_ratio, 1.1);
  EXPECT_EQ(ratio.of_table(), 1.1);
  ratio.update(node);
  EXPECT_EQ(node.object.cpu_normalization_ratio, 1.1);
  joined({});
  EXPECT_EQ(node.object.cpu_normalization_ratio, 1.1) << "between two ticks, too";
}

TEST_F(CpuRatioOfANode, FollowsTheCpus) {
  node.topology = cpus_of("new", true, false);
  ratio.update(node);
  node.topology.turbo = true;
  ratio.update(node);
  EXPECT_NEAR(node.object.cpu_normalization_ratio.value(), 1.16, 1e-9);
  node.topology = cpus_of("new", false, true);
  node.topology.online = CpuSet::range(0, 2);
  ratio.update(node);
  EXPECT_EQ(node.object.cpu_normalization_ratio, 1.5) << "threads went offline";
  node.topology = {};
  ratio.update(node);
  EXPECT_EQ(node.object.cpu_normalization_ratio, 1.5) << "what cannot be read now is not another model";
}

TEST_F(CpuRatioOfANode, TheAnnotationOutranksTheTable) {
  node.topology = cpus_of("new", false, false);
  joined(1.0);
  EXPECT_EQ(node.object.cpu_normalization_ratio, 1.0);
  EXPECT_EQ(ratio.of_table(), std::nullopt);
  node.topology.turbo = true;
  ratio.update(node);
  EXPECT_EQ(node.object.cpu_normalization_ratio, 1.0);
  joined({});
  EXPECT_EQ(node.object.cpu_normalization_ratio, 1.5);
  EXPECT_EQ(ratio.of_table(), 1.5);
}

TEST_F(CpuRatioOfANode, ThatTheAnnotationLeavesNothingToAmplifyIsSaid) {
  node.topology = cpus_of("new", false, false);
  joined(1.0);
  EXPECT_EQ(ratio.missing(), "") << "nothing needs the table";
  configure(table(), ResourceAmplification::automatic);
  joined(1.0);
  EXPECT_EQ(ratio.missing(),
            "extensions.evenkeel.resourceAmplification: no effect, since the Node's annotation "
            "node.koordinator.sh/cpu-normalization-ratio outranks the table of CPU models");
  joined({});
  EXPECT_EQ(ratio.missing(), "");
}

TEST_F(CpuRatioOfANode, WithoutAutoThereIsTheAnnotationOnly) {
  auto models = table();
  models.enable = false;
  node.topology = cpus_of("new", false, false);
  configure(models);
  EXPECT_EQ(node.object.cpu_normalization_ratio, std::nullopt);
  EXPECT_EQ(ratio.of_table(), std::nullopt);
  EXPECT_EQ(ratio.missing(), "");
}

TEST_F(CpuRatioOfANode, SaysWhatIsMissingUntilItIsNot) {
  node.topology = cpus_of("other", false, false);
  ratio.update(node);
  EXPECT_EQ(node.object.cpu_normalization_ratio, std::nullopt);
  EXPECT_EQ(ratio.missing(),
            "extensions.evenkeel.cpuNormalizationModels: ratioModel has no 'other', and there is no "
            "defaultRatio: this node's CPUs count as standard ones");
  joined(1.2);
  EXPECT_EQ(ratio.missing(), "");
  auto models = table();
  models.default_ratio = 1.4;
  configure(models);
  EXPECT_EQ(node.object.cpu_normalization_ratio, 1.4);
  EXPECT_EQ(ratio.missing(), "");
}

}  // namespace
}  // namespace evenkeel
