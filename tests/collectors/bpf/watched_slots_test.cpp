// Which cgroup owns which row of the BPF tables.
#include <gtest/gtest.h>

#include <algorithm>

#include "collectors/bpf/brake_shared.h"
#include "collectors/bpf/tables_shared.h"
#include "collectors/bpf/watched_cgroups.h"

namespace evenkeel {
namespace {

using namespace std::chrono_literals;

constexpr bpf::WatchSlot kNeverGiven = 0x7fff;

constexpr MonoTime at(Duration time) { return MonoTime(time); }

TEST(WatchedSlots, ARowThatTheKernelStillRemembersIsNotReused) {
  bpf::WatchedSlots slots(3);
  EXPECT_EQ(slots.take(CgroupId{1}, at(0s)), 1U);
  EXPECT_EQ(slots.take(CgroupId{2}, at(0s)), 2U);
  EXPECT_EQ(slots.take(CgroupId{3}, at(0s)), std::nullopt) << "slot 0 belongs to no cgroup";
  slots.retire(CgroupId{1}, at(1s));
  EXPECT_EQ(slots.owner(1), CgroupId{1}) << "an owner that left is still named for what it did before";
  EXPECT_FALSE(slots.alive(1));
  EXPECT_EQ(slots.take(CgroupId{3}, at(1s)), std::nullopt);
  EXPECT_EQ(slots.take(CgroupId{3}, at(1s + bpf::WatchedSlots::kRetirement)), 1U);
  EXPECT_EQ(slots.owner(1), CgroupId{3});
  EXPECT_EQ(slots.find(CgroupId{1}), std::nullopt);
  EXPECT_EQ(slots.find(CgroupId{3}), 1U);
  auto owners = slots.owners();
  std::ranges::sort(owners);
  EXPECT_EQ(owners, (std::vector{CgroupId{2}, CgroupId{3}}));
}

TEST(WatchedSlots, EndlessChurnNeedsNoMoreRows) {
  bpf::WatchedSlots slots(512);
  std::uint32_t next = 1;
  for (int tenth = 0; tenth < 6000; ++tenth) {  // ten minutes with fifty per second
    const auto now = at(tenth * 100ms);
    for (int i = 0; i < 5; ++i) {
      ASSERT_TRUE(slots.take(CgroupId{next}, now)) << next;
      slots.retire(CgroupId{next++}, now);
    }
  }
  EXPECT_EQ(slots.taken(), 0U);
}

TEST(WatchedSlots, AnUnassignedRowHasNoOwner) {
  bpf::WatchedSlots slots(4);
  EXPECT_EQ(slots.owner(kNoSlot), CgroupId{});
  EXPECT_EQ(slots.owner(kNeverGiven), CgroupId{});
  EXPECT_FALSE(slots.alive(kNeverGiven));
  slots.retire(CgroupId{9}, at(0s));
  EXPECT_EQ(slots.taken(), 0U);
}

/// As docs/permissions.md says; the other tables are small.
TEST(WatchedSlots, TheTablesOfALargeMachineFitBesideTheAgent) {
  constexpr std::size_t kCgroups = 443;  // 110 pods with three containers each
  constexpr std::size_t kCpus = 256, kBudget = std::size_t{64} << 20;
  const std::size_t slots = bpf::WatchedCgroups::slots_for(kCgroups);
  EXPECT_LT(slots * kCpus * (sizeof(WaitCell) + sizeof(BrakeCell) + sizeof(CountCell)), kBudget);
  EXPECT_EQ(sizeof(WaitCell) + sizeof(BrakeCell), 208U) << "docs/permissions.md";
  EXPECT_EQ(sizeof(CountCell), 64U) << "docs/permissions.md";
}

TEST(WatchedSlots, ThereIsRoomForMoreCgroupsAndForChurn) {
  for (const std::size_t cgroups : {0U, 100U, 443U, 1000U, 3000U})
    EXPECT_GE(bpf::WatchedCgroups::slots_for(cgroups), cgroups * 5 / 4 + 200) << cgroups;
  EXPECT_EQ(bpf::WatchedCgroups::slots_for(100'000), std::uint32_t{kMostSlots});
}

}  // namespace
}  // namespace evenkeel
