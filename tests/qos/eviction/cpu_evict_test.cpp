// BECPUEvict and CPUEvict by the worked examples of the reference, one test each.
#include <gtest/gtest.h>

#include "tests/support/scenes/evicting_node.h"

namespace evenkeel {
namespace {

using namespace literals;
using std::chrono::seconds;

// --- BECPUEvict: best effort's satisfaction

struct BestEffortTest : ::testing::Test, test::EvictingNode {
  BestEffortTest() : EvictingNode({FeatureGate::be_cpu_evict}) {
    marks(30, 40);
    slo.threshold.cpu_evict_time_window_seconds = 60;
    batch("only", 0_mcpu);
  }
  void marks(int lower, int upper) {
    slo.threshold.cpu_evict_be_satisfaction_lower_percent = Percent(lower);
    slo.threshold.cpu_evict_be_satisfaction_upper_percent = Percent(upper);
  }
  void batch(const std::string& name, MilliCpu request, std::optional<int> priority = {}) {
    pod(name).priority = priority;
    requests(name).batch_cpu = request;
  }
  /// Best effort requests and may use so much, and uses all of it.
  void now(std::int64_t request, std::int64_t limit) {
    requests("only").batch_cpu = MilliCpu(request);
    besteffort().applied.cpu_limit = CpuLimit{quota_for(MilliCpu(limit), std::chrono::milliseconds(100))};
    besteffort().cpu_use = MilliCpu(limit);
  }
  /// What is to be released after a minute of this; 0: nothing, and no pod was chosen.
  std::int64_t release_after_a_minute() {
    for (int i = 0; i < 59; ++i) decide();
    const bool chosen = decide().has_value() || state.pending;
    const auto& verdict = this->verdict("cpu-evict");
    EXPECT_EQ(chosen, verdict.needed) << verdict.outcome.text();
    return verdict.needed ? std::get<MilliCpu>(verdict.why.numbers[3]).count() : 0;
  }
};

struct Release {
  const char* name;
  std::int64_t request, limit;
  int lower, upper;
  std::int64_t release;
};
class Satisfaction : public BestEffortTest, public ::testing::WithParamInterface<Release> {};

TEST_P(Satisfaction, ReleasesWhatIsMissing) {
  const auto& example = GetParam();
  marks(example.lower, example.upper);
  now(example.request, example.limit);
  EXPECT_EQ(release_after_a_minute(), example.release);
}

INSTANTIATE_TEST_SUITE_P(
    Reference, Satisfaction,
    testing::Values(Release{"e1", 50000, 10000, 30, 40, 10000}, Release{"e2", 50000, 14000, 30, 40, 6000},
                    Release{"e3", 50000, 13000, 30, 40, 7000}, Release{"e4", 50000, 11000, 30, 40, 9000},
                    Release{"e7", 40000, 20000, 30, 40, 0}, Release{"e8", 20000, 12000, 60, 80, 4000},
                    Release{"e9", 20000, 12001, 60, 80, 0}, Release{"e10", 100000, 36000, 60, 80, 44000}),
    [](const auto& example) { return example.param.name; });

TEST_F(BestEffortTest, TheAllocatableAmountMayBeTheMeasure) {  // 5 and 6
  slo.threshold.cpu_evict_policy = CpuEvictPolicy::by_allocatable;
  now(50000, 8000);
  besteffort().applied.cpu_limit = CpuLimit{};
  node.object.lent.batch_cpu = 8000_mcpu;
  EXPECT_EQ(release_after_a_minute(), 12000);
  state = {};
  node.object.lent.batch_cpu = 0_mcpu;  // zero is a figure ...
  EXPECT_EQ(release_after_a_minute(), 19999);
  state = {};
  node.object.lent.batch_cpu.reset();  // ... and nothing is none
  EXPECT_EQ(release_after_a_minute(), 0);
  node.object.lent.batch_cpu = 8000_mcpu;
  node.object_stale = true;
  EXPECT_EQ(release_after_a_minute(), 0) << "an old figure neither";
}

TEST_F(BestEffortTest, TheSmallerOfAverageAndMomentCounts) {  // 11 and 12
  const auto at_last = [&](std::int64_t before, std::int64_t last) {
    state = {};
    now(50000, before);
    besteffort().cpu_use = MilliCpu(before);
    for (int i = 0; i < 20; ++i) EXPECT_FALSE(decide());
    now(50000, last);
    const auto chosen = decide();
    EXPECT_TRUE(chosen);
    return chosen ? std::get<MilliCpu>(chosen->why.numbers[3]).count() : 0;
  };
  EXPECT_EQ(at_last(10000, 14000), 6000) << "the moment's";
  EXPECT_EQ(at_last(13000, 11000), 20000 - (13000 * 20 + 11000) / 21) << "the average's";
}

TEST_F(BestEffortTest, OnlyWhoUsesWhatHeMayIsStarved) {
  now(50000, 10000);
  besteffort().cpu_use = 8999_mcpu;
  EXPECT_EQ(release_after_a_minute(), 0);
  state = {};
  besteffort().cpu_use = 9000_mcpu;
  EXPECT_EQ(release_after_a_minute(), 10000);
  state = {};
  now(50000, 900);  // below one CPU it is short in any case
  besteffort().cpu_use = 100_mcpu;
  EXPECT_EQ(release_after_a_minute(), 20000 - 900);
}

TEST_F(BestEffortTest, AThirdOfTheWindowHasToBeMeasured) {
  now(50000, 10000);
  for (int i = 0; i < 19; ++i) decide();
  EXPECT_FALSE(state.pending) << "19 of 60 seconds";
  EXPECT_EQ(verdict("cpu-evict").why.text(), "of the window of 60 s only 19 s have been measured");
  EXPECT_EQ(victim(2), "only") << "20, and as many since the start";
}

TEST_F(BestEffortTest, WhatTheBrakeTakesForAMomentEvictsNoPod) {
  now(50000, 10000);
  state.use.braked = true;
  EXPECT_EQ(release_after_a_minute(), 0);
  state.use.braked = false;
  EXPECT_EQ(release_after_a_minute(), 10000) << "that it is starved anyway does";
}

TEST_F(BestEffortTest, ShortWindowsNeedMeasurementsToo) {
  // The reference rounds the third of a window below three seconds down to none at all.
  slo.threshold.cpu_evict_time_window_seconds = 2;
  now(50000, 10000);
  EXPECT_EQ(victim_within(20), "");
  besteffort().cpu_use.reset();
  EXPECT_EQ(victim(), "") << "no pod is evicted for what is not known now";
  EXPECT_EQ(verdict("cpu-evict").why.text(), "best effort's CPU use, requests or limit are not known");
  now(50000, 10000);
  EXPECT_EQ(victim(), "only");
}

TEST_F(BestEffortTest, OneNarrowContainerDoesNotStarveOthers) {
  // The reference takes the smallest CPU set of any container for the limit of all.
  now(50000, 40000);
  besteffort().applied.cpu_limit = CpuLimit{};
  besteffort().applied.cpus_effective = CpuSet::range(0, 99);
  for (const auto& [first, last] : {std::pair{0, 1}, {2, 39}}) {
    CgroupSample container;
    container.applied.cpus_effective = CpuSet::range(first, last);
    node.cgroups.push_back(container);
    node.containers.push_back({nullptr, static_cast<CgroupIndex>(node.cgroups.size() - 1), 0});
  }
  EXPECT_EQ(release_after_a_minute(), 0);
  EXPECT_EQ(state.use.best_effort_now->limit, 40000_mcpu);
}

TEST_F(BestEffortTest, TheLowestPriorityAndThenTheBusiestForItsRequest) {
  batch("idle", 10000_mcpu, 5100);
  batch("busy", 10000_mcpu, 5100);
  batch("better", 10000_mcpu, 5200);
  batch("asks-for-nothing", 0_mcpu, 5000);
  cgroup("idle").cpu_use = 100_mcpu;
  cgroup("busy").cpu_use = 5000_mcpu;
  cgroup("better").cpu_use = 9000_mcpu;
  now(50000, 10000);
  EXPECT_EQ(victim_within(60), "busy");
  gone("busy");
  EXPECT_EQ(victim_within(20), "") << "what it leaves has to show first";
  EXPECT_EQ(victim_within(20), "idle");
  EXPECT_EQ(std::get<MilliCpu>(verdict("cpu-evict").why.numbers[1]), 70000_mcpu) << "10000 less";
}

TEST_F(BestEffortTest, WhoIsOnHisWayRequestsNothing) {
  batch("leaving", 30000_mcpu);
  batch("done", 30000_mcpu);
  spec_of("leaving").terminating = true;
  spec_of("done").phase = PodPhase::succeeded;
  now(30000, 10000);
  EXPECT_EQ(release_after_a_minute(), 0);
}

TEST_F(BestEffortTest, GoesOnToTheUpperMark) {
  now(50000, 14000);
  batch("second", 1000_mcpu, 1);
  EXPECT_EQ(victim_within(60), "second");
  gone("second");
  now(50000, 19000);  // 38 %: above the lower mark, below the upper one
  EXPECT_EQ(victim_within(60), "only");
}

// --- CPUEvict: the node's use

struct BusyNodeTest : ::testing::Test, test::EvictingNode {
  BusyNodeTest() : EvictingNode({FeatureGate::cpu_evict}) {
    slo.threshold.evict_enabled_priority_threshold = 5999;
  }
  Pod& pod_using(const std::string& name, MilliCpu use, int priority) {
    Pod& spec = pod(name);
    spec.priority = priority;
    spec.eviction.enabled = true;
    cgroup(name).cpu_use = use;
    return spec;
  }
  /// What is to be released; 0: nothing.
  std::int64_t release(std::int64_t capacity, std::int64_t use, int threshold, std::optional<int> lower) {
    node.node.cpu_capacity = MilliCpu(capacity);
    node.node.cpu_use = MilliCpu(use);
    slo.threshold.cpu_evict_threshold_percent = Percent(threshold);
    if (lower) slo.threshold.cpu_evict_lower_percent = Percent(*lower);
    for (int i = 0; i < 20; ++i) decide();
    const auto& verdict = this->verdict("cpu-priority-evict");
    return verdict.needed ? std::get<MilliCpu>(verdict.why.numbers[3]).count() : 0;
  }
};

TEST_F(BusyNodeTest, ReleasesWhatIsAboveTheLowerMark) {
  const auto fresh = [&](auto... figures) {
    state = {};
    return release(figures...);
  };
  EXPECT_EQ(fresh(100000, 81000, 80, std::optional<int>()), 3000);  // 1
  EXPECT_EQ(fresh(100000, 81000, 78, std::optional<int>()), 5000);  // 2
  // 3: of 87.3 % the reference sees 87, and frees 2560 only (W13).
  EXPECT_EQ(fresh(64000, 55900, 85, std::optional<int>()), 2780);
  EXPECT_EQ(fresh(64000, 54400, 85, std::optional<int>()), 1280);  // 4
  EXPECT_EQ(fresh(64000, 54390, 85, std::optional<int>()), 0);     // 5
  EXPECT_EQ(fresh(64000, 60000, 85, std::optional<int>(70)), 15200) << "6: 14720 of truncated 93 %";
  node.object.cpu_capacity = 128000_mcpu;
  EXPECT_EQ(fresh(64000, 60000, 85, std::optional<int>(70)), 15200) << "a Node older than the machine";
}

TEST_F(BusyNodeTest, InTheOrderOfTheReferenceOneAfterTheOther) {  // victims of 2
  pod_using("pod4", 5000_mcpu, 120).eviction.sub_priority = 3000;
  pod_using("pod3", 1000_mcpu, 120).eviction.sub_priority = 2000;
  pod_using("pod6", 1000_mcpu, 100);
  pod_using("pod7", 2000_mcpu, 100);
  slo.threshold.cpu_evict_threshold_percent = Percent(78);
  // 2, 3, 4 CPUs less: each time the lower mark of 76 is not reached.
  for (const auto& [name, use] :
       {std::pair{"pod7", 81000}, {"pod6", 79000}, {"pod3", 78000}, {"pod4", 77000}}) {
    node.node.cpu_use = MilliCpu(use);
    EXPECT_EQ(victim_within(30), name);
    gone(name);
  }
}

TEST_F(BusyNodeTest, AnEvictionPriorityComesBeforeThePriority) {
  pod_using("low", 1000_mcpu, 100).eviction.priority = 1;
  pod_using("high", 1000_mcpu, 200).eviction.priority = -1;
  slo.threshold.cpu_evict_threshold_percent = Percent(78);
  node.node.cpu_use = 90000_mcpu;
  EXPECT_EQ(victim_within(30), "high");
}

TEST_F(BusyNodeTest, OnlyWhoAllowsItUpToThePriorityAndUsesSomething) {
  pod_using("silent", 1000_mcpu, 100).eviction.enabled = false;
  pod_using("above", 1000_mcpu, 6000);
  pod_using("unclassified-service", 1000_mcpu, 0).label_qos = QosClass::ls;  // 9500 by its class
  pod_using("idle", 0_mcpu, 100);
  pod_using("unmeasured", 0_mcpu, 100);
  cgroup("unmeasured").cpu_use.reset();
  slo.threshold.cpu_evict_threshold_percent = Percent(78);
  node.node.cpu_use = 90000_mcpu;
  EXPECT_EQ(victim_within(40), "");
  EXPECT_EQ(
      verdict("cpu-priority-evict").outcome.text(),
      "no pod can be evicted: of 5 pods 3 are not for this trigger, 0 may not be evicted, for 0 an eviction "
      "was requested lately, the owner of 0 has just lost a pod, 2 would free nothing");
  pod_using("fits", 1000_mcpu, 5999);
  EXPECT_EQ(victim(), "fits");
}

TEST_F(BusyNodeTest, OneBusySecondEvictsNoPod) {
  // Without a window the reference judges by one second (W13).
  pod_using("a", 1000_mcpu, 100);
  slo.threshold.cpu_evict_threshold_percent = Percent(80);
  node.node.cpu_use = 70000_mcpu;
  EXPECT_EQ(victim_within(30), "");
  node.node.cpu_use = 100000_mcpu;
  EXPECT_EQ(victim_within(3), "");
  node.node.cpu_use = 70000_mcpu;
  EXPECT_EQ(victim_within(30), "");
}

TEST_F(BusyNodeTest, AfterAVictimTheWindowBeginsAnew) {
  pod_using("a", 30000_mcpu, 100);
  pod_using("b", 1000_mcpu, 200);
  slo.threshold.cpu_evict_threshold_percent = Percent(80);
  slo.threshold.cpu_evict_time_window_seconds = 120;
  node.node.cpu_use = 95000_mcpu;
  EXPECT_EQ(victim_within(60), "a");
  gone("a");
  node.node.cpu_use = 65000_mcpu;
  EXPECT_EQ(victim_within(200), "") << "what was used before does not count against those that stay";
}

}  // namespace
}  // namespace evenkeel
