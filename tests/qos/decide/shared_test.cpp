// The facts that policies share: in which order policies may stand, and which facts a policy
// reaches.
#include "qos/decide/shared.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "qos/eviction/state.h"
#include "qos/registry.h"

namespace evenkeel::decide {
namespace {

using Publisher = FactView<Publishes<BurstQuotas>>;
using Reader = FactView<Reads<BurstQuotas>>;
using LateReader = FactView<ReadsPrevious<BurstQuotas>>;
using Keeper = FactView<Amends<NarrowedChildren>>;

template <class... Each>
constexpr std::optional<std::size_t> misplaced_in() {
  return first_misplaced(std::array{Each::kUse...});
}

TEST(SharedFacts, AreReadAfterTheyArePublished) {
  static_assert(!misplaced_in<Publisher, Reader>());
  static_assert(misplaced_in<Reader, Publisher>() == 0);
  static_assert(misplaced_in<Keeper, Reader>() == 1, "no policy publishes it");
}

TEST(SharedFacts, OfTheTickBeforeAreReadBeforeTheyArePublished) {
  static_assert(!misplaced_in<LateReader, Publisher>());
  static_assert(misplaced_in<Publisher, LateReader>() == 1, "it would read those of the same tick");
  static_assert(misplaced_in<LateReader>() == 0);
}

TEST(SharedFacts, HaveOnePublisher) {
  static_assert(misplaced_in<Publisher, Reader, Publisher>() == 2);
  static_assert(misplaced_in<FactView<Publishes<NarrowedChildren>>, Keeper>() == 0);
}

TEST(SharedFacts, ThatAreKeptTogetherAskForNoOrder) {
  using Other = FactView<Publishes<PushedBackMemory>, Amends<NarrowedChildren>>;
  static_assert(!misplaced_in<Keeper, Other>());
  static_assert(!misplaced_in<Other, Keeper>());
}

TEST(SharedFacts, TheOrderOfThePoliciesFollowsThem) {
  constexpr auto uses = fact_uses_of(kPolicies);
  static_assert(!first_misplaced(uses));
  auto reversed = uses;
  std::ranges::reverse(reversed);
  EXPECT_TRUE(first_misplaced(reversed));
  // Each pair of a publisher and a reader holds by itself.
  const auto place = [](std::string_view name) {
    return std::ranges::find(policies(), name, [](const auto* each) { return each->name; }) -
           policies().begin();
  };
  for (const auto& [one, other] :
       {std::pair("cpu-burst", "cpu-normalization"), {"resctrl", "interference"}}) {
    auto swapped = uses;
    std::swap(swapped[static_cast<std::size_t>(place(one))], swapped[static_cast<std::size_t>(place(other))]);
    EXPECT_TRUE(first_misplaced(swapped)) << one;
  }
}

template <class View, class Fact>
concept CanRead = requires(View view) {
  view.template read<Fact>();
};
template <class View, class Fact>
concept CanPublish = requires(View view) {
  view.template publish<Fact>();
};
template <class View, class Fact>
concept CanAmend = requires(View view) {
  view.template amend<Fact>();
};

TEST(SharedFacts, AreReachedOnlyAsDeclared) {
  static_assert(CanPublish<Publisher, BurstQuotas> && !CanPublish<Publisher, CacheLimits>);
  static_assert(!CanPublish<Reader, BurstQuotas> && !CanAmend<Reader, BurstQuotas>);
  static_assert(CanRead<Reader, BurstQuotas> && CanRead<LateReader, BurstQuotas>);
  static_assert(!CanRead<Publisher, BurstQuotas> && !CanRead<Reader, CacheLimits>);
  static_assert(CanAmend<Keeper, NarrowedChildren> && !CanPublish<Keeper, NarrowedChildren>);
}

TEST(SharedFacts, EachPolicyDeclaresWhatItUses) {
  using brake::BrakePolicy, cache::ResctrlPolicy, interference::InterferencePolicy,
      memory::MemoryPushBackPolicy;
  using suppress::CpuSuppressPolicy, burst::CpuBurstPolicy, burst::CpuNormalizationPolicy;
  const auto is = [](const FactUse& use, FactSet publishes, FactSet reads, FactSet previous, FactSet amends) {
    return use.publishes == publishes && use.reads == reads && use.reads_previous == previous &&
           use.amends == amends;
  };
  EXPECT_TRUE(is(CpuSuppressPolicy::Facts::kUse, 0, kFactSet<ServiceObjectives>,
                 kFactSet<HarmfulLevers, BrakeInForce>, kFactSet<NarrowedChildren>));
  EXPECT_TRUE(is(io::BlkioPolicy::Facts::kUse, 0, kFactSet<ServiceObjectives>, 0, 0));
  EXPECT_TRUE(is(io::DiskSuppressPolicy::Facts::kUse, 0, 0, kFactSet<LeversOnTrial>, 0));
  EXPECT_TRUE(is(objectives::ObjectivesPolicy::Facts::kUse, kFactSet<ServiceObjectives>, 0, 0, 0));
  EXPECT_TRUE(is(proof::ProofPolicy::Facts::kUse, kFactSet<HarmfulLevers, LeversOnTrial>,
                 kFactSet<BrakeInForce, ServiceObjectives>, 0, 0));
  EXPECT_TRUE(is(CpuBurstPolicy::Facts::kUse, kFactSet<BurstQuotas>, 0, 0, 0));
  EXPECT_TRUE(is(CpuNormalizationPolicy::Facts::kUse, 0, kFactSet<BurstQuotas>, 0, 0));
  EXPECT_TRUE(
      is(MemoryPushBackPolicy::Facts::kUse, kFactSet<PushedBackMemory>, kFactSet<ServiceObjectives>, 0, 0));
  EXPECT_TRUE(is(ResctrlPolicy::Facts::kUse, 0, 0, kFactSet<CacheLimits, WatchedCgroups>, 0));
  EXPECT_TRUE(is(InterferencePolicy::Facts::kUse,
                 kFactSet<CacheLimits, MemoryLimits, WatchedCgroups, RepeatAntagonists>, 0,
                 kFactSet<HarmfulLevers>, 0));
  EXPECT_TRUE(is(BrakePolicy::Facts::kUse, kFactSet<BrakeInForce>, 0, kFactSet<HarmfulLevers>,
                 kFactSet<NarrowedChildren>));
  EXPECT_EQ(memory::ReclaimFacts::kUse.reads, (kFactSet<PushedBackMemory, BrakeInForce, MemoryLimits>));
  EXPECT_EQ(eviction::EvictionFacts::kUse.reads, (kFactSet<BrakeInForce, RepeatAntagonists>));
  FactSet all = 0;
  for (const FactUse& use : fact_uses_of(kPolicies)) all |= use.publishes | use.amends;
  EXPECT_EQ(all, (FactSet{1} << std::tuple_size_v<Shared::All>)-1)
      << "each fact has a policy that publishes or amends it";
}

/// A value for each fact that is not the one it begins with.
Shared changed_facts() {
  Shared shared;
  shared.of<BurstQuotas>() = {.containers = {CgroupId{1}}, .raised_pods = {CgroupId{2}}};
  shared.of<PushedBackMemory>() = {.target = Bytes(1)};
  shared.of<BrakeInForce>() = {.cpu = true, .memory = Bytes(1)};
  shared.of<MemoryLimits>() = {.limits = {{CgroupId{1}, Bytes(1)}}};
  shared.of<CacheLimits>() = {.antagonists = {CgroupId{1}}};
  shared.of<WatchedCgroups>() = {.services = {CgroupId{1}}, .best_effort = {CgroupId{2}}};
  shared.of<RepeatAntagonists>() = {.pods = {CgroupId{1}}};
  shared.of<HarmfulLevers>() = {.besteffort_quota = true};
  shared.of<LeversOnTrial>() = {.disk_suppression = true};
  shared.of<ServiceObjectives>() = {.in_force = true, .besteffort_cpu = MilliCpu(1)};
  shared.of<NarrowedChildren>().children[CgroupId{1}] = {};
  return shared;
}

TEST(SharedFacts, AreWithdrawnWhenTheirPolicyIsSwitchedOff) {
  PolicyState state;
  state.shared = changed_facts();
  EXPECT_FALSE(state.shared == Shared{});
  std::apply(
      [&](const auto*... each) {
        (each->reset(state.of<typename std::decay_t<decltype(*each)>::State>(), state.shared), ...);
      },
      std::tuple(&burst::cpu_burst_policy, &memory::memory_push_back_policy,
                 &interference::interference_policy, &brake::brake_policy, &suppress::cpu_suppress_policy,
                 &proof::proof_policy, &objectives::objectives_policy));
  Shared left;
  left.of<NarrowedChildren>() = changed_facts().of<NarrowedChildren>();
  EXPECT_EQ(state.shared, left) << "what children had before is kept until they have it again";
}

}  // namespace
}  // namespace evenkeel::decide
