// Pods on lent resources: what they asked for becomes what their cgroups hold.
#include "qos/lending/batch_resources.h"

#include <gtest/gtest.h>

#include "tests/support/scenes/one_policy.h"
#include "tests/support/scenes/snapshot_builder.h"

namespace evenkeel {
namespace {

using namespace evenkeel::literals;
using test::held;
using test::intended;
using test::node;
using test::SnapshotBuilder;

constexpr std::int64_t kNothing = -1;

/// As the kubelet leaves best effort: fewest shares, no limits.
NodeSnapshot as_made(const SnapshotBuilder& builder) {
  auto out = builder.build();
  for (auto& cgroup : out.cgroups) {
    if (!cgroup.applied.cpu_shares) cgroup.applied.cpu_shares = out.v2_cpu ? 1 : 2;
    if (!cgroup.applied.cpu_limit) cgroup.applied.cpu_limit = CpuLimit{};
    cgroup.applied.plain.set(Knob::memory_limit, kPlainMax);
    cgroup.memory.current = Bytes{};
  }
  return out;
}

struct Decided {
  NodeSnapshot node;
  decide::Intents out{};
  void again() {
    out.clear();
    decide::PolicyState state;
    test::decide_one(lending::batch_resources_policy, node, NodeSlo{}, state, out);
  }
  CgroupSample& pod() { return node.cgroups[static_cast<std::size_t>(node.pods[0].cgroup)]; }
  CgroupSample& container(std::size_t index) {
    return node.cgroups[static_cast<std::size_t>(node.containers[index].cgroup)];
  }
  std::int64_t of_pod(Knob knob) { return intended(out, pod().id, knob); }
  std::int64_t of_container(std::size_t index, Knob knob) { return intended(out, container(index).id, knob); }
};
Decided decide(const SnapshotBuilder& builder) {
  Decided out{as_made(builder)};
  out.again();
  return out;
}

SnapshotBuilder batch_pod() {
  return node()
      .pod("batch")
      .be()
      .container("main")
      .batch_cpu(500_mcpu, 2000_mcpu)
      .batch_memory(512_MiB, 1024_MiB);
}

TEST(BatchResources, SharesQuotaAndLimitAreWhatWasAskedFor) {
  auto decided = decide(batch_pod());
  EXPECT_EQ(decided.of_container(0, Knob::cpu_shares), 512);
  EXPECT_EQ(decided.of_container(0, Knob::cpu_quota), 200000);
  EXPECT_EQ(decided.of_container(0, Knob::memory_limit), Bytes(1024_MiB).count());
  EXPECT_EQ(decided.of_pod(Knob::cpu_shares), 512);
  EXPECT_EQ(decided.of_pod(Knob::cpu_quota), 200000);
  EXPECT_EQ(decided.of_pod(Knob::memory_limit), Bytes(1024_MiB).count());
}

TEST(BatchResources, APodHasTheSumAndOneWithoutALimitLeavesItWithoutOne) {
  auto both =
      decide(batch_pod().container("side").batch_cpu(250_mcpu, 500_mcpu).batch_memory(1_MiB, 512_MiB));
  EXPECT_EQ(both.of_pod(Knob::cpu_shares), 768);
  EXPECT_EQ(both.of_pod(Knob::cpu_quota), 250000);
  EXPECT_EQ(both.of_pod(Knob::memory_limit), Bytes(1536_MiB).count());
  auto open = decide(batch_pod().container("side").batch_cpu(250_mcpu, {}));
  EXPECT_EQ(open.of_pod(Knob::cpu_shares), 768);
  EXPECT_EQ(open.of_pod(Knob::cpu_quota), kNothing);
  EXPECT_EQ(open.of_pod(Knob::memory_limit), kNothing);
  EXPECT_EQ(open.of_container(0, Knob::cpu_quota), 200000) << "the other keeps its own";
  EXPECT_EQ(open.of_container(1, Knob::cpu_quota), kNothing);
}

TEST(BatchResources, OnV2SharesAreAWeightAndTheRatioShortensTheQuota) {
  NodeObject object;
  object.cpu_normalization_ratio = 1.2;
  auto decided = decide(batch_pod().v2().object(object));
  EXPECT_EQ(decided.of_container(0, Knob::cpu_shares), 20) << "the worked example: 512 shares";
  EXPECT_EQ(decided.of_container(0, Knob::cpu_quota), 166667);
  object.cpu_normalization_ratio = 0.5;
  EXPECT_EQ(decide(batch_pod().object(object)).of_container(0, Knob::cpu_quota), 200000) << "never more";
}

TEST(BatchResources, TheKernelsLeastQuotaIsAMillisecond) {
  auto decided = decide(node().pod("b").be().container("c").batch_cpu({}, 1_mcpu));
  EXPECT_EQ(decided.of_container(0, Knob::cpu_quota), 1000);
  EXPECT_EQ(decided.of_container(0, Knob::cpu_shares), 2) << "a limit alone is the request, too";
}

TEST(BatchResources, WhoAsksForTheNodesOwnResourcesHasThemFromTheKubelet) {
  for (const auto& builder :
       {node().pod("s").ls().container("c").request(500_mcpu).limit(1000_mcpu),
        node().pod("b").be().container("c"), node().pod("b").be().cgroup_only().container("c")})
    EXPECT_TRUE(decide(builder).out.all().empty());
  auto both = decide(node()
                         .pod("b")
                         .container("c")
                         .request(100_mcpu)
                         .batch_cpu(500_mcpu, 2000_mcpu)
                         .batch_memory(1_MiB, 64_MiB));
  EXPECT_EQ(both.of_container(0, Knob::cpu_quota), kNothing) << "its CPU is the kubelet's";
  EXPECT_EQ(both.of_container(0, Knob::memory_limit), Bytes(64_MiB).count()) << "its memory is not";
}

TEST(BatchResources, ThePodKeepsItsShareOfTheNodesOwnCpu) {
  auto mixed = decide(
      node().pod("b").container("own").request(100_mcpu).container("lent").batch_cpu(500_mcpu, 2000_mcpu));
  EXPECT_EQ(mixed.of_pod(Knob::cpu_shares), 614) << "102 of the kubelet and 512";
  EXPECT_EQ(mixed.of_container(0, Knob::cpu_shares), kNothing) << "it is the kubelet's";
  EXPECT_EQ(mixed.of_container(1, Knob::cpu_shares), 512);
}

TEST(BatchResources, ALimitOfThePodAsAWholeIsTheKubelets) {
  auto decided = decide(batch_pod().pod_level_limit(1000_mcpu));
  EXPECT_EQ(decided.of_pod(Knob::cpu_quota), kNothing);
  EXPECT_EQ(decided.of_container(0, Knob::cpu_quota), kNothing);
  EXPECT_EQ(decided.of_container(0, Knob::memory_limit), Bytes(1024_MiB).count());
}

TEST(BatchResources, ALimitBelowWhatIsInUseComesDownWithTheUse) {
  auto decided = decide(batch_pod());
  decided.container(0).memory.current = 2000_MiB;
  decided.again();
  EXPECT_EQ(decided.of_container(0, Knob::memory_limit), Bytes(2040_MiB).count())
      << "2 % above, in whole MiB";
  decided.container(0).applied.plain.set(Knob::memory_limit, Bytes(2040_MiB).count());
  decided.container(0).memory.current = 2039_MiB;
  decided.again();
  EXPECT_EQ(decided.of_container(0, Knob::memory_limit), Bytes(2040_MiB).count()) << "it never rises again";
  decided.container(0).memory.current = 500_MiB;
  decided.again();
  EXPECT_EQ(decided.of_container(0, Knob::memory_limit), Bytes(1024_MiB).count());
  decided.container(0).memory.current.reset();
  decided.again();
  EXPECT_TRUE(held(decided.out, decided.container(0).id, Knob::memory_limit)) << "unknown is not zero";
}

TEST(BatchResources, NothingIsWrittenBeforeTheMakerIsDone) {
  auto decided = decide(batch_pod().shares(1024));
  EXPECT_EQ(decided.of_container(0, Knob::cpu_quota), kNothing) << "the runtime has still to write";
  decided.container(0).cpu_use = 0_mcpu;
  decided.again();
  EXPECT_EQ(decided.of_container(0, Knob::cpu_quota), 200000) << "a runtime that writes no shares";
}

TEST(BatchResources, AThousandthOfACpuLooksLikeAFreshGroupAndIsNot) {
  auto decided = decide(node().pod("b").be().container("c").batch_cpu(1000_mcpu, {}).uses(10_mcpu));
  EXPECT_EQ(decided.of_container(0, Knob::cpu_shares), 1024);
  decided.container(0).applied.cpu_shares = 1024;
  decided.again();
  EXPECT_EQ(decided.of_container(0, Knob::cpu_shares), 1024) << "what we wrote ourselves";
}

TEST(BatchResources, MissingFilesAreNoNews) {
  auto decided = decide(batch_pod());
  for (auto& cgroup : decided.node.cgroups) cgroup.applied = {};
  decided.again();
  EXPECT_TRUE(decided.out.all().empty());
}

TEST(BatchResources, SharesAreConvertedAsTheKubeletDoes) {
  EXPECT_EQ(lending::shares_for(0_mcpu, false), 2);
  EXPECT_EQ(lending::shares_for(100_mcpu, false), 102);
  EXPECT_EQ(lending::shares_for(300000_mcpu, false), 262144);
  EXPECT_EQ(lending::shares_for(1_mcpu, false), 2);
  EXPECT_EQ(lending::shares_for(250_mcpu, false), 256);
  EXPECT_EQ(lending::shares_for(1000_mcpu, false), 1024);
  EXPECT_EQ(lending::shares_for(0_mcpu, true), 1);
  EXPECT_EQ(lending::shares_for(100_mcpu, true), 4);
  EXPECT_EQ(lending::shares_for(500_mcpu, true), 20);
  EXPECT_EQ(lending::shares_for(2000_mcpu, true), 79);
  EXPECT_EQ(lending::shares_for(10000_mcpu, true), 391);
  EXPECT_EQ(lending::shares_for(1000_mcpu, true), 39);
  EXPECT_EQ(lending::shares_for(300000_mcpu, true), 10000);
}

}  // namespace
}  // namespace evenkeel
