#include <gtest/gtest.h>

#include <algorithm>

#include "agent/config/nodeslo_config.h"
#include "agent/config/schema_read.h"
#include "tests/support/malformed.h"
#include "tests/support/scenes/nodeslo_texts.h"

using namespace evenkeel;

namespace {

std::string problems(const config::NodeSloConfig& config) {
  std::string out;
  for (const auto& problem : config.problems) out += problem.text() + '\n';
  return out;
}
NodeSlo good(std::string_view text) {
  const auto config = config::parse_nodeslo(text, "f");
  EXPECT_EQ(problems(config), "") << text;
  return config.slo;
}
const config::EffectiveSetting& setting(const config::NodeSloConfig& config, const std::string& key) {
  const auto found = std::find_if(config.effective.begin(), config.effective.end(),
                                  [&](const config::EffectiveSetting& e) { return e.key == key; });
  EXPECT_NE(found, config.effective.end()) << key;
  return *found;
}

TEST(NodeSlo, ReadsAWholeObjectWithEverySection) {
  const auto slo = good(test::full_nodeslo());
  EXPECT_TRUE(slo.threshold.enable);
  EXPECT_EQ(slo.threshold.cpu_suppress_min_percent, Percent(10));
  EXPECT_EQ(slo.threshold.allocatable_evict_priority_threshold, 5999);
  EXPECT_TRUE(slo.qos.be.cpu.enable);
  EXPECT_EQ(slo.qos.be.cpu.group_identity, -1);
  EXPECT_EQ(slo.qos.be.memory->page_cache_limit_percent, Percent(50));
  EXPECT_EQ(slo.qos.be.blkio->blocks.at(0).io.read_bps, Bytes(104857600));
  EXPECT_EQ(slo.qos.cgroup_root_blkio->blocks.at(0).io.model_write_rand_iops, 330000);
  EXPECT_EQ(slo.cpu_burst.policy, BurstPolicy::automatic);
  EXPECT_EQ(slo.cpu_burst.cfs_quota_burst_period_seconds, 300);
  EXPECT_EQ(slo.system.total_network_bandwidth, BitRate(10000000000));
  EXPECT_TRUE(slo.system.sched_features.at("ID_ABSOLUTE_EXPEL"));
  ASSERT_EQ(slo.host_applications.size(), 2U);
  EXPECT_EQ(slo.host_applications[0].relative_dir, "host-latency-sensitive/node-cache");
  EXPECT_EQ(slo.host_applications[1].base, HostAppBase::kubepods_besteffort);
  EXPECT_EQ(slo.host_applications[1].qos, QosClass::be);
  EXPECT_EQ(slo.host_applications[1].priority, PriorityClass::batch);
}

TEST(NodeSlo, ReadsTheBareSpecAndJson) {
  EXPECT_EQ(good("cpuBurstStrategy: {policy: cpuBurstOnly}").cpu_burst.policy, BurstPolicy::cpu_burst_only);
  EXPECT_EQ(good(R"({"spec": {"cpuBurstStrategy": {"policy": "auto"}}})").cpu_burst.policy,
            BurstPolicy::automatic);
  EXPECT_EQ(good("{cpuBurstStrategy: {policy: auto}}").cpu_burst.policy, BurstPolicy::automatic);
  EXPECT_FALSE(good(R"({"resourceUsedThresholdWithBE": {"enable": false}})").threshold.enable);
}

TEST(NodeSlo, AnEmptyTextIsTheDefaults) {
  for (const auto* text : {"", "\n", "# nothing\n", "{}", "spec:\n", "kind: NodeSLO\nspec: {}\n",
                           "resourceUsedThresholdWithBE:\ncpuBurstStrategy: null\nhostApplications:\n"}) {
    const auto slo = good(text);
    EXPECT_FALSE(slo.threshold.enable) << text;
    EXPECT_EQ(slo.threshold.cpu_suppress_threshold_percent, Percent(65)) << text;
    EXPECT_EQ(slo.cpu_burst.policy, BurstPolicy::none) << text;
    EXPECT_FALSE(slo.qos.be.memory) << text;
  }
}

TEST(NodeSlo, ANamedSectionStartsWithItsClassDefaults) {
  const auto slo = good(
      "resourceQOSStrategy:\n"
      "  lsClass: {memoryQOS: {}, resctrlQOS: {enable: true}, networkQOS: {}}\n"
      "  beClass: {memoryQOS: {wmarkRatio: 80}, resctrlQOS: {}}\n"
      "  systemClass: {memoryQOS: {}}\n");
  EXPECT_EQ(slo.qos.ls.memory->wmark_min_adj, -25);
  EXPECT_EQ(slo.qos.be.memory->wmark_min_adj, 50);
  EXPECT_EQ(slo.qos.be.memory->wmark_ratio, Percent(80));
  EXPECT_EQ(slo.qos.system.memory->wmark_scale_permill, 50);
  EXPECT_EQ(slo.qos.ls.resctrl->cat_range_end_percent, Percent(100));
  EXPECT_EQ(slo.qos.be.resctrl->cat_range_end_percent, Percent(30));
  EXPECT_EQ(slo.qos.ls.network->egress_limit.value, 100);
  EXPECT_FALSE(slo.qos.lsr.memory);
}

TEST(NodeSlo, ReadsItsOwnExtensionsAndIgnoresOthers) {
  const auto slo = good(
      "extensions:\n"
      "  colocation: {enable: true, cpuReclaimThresholdPercent: 120, resourceDiffThreshold: 0.25,\n"
      "               metricAggregatePolicy: {durations: [1m, 90s]}, midReclaimMode: static}\n"
      "  evenkeel: {handsOff: true, suppressRecovery: 2s, suppressDwell: 1m30s, burstGrowthBudgetPercent: "
      "5,\n"
      "             reclaimBytesPerSecond: 64Mi, memoryPushBack: {enable: true, stepPercent: 3},\n"
      "             resctrlDynamic: {enable: true, memoryBandwidthBytesPerSecond: 90G, lowPercent: 50,\n"
      "               cacheWays: true, highMissPercent: 200, leastCatPercent: 20},\n"
      "             featureGates: {MemoryEvict: true}}\n"
      "  somebody.else: {whatever: [1, {x: y}]}\n");
  EXPECT_TRUE(slo.colocation.enable);
  EXPECT_EQ(slo.colocation.cpu_reclaim_threshold_percent, Percent(120));
  EXPECT_DOUBLE_EQ(slo.colocation.resource_diff_threshold, 0.25);
  EXPECT_EQ(slo.colocation.metric_aggregate_durations.at(1), std::chrono::seconds(90));
  EXPECT_EQ(slo.colocation.mid_reclaim_mode, "static");
  EXPECT_TRUE(slo.evenkeel.hands_off);
  EXPECT_EQ(slo.evenkeel.suppress_dwell, std::chrono::seconds(90));
  EXPECT_EQ(slo.evenkeel.reclaim_per_second, Bytes(64 << 20));
  EXPECT_TRUE(slo.evenkeel.memory_push_back.enable);
  EXPECT_EQ(slo.evenkeel.memory_push_back.step_percent, Percent(3));
  EXPECT_EQ(slo.evenkeel.memory_push_back.some_percent, Percent(10));
  EXPECT_TRUE(slo.evenkeel.resctrl_dynamic.enable);
  EXPECT_EQ(slo.evenkeel.resctrl_dynamic.memory_bandwidth_per_second, Bytes(90'000'000'000));
  EXPECT_EQ(slo.evenkeel.resctrl_dynamic.low_percent, Percent(50));
  EXPECT_EQ(slo.evenkeel.resctrl_dynamic.high_percent, Percent(80));
  EXPECT_TRUE(slo.evenkeel.resctrl_dynamic.cache_ways);
  EXPECT_EQ(slo.evenkeel.resctrl_dynamic.high_miss_percent, Percent(200));
  EXPECT_EQ(slo.evenkeel.resctrl_dynamic.low_miss_percent, Percent(120));
  EXPECT_EQ(slo.evenkeel.resctrl_dynamic.least_cat_percent, Percent(20));
  const std::array<bool, 7> gates = {false, false, false, false, true, false, false};
  EXPECT_EQ(slo.evenkeel.feature_gates, gates);
}

TEST(NodeSlo, ReadsEverySettingOfThePrediction) {
  const auto prediction =
      good(
          "extensions: {evenkeel: {prediction: {coldStartDuration: 48h, leastHistoryDuration: 1h, "
          "safetyMarginPercent: 20, cpuHistogramDecayHalflife: 6h, memoryHistogramDecayHalflife: 7h, "
          "trainingInterval: 30s, modelExpirationDuration: 2h, modelCheckpointInterval: 5m}}}")
          .evenkeel.prediction;
  EXPECT_EQ(prediction.cold_start, std::chrono::hours(48));
  EXPECT_EQ(prediction.least_history, std::chrono::hours(1));
  EXPECT_EQ(prediction.safety_margin_percent, Percent(20));
  EXPECT_EQ(prediction.cpu_half_life, std::chrono::hours(6));
  EXPECT_EQ(prediction.memory_half_life, std::chrono::hours(7));
  EXPECT_EQ(prediction.training_interval, std::chrono::seconds(30));
  EXPECT_EQ(prediction.model_expiration, std::chrono::hours(2));
  EXPECT_EQ(prediction.checkpoint_interval, std::chrono::minutes(5));
}

TEST(NodeSlo, BandwidthIsAPercentageOrAQuantity) {
  const auto slo = good(
      "resourceQOSStrategy: {lsClass: {networkQOS: {ingressRequest: 40, egressRequest: \"10M\", "
      "ingressLimit: 1G, egressLimit: \"500\"}}}");
  const auto& network = *slo.qos.ls.network;
  EXPECT_TRUE(network.ingress_request.is_percent);
  EXPECT_EQ(network.egress_request.value, 10'000'000);
  EXPECT_FALSE(network.ingress_limit.is_percent);
  EXPECT_EQ(network.egress_limit.value, 500) << "in quotes a number is a quantity";
  EXPECT_FALSE(network.egress_limit.is_percent);
}

TEST(NodeSlo, BytesMayBeQuantities) {
  const auto slo = good("resourceQOSStrategy: {beClass: {memoryQOS: {pageCacheLimitSize: 64Mi}}}");
  EXPECT_EQ(slo.qos.be.memory->page_cache_limit_size, Bytes(64 << 20));
}

TEST(NodeSlo, HostApplicationsHaveADirectoryByDefault) {
  const auto slo = good(
      "hostApplications:\n"
      "- {name: a}\n- {name: b, qos: BE}\n- {name: c, qos: SYSTEM}\n- {name: d, qos: LSE, strategy: {}}\n"
      "- {name: e, cgroupPath: {relativePath: /x//y/, parentDir: system.slice}}\n");
  EXPECT_EQ(slo.host_applications.at(0).relative_dir, "host-latency-sensitive/a");
  EXPECT_EQ(slo.host_applications.at(1).relative_dir, "host-best-effort/b");
  EXPECT_EQ(slo.host_applications.at(2).relative_dir, "c");
  EXPECT_EQ(slo.host_applications.at(3).relative_dir, "host-latency-sensitive/d");
  EXPECT_EQ(slo.host_applications.at(4).relative_dir, "system.slice/x/y") << "whatever stands first";
}

TEST(NodeSlo, EffectiveValuesSayWhereTheyComeFrom) {
  const auto config = config::parse_nodeslo("cpuBurstStrategy:\n  policy: auto\n", "nodeslo.yaml");
  EXPECT_EQ(setting(config, "cpuBurstStrategy.policy").value, "auto");
  EXPECT_EQ(setting(config, "cpuBurstStrategy.policy").origin, "nodeslo.yaml:2:11");
  EXPECT_EQ(setting(config, "cpuBurstStrategy.cpuBurstPercent").value, "1000");
  EXPECT_EQ(setting(config, "cpuBurstStrategy.cpuBurstPercent").origin, "default");
  EXPECT_EQ(setting(config, "resourceUsedThresholdWithBE.cpuSuppressMinPercent").value, "(not set)");
  EXPECT_EQ(setting(config, "resourceQOSStrategy.lsClass.memoryQOS.wmarkRatio").value, "(not set)");
  EXPECT_EQ(setting(config, "extensions.evenkeel.suppressDwell").value, "10s");
  EXPECT_EQ(setting(config, "hostApplications").value, "[]");
  const auto text = config::render_check(config);
  EXPECT_NE(text.find("cpuBurstStrategy.policy"), std::string::npos);
  EXPECT_NE(text.find("nodeslo.yaml:2:11"), std::string::npos);
  EXPECT_NE(text.find("no problems"), std::string::npos);
}

TEST(NodeSlo, SettingsWithoutEffectGiveOneNoticeEach) {
  const auto notices = config::parse_nodeslo(test::full_nodeslo(), "f").notices;
  const auto count = [&](const std::string& part) {
    return std::count_if(notices.begin(), notices.end(),
                         [&](const auto& n) { return n.find(part) != std::string::npos; });
  };
  EXPECT_EQ(count("memoryQOS"), 0);
  EXPECT_EQ(count("resctrlQOS"), 0);
  EXPECT_EQ(count("schedFeatures"), 0);
  EXPECT_EQ(count("totalNetworkBandwidth"), 0);
  const auto as_the_manager_writes = config::parse_nodeslo(
      "systemStrategy: {totalNetworkBandwidth: \"0\"}\n"
      "resourceQOSStrategy: {lsClass: {networkQOS: {enable: true, egressRequest: 2M}}}\n",
      "f");
  EXPECT_TRUE(as_the_manager_writes.problems.empty());
  const auto terway =
      config::parse_nodeslo("resourceQOSStrategy: {policies: {netQOSPolicy: terway-qos}}\n", "f");
  ASSERT_EQ(terway.notices.size(), 1U);
  EXPECT_NE(terway.notices[0].find("with terway-qos another agent"), std::string::npos);
  const auto idle = config::parse_nodeslo(
      "resourceQOSStrategy: {systemClass: {cpuQOS: {enable: true}}}\n"
      "extensions: {colocation: {cpuCalculatePolicy: request, metricMemoryCollectPolicy: "
      "usageWithHotPageCache}}\n",
      "f");
  ASSERT_EQ(idle.notices.size(), 3U) << "what has no effect is said";
  EXPECT_NE(idle.notices[0].find("systemClass.cpuQOS: no effect"), std::string::npos);
  EXPECT_NE(idle.notices[1].find("cpuCalculatePolicy: request is for memory only"), std::string::npos);
  EXPECT_NE(idle.notices[2].find("usageWithoutPageCache counts"), std::string::npos);
  EXPECT_EQ(count("lsClass.networkQOS.ingressRequest: ingress cannot be queued"), 1);
  EXPECT_EQ(count("blkioQOS"), 0);
  EXPECT_EQ(count("cpuQOS"), 0) << "group identity is active";
  EXPECT_EQ(count("cpuBurst"), 0);
  EXPECT_EQ(count("colocation"), 0);
  EXPECT_TRUE(config::parse_nodeslo("", "f").notices.empty());
}

TEST(NodeSlo, MalformedTextsAreProblemsOrTheDefaults) {
  for (const auto& text : test::malformed_texts()) {
    const auto config = config::parse_nodeslo(text, "f");
    const bool blank = text.find_first_not_of(" \n") == std::string::npos;
    EXPECT_EQ(config.problems.empty(), blank) << text.substr(0, 40);
    EXPECT_FALSE(config.slo.threshold.enable);
  }
  std::string garbage(5'000'000, 'x');
  EXPECT_FALSE(config::parse_nodeslo(garbage, "f").problems.empty());
  EXPECT_FALSE(config::parse_nodeslo("{" + garbage, "f").problems.empty());
  EXPECT_FALSE(config::parse_nodeslo(std::string(1000, '['), "f").problems.empty());
}

TEST(NodeSlo, ATruncatedFileNeverCrashesAndNeverInventsSettings) {
  const auto text = test::full_nodeslo();
  constexpr std::size_t kStep = 7;  // all four thousand positions would take seconds
  for (std::size_t size = 0; size < text.size(); size += kStep) {
    const auto cut = std::string_view(text).substr(0, size);
    const auto config = config::parse_nodeslo(cut, "f");
    EXPECT_LE(config.slo.threshold.cpu_suppress_threshold_percent, Percent(100));
    EXPECT_LE(config.slo.host_applications.size(), 2U);
  }
}

}  // namespace
