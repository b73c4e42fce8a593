// Tests nodeStrategies: which nodes a selector selects, what is laid over what, and what is refused.
#include "agent/config/node_pools.h"

#include <gtest/gtest.h>

#include "agent/config/nodeslo_config.h"

namespace evenkeel {
namespace {

using config::NodeSloConfig;

std::string problems(const NodeSloConfig& config) {
  std::string out;
  for (const auto& problem : config.problems) out += problem.text() + '\n';
  return out;
}
std::string setting(const NodeSloConfig& config, const std::string& key) {
  for (const auto& one : config.effective)
    if (one.key == key) return one.value + " from " + one.origin;
  return "no such key";
}
NodeSloConfig parse(const std::string& text, const TextMap& labels) {
  auto config = config::parse_nodeslo(text, "f", &labels);
  EXPECT_EQ(problems(config), "") << text;
  return config;
}

// --- selectors

struct Selection {
  const char* selector;
  TextMap labels;
  bool selected;
};

TEST(NodePools, SelectAsKubernetesDoes) {
  const TextMap batch = {{"pool", "batch"}, {"arch", "arm64"}};
  const std::vector<Selection> all = {
      {"{}", batch, true},
      {"{}", {}, true},
      {"{matchLabels: {}, matchExpressions: []}", {}, true},
      {"{matchLabels: {pool: batch}}", batch, true},
      {"{matchLabels: {pool: batch, arch: amd64}}", batch, false},
      {"{matchLabels: {pool: batch}}", {}, false},
      {"{matchLabels: {pool: \"\"}}", {{"pool", ""}}, true},
      {"{matchLabels: {pool: \"\"}}", {}, false},
      {"{matchExpressions: [{key: pool, operator: In, values: [web, batch]}]}", batch, true},
      {"{matchExpressions: [{key: pool, operator: In, values: [web]}]}", batch, false},
      {"{matchExpressions: [{key: pool, operator: In, values: [\"\"]}]}", {}, false},
      {"{matchExpressions: [{key: pool, operator: NotIn, values: [web]}]}", batch, true},
      {"{matchExpressions: [{key: pool, operator: NotIn, values: [web, batch]}]}", batch, false},
      {"{matchExpressions: [{key: pool, operator: NotIn, values: [web]}]}", {}, true},
      {"{matchExpressions: [{key: pool, operator: Exists}]}", batch, true},
      {"{matchExpressions: [{key: gpu, operator: Exists, values: []}]}", batch, false},
      {"{matchExpressions: [{key: gpu, operator: DoesNotExist}]}", batch, true},
      {"{matchExpressions: [{key: pool, operator: DoesNotExist}]}", batch, false},
      {"{matchLabels: {arch: arm64}, matchExpressions: [{key: pool, operator: In, values: [web]}]}", batch,
       false},
      {"{matchExpressions: [{key: pool, operator: Exists}, {key: gpu, operator: Exists}]}", batch, false},
  };
  for (const auto& one : all) {
    const auto text = std::string("nodeStrategies: [{nodeSelector: ") + one.selector +
                      ", cpuBurstStrategy: {policy: auto}}]";
    const auto config = parse(text, one.labels);
    EXPECT_EQ(config.slo.cpu_burst.policy == BurstPolicy::automatic, one.selected) << one.selector;
    EXPECT_TRUE(config.by_labels);
  }
}

// --- merging

constexpr const char* kPools = R"(resourceUsedThresholdWithBE:
  enable: true
  cpuSuppressThresholdPercent: 60
  memoryEvictThresholdPercent: 80
cpuBurstStrategy: {policy: cpuBurstOnly, cpuBurstPercent: 300}
hostApplications:
- {name: cache, qos: LS, cgroupPath: {base: CgroupRoot, parentDir: system.slice, relativePath: cache.service}}
- {name: mail, qos: LS, cgroupPath: {base: CgroupRoot, parentDir: system.slice, relativePath: mail.service}}
extensions:
  colocation: {enable: true, cpuReclaimThresholdPercent: 50}
  evenkeel: {handsOff: true}
nodeStrategies:
- name: batch
  nodeSelector: {matchLabels: {pool: batch}}
  resourceUsedThresholdWithBE: {cpuSuppressThresholdPercent: 90}
  hostApplications:
  - {name: db, qos: LS, cgroupPath: {base: CgroupRoot, parentDir: system.slice, relativePath: db.service}}
  extensions:
    evenkeel: {handsOff: false}
- nodeSelector: {matchExpressions: [{key: pool, operator: Exists}]}
  resourceUsedThresholdWithBE: {cpuSuppressThresholdPercent: 30, memoryEvictThresholdPercent: 40}
  cpuBurstStrategy: {cpuBurstPercent: 100, policy: "", sharePoolThresholdPercent: null}
  extensions:
    colocation: {cpuReclaimThresholdPercent: 70}
    evenkeel: {killWithoutApi: true}
)";

TEST(NodePools, WithoutAMatchTheCommonSettingsApply) {
  const auto config = parse(kPools, {{"disk", "ssd"}});
  EXPECT_EQ(setting(config, "resourceUsedThresholdWithBE.cpuSuppressThresholdPercent"), "60 from f:3:32");
  EXPECT_EQ(config.slo.host_applications.size(), 2U);
  EXPECT_TRUE(config.slo.evenkeel.hands_off);
  EXPECT_EQ(config.pools, std::vector<std::string>{"nodeStrategies: none of its 2 applies to this node"});
}

TEST(NodePools, ForEachSectionTheFirstMatchCounts) {
  const auto config = parse(kPools, {{"pool", "batch"}});
  const std::string threshold = "resourceUsedThresholdWithBE.";
  EXPECT_EQ(setting(config, threshold + "enable"), "true from f:2:11") << "field by field";
  EXPECT_EQ(setting(config, threshold + "cpuSuppressThresholdPercent"), "90 from f:15:62");
  EXPECT_EQ(setting(config, threshold + "memoryEvictThresholdPercent"), "80 from f:4:32")
      << "the second entry has this section too, and does not count";
  EXPECT_EQ(setting(config, "cpuBurstStrategy.cpuBurstPercent"), "100 from f:22:39")
      << "the first entry does not have this section";
  EXPECT_EQ(setting(config, "cpuBurstStrategy.policy"), "cpuBurstOnly from f:5:28")
      << "an empty text is not given";
  ASSERT_EQ(config.slo.host_applications.size(), 1U) << "a list replaces the other";
  EXPECT_EQ(config.slo.host_applications[0].name, "db");
  EXPECT_FALSE(config.slo.evenkeel.hands_off);
  EXPECT_FALSE(config.slo.evenkeel.kill_without_api) << "each extension is a section of its own";
  EXPECT_EQ(config.slo.colocation.cpu_reclaim_threshold_percent, Percent(70));
  EXPECT_TRUE(config.slo.colocation.enable);
  const std::vector<std::string> says = {
      "nodeStrategies[0] 'batch' (f:13:3) applies to resourceUsedThresholdWithBE, hostApplications, "
      "extensions.evenkeel",
      "nodeStrategies[1] (f:20:3) applies to cpuBurstStrategy, extensions.colocation"};
  EXPECT_EQ(config.pools, says);
}

TEST(NodePools, OtherNodesGetTheirOwn) {
  const auto config = parse(kPools, {{"pool", "web"}});
  EXPECT_EQ(config.slo.threshold.cpu_suppress_threshold_percent, Percent(30));
  EXPECT_EQ(config.slo.host_applications.size(), 2U);
  EXPECT_TRUE(config.slo.evenkeel.hands_off) << "from the common settings";
  EXPECT_TRUE(config.slo.evenkeel.kill_without_api);
  EXPECT_NE(config.slo.fingerprint, parse(kPools, {{"pool", "batch"}}).slo.fingerprint);
}

TEST(NodePools, WithoutLabelsNoneAppliesAndItIsSaid) {
  const auto config = config::parse_nodeslo(kPools, "f");
  EXPECT_EQ(config.slo.threshold.cpu_suppress_threshold_percent, Percent(60));
  EXPECT_TRUE(config.by_labels);
  EXPECT_EQ(config.pools, std::vector<std::string>{
                              "nodeStrategies: the labels of the Node are not known: none of its 2 applies, "
                              "only what is outside of them"});
  const auto shown = config::render_check(config);
  EXPECT_NE(shown.find("\nnodeStrategies: the labels of the Node are not known"), std::string::npos) << shown;
}

TEST(NodePools, AWholeObjectMayHaveThem) {
  const auto config = parse(
      "apiVersion: slo.koordinator.sh/v1alpha1\nkind: NodeSLO\nspec:\n  nodeStrategies:\n"
      "  - {nodeSelector: {}, cpuBurstStrategy: {policy: auto}}\n",
      {});
  EXPECT_EQ(config.slo.cpu_burst.policy, BurstPolicy::automatic);
  EXPECT_FALSE(config::parse_nodeslo("cpuBurstStrategy: {policy: auto}", "f").by_labels);
}

// --- what is refused, on every node

struct Refused {
  const char* text;
  const char* says;
};

TEST(NodePools, EveryEntryIsCheckedWhetherOrNotItApplies) {
  const std::vector<Refused> all = {
      {"nodeStrategies: 5", "f:1:17: nodeStrategies: found '5'; legal: a list of at most 256 maps\n"},
      {"nodeStrategies: [x]", "f:1:18: nodeStrategies[0]: found 'x'; legal: a map\n"},
      {"nodeStrategies: [{cpuBurstStrategy: {policy: auto}}]",
       "f:1:18: nodeStrategies[0]: found no nodeSelector; legal: nodeSelector with labels, or nodeSelector: "
       "{} "
       "for all nodes\n"},
      {"nodeStrategies: [{nodeSelector: {matchLabel: {a: b}}}]",
       "f:1:34: nodeStrategies[0].nodeSelector.matchLabel: found an unknown key; did you mean "
       "'matchLabels'?\n"},
      {"nodeStrategies: [{nodeSelector: {matchLabels: {a b: c}}}]",
       "f:1:47: nodeStrategies[0].nodeSelector.matchLabels: found the label 'a b'; legal: a label's name "
       "such "
       "as node-pool or example.com/pool\n"},
      {"nodeStrategies: [{nodeSelector: {matchLabels: {a: -c}}}]",
       "f:1:47: nodeStrategies[0].nodeSelector.matchLabels: found the value '-c'; legal: the value of a "
       "label, "
       "at most 63 of letters, digits, -, _ and .\n"},
      {"nodeStrategies: [{nodeSelector: {matchExpressions: [{key: a, operator: Has}]}}]",
       "f:1:72: nodeStrategies[0].nodeSelector.matchExpressions[0].operator: found 'Has'; legal: In, NotIn, "
       "Exists, DoesNotExist\n"},
      {"nodeStrategies: [{nodeSelector: {matchExpressions: [{key: a, operator: In}]}}]",
       "f:1:53: nodeStrategies[0].nodeSelector.matchExpressions[0]: found In without values; legal: with "
       "values\n"},
      {"nodeStrategies: [{nodeSelector: {matchExpressions: [{key: a, operator: Exists, values: [b]}]}}]",
       "f:1:53: nodeStrategies[0].nodeSelector.matchExpressions[0]: found Exists with values; legal: without "
       "values\n"},
      {"nodeStrategies: [{nodeSelector: {matchExpressions: [{operator: Exists}]}}]",
       "f:1:53: nodeStrategies[0].nodeSelector.matchExpressions[0]: found no label; legal: a label's name "
       "such "
       "as node-pool or example.com/pool\n"},
      {"nodeStrategies: [{nodeSelector: {}, cpuBurstStrategie: {policy: auto}}]",
       "f:1:37: nodeStrategies[0].cpuBurstStrategie: found an unknown key; did you mean "
       "'cpuBurstStrategy'?\n"},
      {"nodeStrategies: [{nodeSelector: {}, cpuBurstStrategy: {policy: sometimes}}]",
       "f:1:64: nodeStrategies[0].cpuBurstStrategy.policy: found 'sometimes'; legal: none, cpuBurstOnly, "
       "cfsQuotaBurstOnly, auto\n"},
  };
  for (const auto& one : all) {
    EXPECT_EQ(problems(config::parse_nodeslo(one.text, "f")), one.says) << one.text;
    const TextMap other = {{"z", "y"}};
    EXPECT_EQ(problems(config::parse_nodeslo(one.text, "f", &other)), one.says) << one.text;
  }
}

TEST(NodePools, AContradictionWithTheCommonSettingsIsRefused) {
  const std::string text =
      "resourceUsedThresholdWithBE: {memoryEvictThresholdPercent: 70}\nnodeStrategies:\n"
      "- {nodeSelector: {matchLabels: {a: b}}, resourceUsedThresholdWithBE: {memoryEvictLowerPercent: 80}}\n";
  const auto config = config::parse_nodeslo(text, "f");
  EXPECT_NE(problems(config).find("f:3:"), std::string::npos) << problems(config);
  EXPECT_NE(problems(config).find("(with nodeStrategies[0])"), std::string::npos) << problems(config);
  EXPECT_EQ(config.problems.size(), 1U);
}

TEST(NodePools, AProblemOfTheCommonSettingsIsSaidOnce) {
  const auto config = config::parse_nodeslo(
      "cpuBurstStrategy: {policy: sometimes}\nnodeStrategies:\n- {nodeSelector: {}}\n- {nodeSelector: {}}\n",
      "f");
  EXPECT_EQ(config.problems.size(), 1U) << problems(config);
}

TEST(NodePools, TheNodesOwnObjectHasNone) {
  const auto parsed =
      document::parse_json(R"({"kind":"NodeSLO","spec":{"nodeStrategies":[{"nodeSelector":{},)"
                           R"("cpuBurstStrategy":{"policy":"auto"}}]}})",
                           "f");
  const auto config = config::read_nodeslo(parsed.root, "nodeslos/n");
  EXPECT_TRUE(config.problems.empty());
  EXPECT_EQ(config.slo.cpu_burst.policy, BurstPolicy::none);
  ASSERT_EQ(config.notices.size(), 1U);
}

}  // namespace
}  // namespace evenkeel
