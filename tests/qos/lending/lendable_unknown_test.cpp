// Where we do better than Koordinator: unknown is not zero, amplification and huge pages are not lent. And
// what the sum is explained with.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/scenes/lending.h"

namespace evenkeel {
namespace {

using test::cpus;
using test::gb;
using test::LendingNode;
using test::worked_example;

TEST(LendableUnknown, TheSystemsUseIsNotZeroWhenItIsUnknown) {
  auto node = worked_example();
  node.usage.system.cpu.reset();
  EXPECT_EQ(node.lend().batch_cpu, std::nullopt);
  EXPECT_EQ(node.lend().batch_memory, gb(33));
  EXPECT_EQ(node.lend().unknown_reason, "batch-cpu: the system's use is unknown");
  EXPECT_EQ(node.policies("maxUsageRequest", "usage").lend().batch_cpu, std::nullopt);
}

TEST(LendableUnknown, AHostApplicationWhoseUseIsUnknownHidesTheSystems) {
  auto node = worked_example().host_application(PriorityClass::prod, 1, 1);
  node.usage.host_applications[0].usage.memory.reset();
  EXPECT_EQ(node.lend().batch_cpu, cpus(24));
  EXPECT_EQ(node.lend().batch_memory, std::nullopt);
  node.usage.host_applications[0].priority_class = PriorityClass::batch;
  EXPECT_EQ(node.lend().batch_memory, gb(33)) << "it would not count anyway";
}

TEST(LendableUnknown, WithoutAListOfPodsNothingIsKnown) {
  auto node = worked_example().policies("maxUsageRequest", "request");
  node.pods_known = false;
  EXPECT_EQ(node.lend().batch_cpu, std::nullopt);
  EXPECT_EQ(node.lend().batch_memory, std::nullopt);
  EXPECT_EQ(node.lend().mid_cpu, std::nullopt) << "mid would fall below what pods request";
  EXPECT_EQ(node.lend().mid_memory, std::nullopt);
  EXPECT_EQ(
      node.lend().unknown_reason,
      "batch-cpu: the pods are unknown; batch-memory: the pods are unknown; mid-cpu: the pods are unknown; "
      "mid-memory: the pods are unknown");
}

TEST(LendableUnknown, FromTheCgroupTreeAloneNoMidIsComputed) {
  auto node = worked_example().reclaimable(10, 10).uses_in_all(1, 1);
  ASSERT_TRUE(node.lend().mid_cpu);
  for (Pod& pod : node.pods) pod.from_cgroup_only = true;
  EXPECT_EQ(node.lend().mid_cpu, std::nullopt) << "the kubelet does not answer, and the tree is the list";
}

TEST(LendableUnknown, APodKnownFromItsCgroupOnlyCountsByItsUseOrNotAtAll) {
  auto node = worked_example().pod("bare").uses(1, 1);
  node.pods.back().from_cgroup_only = true;
  EXPECT_EQ(node.lend().batch_cpu, cpus(24));
  EXPECT_EQ(node.policies("usage", "request").lend().batch_memory, std::nullopt);
  EXPECT_EQ(node.lend().unknown_reason,
            "batch-memory: what pods known only from their cgroups request is unknown");
  EXPECT_EQ(node.policies("maxUsageRequest", "usage").lend().batch_cpu, std::nullopt);
  node.usage.pods.pop_back();
  EXPECT_EQ(node.policies("usage", "usage").lend().batch_cpu, std::nullopt) << "nor is it measured yet";
  node.pods.back().kube_qos = KubeQos::besteffort;
  EXPECT_EQ(node.lend().batch_cpu, cpus(25)) << "best effort takes nothing";
}

TEST(LendableUnknown, APodMeasuredInOneResourceOnlyIsChargedItsRequestForTheOther) {
  auto node = worked_example().pod("new").requests(2, 3).uses(0, 1);
  node.usage.pods.back().usage.cpu.reset();
  EXPECT_EQ(node.lend().batch_cpu, cpus(23));
  EXPECT_EQ(node.lend().batch_memory, gb(32));
}

TEST(LendableUnknown, MidNeedsTheNodesUseOnlyWhereThereIsSomethingToReclaim) {
  auto node = LendingNode().capacity(100, 100).system(1, 1);
  EXPECT_EQ(node.lend().mid_cpu, cpus(0));
  node.reclaimable(0, 5);
  EXPECT_EQ(node.lend().mid_cpu, cpus(0));
  EXPECT_EQ(node.lend().mid_memory, std::nullopt);
  EXPECT_EQ(node.lend().unknown_reason, "mid-memory: the node's use is unknown");
  node.uses_in_all(1, 1);
  EXPECT_EQ(node.lend().mid_memory, gb(5));
  node.usage.system = {};
  EXPECT_EQ(node.lend().mid_memory, gb(5)) << "the system's use matters for what is unallocated";
  node.strategy.mid_unallocated_percent = Percent(10);
  EXPECT_EQ(node.lend().mid_memory, std::nullopt);
}

TEST(LendableKernel, WithoutANodeObjectTheKernelsViewCounts) {
  LendingNode node = worked_example();
  node.object = {};
  EXPECT_EQ(node.lend().batch_cpu, std::nullopt);
  EXPECT_TRUE(node.lend().unknown_reason.starts_with("batch-cpu: the node's capacity is unknown; "));
  node.node.cpu_capacity = cpus(100);
  node.node.memory = NodeMemory{.total = gb(120)};
  EXPECT_EQ(node.lend().batch_cpu, cpus(25));
  EXPECT_EQ(node.lend().batch_memory, gb(33));
  node.object.memory_allocatable = gb(100);  // half an object: 20 GB are the kubelet's
  EXPECT_EQ(node.lend().batch_memory, gb(25));
}

TEST(LendableKernel, AmplifiedAllocatableDoesNotHideWhatIsReserved) {
  auto node = worked_example().allocatable(180, 160);
  EXPECT_EQ(node.lend().batch_cpu, cpus(25));
  node.object.cpu_raw_allocatable = cpus(90);
  node.object.memory_raw_allocatable = gb(100);
  EXPECT_EQ(node.lend().batch_cpu, cpus(22));
  EXPECT_EQ(node.lend().batch_memory, gb(25));
}

// 120 GB, of which 20 are pools. The kernel counts them as used, the kubelet takes them out of allocatable.
TEST(LendableHugePages, AreNoMemoryAndArePaidForOnce) {
  auto node = worked_example().allocatable(100, 100).system(7, 12 + 20).uses_in_all(50, 65);
  node.node.memory->hugepages = gb(20);
  EXPECT_EQ(node.lend().batch_memory, gb(100 - 35 - 12 - 33));
  EXPECT_EQ(node.policies("usage", "request").lend().batch_memory, gb(100 - 35 - 60));
  EXPECT_EQ(node.reclaimable(0, 90).lend().mid_memory, gb(55)) << "capacity - use, pools in neither";
  node.strategy.batch_memory_threshold_percent = Percent(1);
  EXPECT_EQ(node.lend().batch_memory, gb(1));
}

TEST(LendableHugePages, AreNotLentByRequestEvenIfTheKubeletDoesNotKnowThem) {
  auto node = worked_example().policies("usage", "request").system(7, 32);
  node.node.memory->hugepages = gb(20);  // reserved after the kubelet started
  EXPECT_EQ(node.lend().batch_memory, gb(100 - 35 - 60));
}

TEST(LendableHugePages, UnknownPoolsMakeMemoryUnknown) {
  auto node = worked_example();
  node.node.memory.reset();
  EXPECT_EQ(node.lend().batch_cpu, cpus(25));
  EXPECT_EQ(node.lend().batch_memory, std::nullopt);
}

const lending::LendTerm* term(const lending::Lendable& lend, std::string_view name) {
  const auto found =
      std::find_if(lend.terms.begin(), lend.terms.end(), [&](const auto& t) { return t.name == name; });
  return found == lend.terms.end() ? nullptr : &*found;
}

TEST(LendableTerms, SayEveryNumberAndWhereItComesFrom) {
  auto node = worked_example().allocatable(90, 100).reserves(2, 5).host_application(PriorityClass::mid, 1, 2);
  node.pod("new").requests(1, 1).gone(PriorityClass::prod, 1, 0);
  const auto lend = node.lend();
  EXPECT_EQ(lend.batch_cpu, cpus(20));
  struct Line {
    const char* name;
    const char* source;
    double cpu, memory;
  };
  for (const auto& line : std::vector<Line>{
           {"capacity", "node object", 100, 120},
           {"margin", "cpuReclaimThresholdPercent 65, memoryReclaimThresholdPercent 65", 35, 42},
           {"kubelet reserved", "node object: capacity - allocatable", 10, 20},
           {"node reservation", "annotation node.koordinator.sh/reservation", 2, 5},
           {"system", "measured: node - pods - host applications", 7, 12},
           {"host application", "app: measured, mid", 1, 2},
           {"system or reserved", "the larger one; with policy request only what is reserved", 10, 20},
           {"pods above batch",
            "CPU by usage, memory by usage: 2 measured, 1 not measured yet, by request, 1 measured and gone",
            35, 34},
           {"batch", "capacity - margin - system or reserved - pods above batch, at most the limit", 20, 24},
           {"prod reclaimable", "no peak prediction yet", 0, 0},
           {"mid limit", "midCPUThresholdPercent, midMemoryThresholdPercent", 100, 120},
       }) {
    const auto* found = term(lend, line.name);
    ASSERT_NE(found, nullptr) << line.name;
    EXPECT_EQ(found->source, line.source);
    EXPECT_EQ(found->cpu, cpus(line.cpu)) << line.name;
    EXPECT_EQ(found->memory, gb(line.memory)) << line.name;
  }
  EXPECT_EQ(term(lend, "huge pages"), nullptr);
  EXPECT_EQ(term(lend, "batch limit"), nullptr);
}

TEST(LendableTerms, LeaveOutWhatIsUnknownAndTellTwoSourcesApart) {
  auto node = worked_example();
  node.object.memory_capacity.reset();
  node.node.memory = NodeMemory{.total = gb(150), .hugepages = gb(30)};
  node.usage.system.cpu.reset();
  node.strategy.mid_reclaim_mode = "static";
  node.strategy.mid_static_cpu_reserved_percent = Percent(10);
  const auto lend = node.lend();
  ASSERT_GE(lend.terms.size(), 3U);
  EXPECT_EQ(lend.terms[0].source, "node object");
  EXPECT_EQ(lend.terms[0].memory, std::nullopt);
  EXPECT_EQ(lend.terms[1].source, "kernel");
  EXPECT_EQ(lend.terms[1].memory, gb(120));
  EXPECT_EQ(term(lend, "huge pages")->memory, gb(30));
  EXPECT_EQ(term(lend, "system")->cpu, std::nullopt);
  EXPECT_EQ(term(lend, "mid reserve")->cpu, cpus(10));
  EXPECT_EQ(term(lend, "prod reclaimable"), nullptr);
}

TEST(LendableExtremes, AbsurdAmountsStayWithinTheRange) {
  auto node = worked_example();
  node.object.memory_capacity = Bytes(std::int64_t{1} << 60);
  node.strategy.memory_reclaim_threshold_percent = Percent(INT32_MAX);
  EXPECT_GT(*node.lend().batch_memory, *node.object.memory_capacity);
  for (int i = 0; i < 20; ++i) {
    node.pod("p" + std::to_string(i));
    node.pods.back().containers[0].requests.memory = Bytes(std::int64_t{1} << 60);
  }
  EXPECT_GE(*node.lend().batch_memory, Bytes(0));
  EXPECT_EQ(node.lend_zones({{cpus(1), Bytes(std::int64_t{1} << 60)}}).zones.size(), 1U);
}

}  // namespace
}  // namespace evenkeel
