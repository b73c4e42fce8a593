// A container that was started again may burst before the pod list names its new id.
#include <gtest/gtest.h>

#include "qos/cpu/burst/burst.h"
#include "tests/support/scenes/one_policy.h"
#include "tests/support/scenes/snapshot_builder.h"

namespace evenkeel {
namespace {

using namespace literals;
using test::intended;
using test::node;

constexpr CgroupId kThird{4711};

/// Two containers of two CPUs each, both throttled.
struct Heir : testing::Test {
  Heir() {
    slo.cpu_burst.policy = BurstPolicy::automatic;
    auto builder = node();
    builder.cpus(64).uses(8000_mcpu).pod("web").ls().quota(400000).burst(0);
    for (const char* name : {"first", "second"})
      builder.container(name).limit(2000_mcpu).quota(200000).burst(0).uses(2000_mcpu).throttled(3);
    snapshot = builder.build();
  }
  void decide() {
    out.clear();
    test::decide_one(burst::cpu_burst_policy, snapshot, slo, state, out);
  }
  CgroupSample& container(std::size_t index) {
    return snapshot.cgroups[static_cast<std::size_t>(snapshot.containers[index].cgroup)];
  }
  void list_nowhere(CgroupIndex directory) {
    snapshot.containers.push_back({.cgroup = directory, .pod = 0});
    ++snapshot.pods[0].container_count;
  }
  /// The first container's directory becomes that of one whose id is not in the list yet.
  void start_again() {
    list_nowhere(snapshot.containers[0].cgroup);
    snapshot.containers[0].cgroup = kNoCgroup;
  }

  NodeSlo slo{};
  decide::PolicyState state{};
  NodeSnapshot snapshot{};
  decide::Intents out{};
};

TEST_F(Heir, MayBurstAtOnce) {
  start_again();
  decide();
  EXPECT_EQ(intended(out, container(2).id, Knob::cpu_burst), 200000);
  EXPECT_EQ(intended(out, container(2).id, Knob::cpu_quota), -1) << "its quota is what it is known by";
  EXPECT_EQ(intended(out, container(1).id, Knob::cpu_quota), 240000) << "the one that is listed";
}

TEST_F(Heir, WithAnotherQuotaItIsAnotherContainer) {  // the sandbox, for example
  start_again();
  for (const auto other : {std::optional<QuotaTime>{}, std::optional(QuotaTime(100000))}) {
    container(2).applied.cpu_limit->quota = other;
    decide();
    EXPECT_EQ(intended(out, container(2).id, Knob::cpu_burst), -1);
  }
}

TEST_F(Heir, WhoIsThereHasNone) {
  auto third = container(0);
  third.id = kThird;
  snapshot.cgroups.push_back(third);
  list_nowhere(static_cast<CgroupIndex>(snapshot.cgroups.size() - 1));
  decide();
  EXPECT_EQ(intended(out, kThird, Knob::cpu_burst), -1);
}

}  // namespace
}  // namespace evenkeel
