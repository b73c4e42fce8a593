// Memory QoS: the worked examples of Koordinator's formulas, and where this policy is more careful.
#include <gtest/gtest.h>

#include "qos/memory/memory_qos_terms.h"
#include "qos/memory/policies.h"
#include "tests/support/scenes/one_policy.h"
#include "tests/support/scenes/snapshot_builder.h"

namespace evenkeel {
namespace {

using namespace evenkeel::literals;
using std::chrono::seconds;
using test::held;
using test::intended;
using test::intent;
using test::node;
using test::SnapshotBuilder;

constexpr std::int64_t kGiB = std::int64_t{1} << 30;

MemoryQos asking(std::int64_t min, std::int64_t low, std::int64_t throttling) {
  MemoryQos out;
  out.enable = true;
  out.min_limit_percent = Percent(min);
  out.low_limit_percent = Percent(low);
  out.throttling_percent = Percent(throttling);
  return out;
}
NodeSlo all_classes(const MemoryQos& memory) {
  NodeSlo slo;
  slo.qos.lsr.memory = slo.qos.ls.memory = slo.qos.be.memory = memory;
  return slo;
}

/// A v2 node: every file is there, nothing is set, nothing is used.
NodeSnapshot on_v2(const SnapshotBuilder& builder, Bytes total) {
  auto out = builder.build();
  out.at = MonoTime{} + seconds(100);
  out.node.memory = NodeMemory{total, total, {}, {}, {}};
  for (auto& cgroup : out.cgroups) {
    for (const Knob knob : {Knob::memory_min, Knob::memory_low}) cgroup.applied.plain.set(knob, 0);
    cgroup.applied.plain.set(Knob::memory_high, kPlainMax);
    cgroup.applied.plain.set(Knob::memory_oom_group, 0);
    cgroup.memory.current = Bytes{};
  }
  return out;
}

struct Decided {
  NodeSnapshot node;
  decide::PolicyState state{};
  decide::Intents out{};
  void again(const NodeSlo& slo) {
    out.clear();
    test::decide_one(memory::memory_qos_policy, node, slo, state, out);
  }
  [[nodiscard]] std::int64_t pod(std::size_t index, Knob knob) const {
    return intended(out, node.cgroup(node.pods[index].cgroup)->id, knob);
  }
  [[nodiscard]] CgroupId container_id(std::size_t index) const {
    return node.cgroup(node.containers[index].cgroup)->id;
  }
  [[nodiscard]] std::int64_t container(std::size_t index, Knob knob) const {
    return intended(out, container_id(index), knob);
  }
  [[nodiscard]] std::int64_t at(CgroupIndex index, Knob knob) const {
    return intended(out, node.cgroup(index)->id, knob);
  }
  CgroupSample& sample(std::size_t index) {
    return node.cgroups[static_cast<std::size_t>(node.containers[index].cgroup)];
  }
};
Decided decide(const SnapshotBuilder& builder, const NodeSlo& slo, Bytes total = 32768_MiB) {
  Decided out{on_v2(builder, total)};
  out.again(slo);
  return out;
}
constexpr std::int64_t kNothing = -1;

// --- strategies: worked examples 1 to 12 of memory QoS

struct Example {
  std::int64_t request, limit;  ///< limit 0: none
  std::int64_t min, throttling;
  std::int64_t node;
  std::int64_t expect_min, expect_high;  ///< kNothing: left alone
};
constexpr Example kExamples[] = {
    {kGiB, 3 * kGiB, 50, 80, 32 * kGiB, 536870912, 2791727104},
    {0, 0, 0, 80, 32 * kGiB, kNothing, 27487789056},
    {0, 0, 0, 80, kGiB, kNothing, 858992640},
    {0, 0, 0, 40, kGiB, kNothing, 429494272},
    {kGiB, kGiB, 0, 80, 32 * kGiB, kNothing, 1073741824},
    {2 * kGiB, 6 * kGiB, 0, 80, 32 * kGiB, kNothing, 5583454208},
    {kGiB, 3 * kGiB, 0, 0, 32 * kGiB, kNothing, kNothing},  // the reference writes max
    {kGiB, 0, 0, 50, 32 * kGiB, kNothing, 17716740096},
    {100000000, 300000000, 0, 60, 32 * kGiB, kNothing, 219996160},
    {3000000001, 0, 33, 0, 32 * kGiB, 990000000, kNothing},
};
class MemoryQosExample : public testing::TestWithParam<Example> {};

TEST_P(MemoryQosExample, OfOneContainer) {
  const Example& e = GetParam();
  const auto limit = e.limit > 0 ? std::optional(Bytes(e.limit)) : std::nullopt;
  const auto decided = decide(node().pod("p").ls().container("c").memory(Bytes(e.request), limit),
                              all_classes(asking(e.min, 0, e.throttling)), Bytes(e.node));
  EXPECT_EQ(decided.container(0, Knob::memory_min), e.expect_min);
  EXPECT_EQ(decided.container(0, Knob::memory_high), e.expect_high);
  EXPECT_EQ(decided.pod(0, Knob::memory_high), kNothing) << "containers only";
}
INSTANTIATE_TEST_SUITE_P(Worked, MemoryQosExample, testing::ValuesIn(kExamples));

TEST(MemoryQos, LowIsRaisedToMinBelowAndNotInTheParents) {
  const auto builder =
      node().pod("lsr").lsr().kube(KubeQos::guaranteed).container("c").memory(4096_MiB, 4096_MiB);
  auto both = builder;
  NodeSlo slo = all_classes(asking(100, 80, 0));
  slo.qos.ls.memory = asking(50, 0, 80);
  const auto decided = decide(both.pod("ls").ls().container("d").memory(1024_MiB, 3072_MiB), slo);
  EXPECT_EQ(decided.pod(0, Knob::memory_min), 4294967296);
  EXPECT_EQ(decided.pod(0, Knob::memory_low), 4294967296) << "raised from 3435973836";
  EXPECT_EQ(decided.at(decided.node.burstable, Knob::memory_min), 536870912);
  EXPECT_EQ(decided.at(decided.node.kubepods, Knob::memory_min), 4831838208);
  EXPECT_EQ(decided.at(decided.node.kubepods, Knob::memory_low), 3435973836);
  EXPECT_EQ(decided.at(decided.node.besteffort, Knob::memory_min), kNothing)
      << "no cgroup below asks for any";
}

TEST(MemoryQos, TheThrottlingPointIsNeverBelowWhatIsProtected) {
  const memory::MemoryTerms terms{.min = Percent(100), .throttling = Percent(50)};
  EXPECT_EQ(memory::throttling_point(terms, {Bytes(8 * kGiB), {}}, Bytes(4 * kGiB)), Bytes(8589934592));
}

TEST(MemoryQos, ProtectsNoMoreThanThereIs) {
  const auto decided = decide(
      node().pod("a").ls().container("c").memory(3072_MiB).pod("b").ls().container("d").memory(1024_MiB),
      all_classes(asking(100, 0, 0)), 2048_MiB);
  EXPECT_EQ(decided.pod(0, Knob::memory_min), 1536 * (kGiB >> 10)) << "its share of what is asked for";
  EXPECT_EQ(decided.pod(1, Knob::memory_min), 512 * (kGiB >> 10));
  EXPECT_EQ(decided.at(decided.node.kubepods, Knob::memory_min), 2 * kGiB);
}

TEST(MemoryQos, BestEffortIsMeasuredByItsBatchMemory) {
  const auto decided = decide(node().pod("b").be().container("c").batch_memory(1024_MiB, 3072_MiB),
                              all_classes(asking(50, 0, 80)));
  EXPECT_EQ(decided.container(0, Knob::memory_min), 536870912);
  EXPECT_EQ(decided.container(0, Knob::memory_high), 2791727104);
  EXPECT_EQ(decided.at(decided.node.besteffort, Knob::memory_min), 536870912);
}

// --- who has a say

TEST(MemoryQos, AClassThatIsOffIsLeftAlone) {
  MemoryQos off = asking(50, 50, 80);
  off.enable = false;
  const auto builder = node().pod("p").ls().container("c").memory(1024_MiB, 2048_MiB);
  EXPECT_TRUE(decide(builder, all_classes(off)).out.all().empty());
  EXPECT_TRUE(decide(builder, NodeSlo{}).out.all().empty());
}

TEST(MemoryQos, APodMayAskForItselfAndMayRefuse) {
  using Policy = MemoryQosOverride::Policy;
  const auto pod = [](const MemoryQosOverride& own) {
    return node().pod("p").ls().memory_qos(own).container("c").memory(1024_MiB, 2048_MiB);
  };
  const auto own = decide(pod({.throttling_percent = Percent(50)}), NodeSlo{});
  EXPECT_EQ(own.container(0, Knob::memory_high), 1536 * (kGiB >> 10));
  const auto mixed = decide(pod({.min_limit_percent = Percent(100)}), all_classes(asking(10, 20, 0)));
  EXPECT_EQ(mixed.container(0, Knob::memory_min), kGiB);
  EXPECT_EQ(mixed.container(0, Knob::memory_low), kGiB);
  const auto refused = decide(pod({.policy = Policy::none, .min_limit_percent = Percent(100)}),
                              all_classes(asking(10, 20, 80)));
  EXPECT_TRUE(refused.out.all().empty());
  const auto automatic = decide(pod({.policy = Policy::automatic, .throttling_percent = Percent(50)}),
                                all_classes(asking(100, 100, 80)));
  EXPECT_EQ(automatic.container(0, Knob::memory_min), kNothing) << "built-in values, and they are zero";
  EXPECT_EQ(automatic.container(0, Knob::memory_high), 1536 * (kGiB >> 10));
}

TEST(MemoryQos, KillsAContainerAsAWholeWhereAsked) {
  MemoryQos memory = asking(0, 0, 0);
  const auto builder = node().pod("p").ls().container("c").memory(1024_MiB);
  EXPECT_TRUE(decide(builder, all_classes(memory)).out.all().empty())
      << "zero is no intent: the runtime may have set it";
  memory.oom_kill_group = 1;
  const auto decided = decide(builder, all_classes(memory));
  EXPECT_EQ(decided.pod(0, Knob::memory_oom_group), 1);
  EXPECT_EQ(decided.container(0, Knob::memory_oom_group), 1);
}

// A kubelet with MemoryQoS writes memory.min of a pod while it makes it.
TEST(MemoryQos, APodThatTheKubeletIsStillMakingIsLeftToIt) {
  MemoryQos memory = asking(100, 0, 80);
  memory.oom_kill_group = 1;
  const NodeSlo slo = all_classes(memory);
  const auto pod = node().v2().pod("p").ls().container("c").memory(1024_MiB, 2048_MiB);
  auto listed = pod, made = pod;
  const auto making = decide(listed.without_cgroup(), slo);
  EXPECT_EQ(making.pod(0, Knob::memory_min), kNothing);
  EXPECT_EQ(making.pod(0, Knob::memory_oom_group), kNothing);
  EXPECT_EQ(making.at(making.node.burstable, Knob::memory_min), kGiB) << "the directory is there";
  EXPECT_EQ(decide(made, slo).pod(0, Knob::memory_min), kGiB);
}

// --- what is not known

TEST(MemoryQos, WithoutTheFilesOrThePodsSpecNothingIsAsked) {
  const NodeSlo slo = all_classes(asking(50, 50, 80));
  auto builder = node().pod("p").ls().container("c").memory(1024_MiB, 2048_MiB);
  Decided v1{builder.build()};
  v1.node.node.memory = NodeMemory{32768_MiB, 32768_MiB, {}, {}, {}};
  v1.again(slo);
  EXPECT_TRUE(v1.out.all().empty()) << "no such file";
  EXPECT_TRUE(decide(node().pod("p").ls().cgroup_only().container("c"), slo).out.all().empty());
  EXPECT_TRUE(decide(builder.phase(PodPhase::succeeded), slo).out.all().empty());
}

TEST(MemoryQos, HoldsTheThrottlingPointWhileItsUseIsUnknown) {
  Decided decided{on_v2(node().pod("p").ls().container("c").memory(1024_MiB, 2048_MiB), 32768_MiB)};
  decided.sample(0).memory.current.reset();
  decided.again(all_classes(asking(0, 0, 80)));
  EXPECT_TRUE(held(decided.out, decided.container_id(0), Knob::memory_high));
}

TEST(MemoryQos, HoldsEverythingWhileTheNodesMemoryIsUnknown) {
  Decided decided{on_v2(node().pod("p").ls().container("c").memory(1024_MiB, 2048_MiB), 32768_MiB)};
  decided.node.node.memory.reset();
  decided.again(all_classes(asking(50, 60, 80)));
  const auto pod = decided.node.cgroup(decided.node.pods[0].cgroup)->id;
  for (const auto id : {decided.container_id(0), pod, decided.node.cgroup(decided.node.kubepods)->id})
    EXPECT_TRUE(held(decided.out, id, Knob::memory_min) && held(decided.out, id, Knob::memory_low));
  EXPECT_FALSE(held(decided.out, pod, Knob::memory_high)) << "another policy's";
}

// --- memory.high with care

TEST(MemoryQos, NeverReclaimsByWriting) {
  const NodeSlo slo = all_classes(asking(0, 0, 50));
  Decided decided{on_v2(node().pod("p").ls().container("c").memory(1024_MiB, 2048_MiB), 32768_MiB)};
  decided.sample(0).memory.current = 2000_MiB;  // the point is 1536 MiB
  decided.again(slo);
  EXPECT_EQ(decided.container(0, Knob::memory_high), Bytes(2040_MiB).count()) << "2 % above, in whole MiB";
  decided.sample(0).applied.plain.set(Knob::memory_high, Bytes(2040_MiB).count());
  decided.sample(0).memory.current = 2030_MiB;
  decided.again(slo);
  EXPECT_EQ(decided.container(0, Knob::memory_high), Bytes(2040_MiB).count()) << "it does not follow upwards";
  decided.sample(0).memory.current = 1700_MiB;
  decided.again(slo);
  EXPECT_EQ(decided.container(0, Knob::memory_high), Bytes(1734_MiB).count())
      << "it comes down as the use does";
  decided.sample(0).applied.plain.set(Knob::memory_high, Bytes(1734_MiB).count());
  decided.sample(0).memory.current = 1000_MiB;
  decided.again(slo);
  EXPECT_EQ(decided.container(0, Knob::memory_high), Bytes(1536_MiB).count());
}

TEST(MemoryQos, AStalledContainerGetsMoreUntilItRunsAgain) {
  const NodeSlo slo = all_classes(asking(0, 0, 50));
  Decided decided{on_v2(node().pod("p").ls().container("c").memory(1024_MiB, 2048_MiB), 32768_MiB)};
  auto& sample = decided.sample(0);
  sample.memory.current = 1000_MiB;
  sample.memory.events = MemoryEvents{};
  const auto stalled = [&](double percent) {
    sample.pressure.memory = Pressure{{}, PressureLine{percent, 0, 0, {}}};
  };
  const auto ten_seconds = [&](int throttled) {
    decided.node.at += seconds(10);
    sample.memory.events->high += throttled;
    decided.again(slo);
    return decided.container(0, Knob::memory_high);
  };
  stalled(60);
  decided.again(slo);
  ten_seconds(5);  // the first count says nothing
  EXPECT_EQ(ten_seconds(5), percent_of(1536_MiB, Percent(110)).count()) << "10 % more";
  EXPECT_GT(ten_seconds(5), Bytes(1800_MiB).count());
  for (int i = 0; i < 20; ++i) ten_seconds(5);
  EXPECT_EQ(ten_seconds(5), Bytes(2048_MiB).count()) << "never above its limit";
  EXPECT_EQ(ten_seconds(0), Bytes(2048_MiB).count()) << "stalled, but not by this: it stays";
  stalled(0);
  for (int i = 0; i < 300; ++i) ten_seconds(0);
  EXPECT_EQ(ten_seconds(0), Bytes(1536_MiB).count()) << "back, by hundredths";
}

TEST(MemoryQos, ForgetsContainersThatAreGone) {
  const NodeSlo slo = all_classes(asking(0, 0, 50));
  Decided decided{on_v2(node().pod("p").ls().container("c").memory(1024_MiB, 2048_MiB), 32768_MiB)};
  decided.again(slo);
  EXPECT_EQ(decided.state.of<memory::MemoryQosState>().containers.size(), 1U);
  decided.node = on_v2(node().pod("q").ls(), 32768_MiB);
  decided.node.at += seconds(1);
  decided.again(slo);
  EXPECT_TRUE(decided.state.of<memory::MemoryQosState>().containers.empty());
}

}  // namespace
}  // namespace evenkeel
