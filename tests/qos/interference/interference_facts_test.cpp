// The facts that interference publishes, made from its state.
#include <gtest/gtest.h>

#include "qos/eviction/state.h"
#include "qos/interference/steps.h"

namespace evenkeel::interference {
namespace {

using namespace literals;

/// Three antagonists, each with a limit of its own kind, and pods that are watched.
InterferenceState antagonists() {
  InterferenceState state;
  state.caps = {{.suspect = CgroupId{7}, .limit = {.remedy = Remedy::cache}},
                {.suspect = CgroupId{8}, .limit = {.remedy = Remedy::memory, .memory = 100_MiB}},
                {.suspect = CgroupId{9}, .limit = {.remedy = Remedy::cpu}}};
  state.victims = {{.cgroup = CgroupId{2}}};
  state.units = {{.cgroup = CgroupId{1}}, {.cgroup = CgroupId{3}, .best_effort = true}};
  state.members = {{CgroupId{1}, CgroupId{1}},
                   {CgroupId{2}, CgroupId{1}},
                   {CgroupId{3}, CgroupId{3}},
                   {CgroupId{4}, CgroupId{3}}};
  for (const std::uint32_t id : {9U, 8U, 9U, 8U, 7U, 9U})
    state.confirmed.push_back({.suspect = CgroupId{id}});
  return state;
}

TEST(InterferenceFacts, LimitsAreByKind) {
  decide::CacheLimits cache;
  decide::MemoryLimits memory;
  for (int again = 0; again < 2; ++again) {
    publish(antagonists(), cache);
    publish(antagonists(), memory);
    EXPECT_EQ(cache.antagonists, std::vector{CgroupId{7}});
    EXPECT_EQ(memory.limits, (std::vector<decide::MemoryLimits::Limit>{{CgroupId{8}, 100_MiB}}));
  }
}

TEST(InterferenceFacts, NameTheServicesAndTheBestEffortThatAreWatched) {
  decide::WatchedCgroups watched;
  publish(antagonists(), watched);
  publish(antagonists(), watched);
  EXPECT_EQ(watched.services, std::vector{CgroupId{2}});
  EXPECT_EQ(watched.best_effort, (std::vector{CgroupId{3}, CgroupId{4}}));
}

TEST(InterferenceFacts, NameThePodsThatWereLimitedWithSuccessRepeatedly) {
  InterferenceSettings settings;
  decide::RepeatAntagonists repeat;
  settings.evict_after = 3;
  publish(antagonists(), settings, repeat);
  EXPECT_EQ(repeat.pods, std::vector{CgroupId{9}});
  settings.evict_after = 2;
  publish(antagonists(), settings, repeat);
  EXPECT_EQ(repeat.pods, (std::vector{CgroupId{8}, CgroupId{9}}));
  decide::Shared shared;
  shared.of<decide::RepeatAntagonists>() = repeat;
  eviction::EvictionUse use;
  eviction::take_facts(eviction::EvictionFacts(shared), use);
  EXPECT_EQ(use.antagonists, repeat.pods);
  EXPECT_FALSE(use.braked);
}

}  // namespace
}  // namespace evenkeel::interference
