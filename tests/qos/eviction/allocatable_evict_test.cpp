// CPUAllocatableEvict and MemoryAllocatableEvict by the worked examples of the reference, one test each.
#include <gtest/gtest.h>

#include "tests/support/scenes/evicting_node.h"

namespace evenkeel {
namespace {

using namespace literals;
using test::operator""_GiB;

struct AllocatableTest : ::testing::Test, test::EvictingNode {
  AllocatableTest()
      : EvictingNode({FeatureGate::cpu_allocatable_evict, FeatureGate::memory_allocatable_evict}) {
    slo.threshold.allocatable_evict_priority_threshold = 7999;
    cpu_marks(80, 70);
  }
  void cpu_marks(int start, int lower) {
    slo.threshold.cpu_allocatable_evict_threshold_percent = Percent(start);
    slo.threshold.cpu_allocatable_evict_lower_percent = Percent(lower);
  }
  void memory_marks(int start, int lower) {
    slo.threshold.memory_allocatable_evict_threshold_percent = Percent(start);
    slo.threshold.memory_allocatable_evict_lower_percent = Percent(lower);
  }
  Pod& requesting(const std::string& name, std::int64_t batch_cpu) {
    Pod& spec = pod(name);
    spec.eviction.enabled = true;
    requests(name).batch_cpu = MilliCpu(batch_cpu);
    return spec;
  }
  template <class Q>
  std::int64_t released(std::string_view trigger) {
    for (int i = 0; i < 21; ++i) decide();
    const auto& verdict = this->verdict(trigger);
    return verdict.needed ? std::get<Q>(verdict.why.numbers[3]).count() : 0;
  }
  std::int64_t cpu_released() { return released<MilliCpu>("batch-cpu-evict"); }
};

TEST_F(AllocatableTest, ReleasesWhatIsAboveTheLowerMark) {
  requesting("a", 85000);
  const auto of = [&](std::int64_t requested, std::int64_t there) {
    state = {};
    requests("a").batch_cpu = MilliCpu(requested);
    node.object.lent.batch_cpu = MilliCpu(there);
    return cpu_released();
  };
  EXPECT_EQ(of(85000, 100000), 15000);  // 1
  EXPECT_EQ(of(80000, 100000), 0);      // 2: it has to be above
  EXPECT_EQ(of(85000, 0), 85000);       // 3: zero is a figure
  cpu_marks(110, 100);
  EXPECT_EQ(of(44000, 40000), 0);     // 5
  EXPECT_EQ(of(44001, 40000), 4001);  // 6
  cpu_marks(0, 0);                    // 4: refused as a configuration, and by the trigger
  EXPECT_EQ(of(85000, 100000), 0);
}

/// The agent advertises what started pods request, even if less can be lent: a restarting kubelet would fail
/// them.
TEST_F(AllocatableTest, WhatCanBeLentCountsWhereTheNodeShowsMore) {
  requesting("a", 85000);
  node.object.lent.batch_cpu = 85000_mcpu;
  cpu_marks(110, 100);
  EXPECT_EQ(cpu_released(), 0);
  state = {};
  node.lendable.batch_cpu = 50000_mcpu;
  EXPECT_EQ(cpu_released(), 35000);
  state = {};
  node.object.lent.batch_cpu.reset();
  EXPECT_EQ(cpu_released(), 0) << "the Node advertises nothing any more";
}

TEST_F(AllocatableTest, ANodeThatSaysNothingIsUnknown) {
  // 3: where batch-cpu is absent the reference releases all that is requested (W11).
  requesting("a", 85000);
  EXPECT_EQ(cpu_released(), 0);
  EXPECT_EQ(verdict("batch-cpu-evict").why.text(), "the Node does not advertise an allocatable amount");
  node.object.lent.batch_cpu = 1000_mcpu;
  node.object_stale = true;
  EXPECT_EQ(cpu_released(), 0);
  EXPECT_EQ(verdict("batch-cpu-evict").why.text(), "the Node object is too old to decide on");
}

TEST_F(AllocatableTest, Memory) {
  const auto of = [&](Bytes requested) {
    state = {};
    requests("a").batch_memory = requested;
    return released<Bytes>("batch-memory-evict");
  };
  requesting("a", 0);
  node.object.lent.batch_memory = 100_GiB;
  memory_marks(80, 70);
  EXPECT_EQ(of(85_GiB), 16'106'127'360);
  memory_marks(45, 40);
  // One byte more than by the reference's floating point.
  EXPECT_EQ(of(50_GiB), 10'737'418'240);
}

TEST_F(AllocatableTest, OnlyThoseThatStayAndCanGiveBackRequest) {
  // The reference also counts finished pods, and native requests that no candidate can give back (W11).
  requesting("a", 60000);
  requesting("done", 60000).phase = PodPhase::succeeded;
  requesting("leaving", 60000).terminating = true;
  Pod& native = requesting("native", 0);
  native.label_qos.reset();
  native.kube_qos = KubeQos::burstable;
  native.priority = 10;
  requests("native").batch_cpu.reset();
  requests("native").cpu = 90000_mcpu;
  node.object.lent.batch_cpu = 100000_mcpu;
  EXPECT_EQ(cpu_released(), 0);
  EXPECT_FALSE(state.pending);
}

TEST_F(AllocatableTest, MidAndBatchAreApart) {
  requesting("batch", 90000);
  Pod& mid = requesting("mid", 0);
  mid.label_qos = QosClass::ls;
  mid.priority = 7100;
  mid.priority_class = PriorityClass::mid;
  requests("mid").batch_cpu.reset();
  requests("mid").mid_cpu = 9000_mcpu;
  node.object.lent.batch_cpu = 100000_mcpu;
  node.object.lent.mid_cpu = 10000_mcpu;
  slo.threshold.allocatable_evict_priority_threshold = 5999;
  EXPECT_EQ(victim_within(21), "batch");
  state = {};
  node.object.lent.batch_cpu = 1000000_mcpu;
  EXPECT_EQ(victim_within(30), "") << "mid is above the priority";
  slo.threshold.allocatable_evict_priority_threshold = 7999;
  EXPECT_EQ(victim(), "mid");
}

TEST_F(AllocatableTest, TheLargestOfTheLowestPriority) {
  requesting("small", 10000).priority = 5100;
  requesting("large", 30000).priority = 5100;
  requesting("better", 50000).priority = 5200;
  requesting("silent", 50000).eviction.enabled = false;
  node.object.lent.batch_cpu = 100000_mcpu;
  EXPECT_EQ(victim_within(30), "large");
  gone("large");
  EXPECT_EQ(victim_within(19), "");
  EXPECT_EQ(victim_within(5), "small");
}

}  // namespace
}  // namespace evenkeel
