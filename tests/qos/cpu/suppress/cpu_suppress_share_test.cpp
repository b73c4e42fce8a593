// How one allowance is divided: parts in thousandths of a CPU, on a node of 16 unless said otherwise.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "qos/cpu/suppress/share.h"
#include "tests/support/scenes/snapshot_builder.h"

namespace evenkeel {
namespace {

using namespace literals;
using std::chrono::milliseconds;
using std::chrono::seconds;
using test::node;

struct Place {
  std::int64_t use = -1;  ///< -1: not known
  std::int64_t granted = 0;
  std::int64_t own = -1;  ///< its owner's limit; -1: none
};

suppress::SuppressShare share_of(const Place& place, std::uint32_t id) {
  suppress::SuppressShare share;
  share.place = CgroupId{id};
  if (place.use >= 0) suppress::update_peak_use(share, MilliCpu(place.use), MonoTime{}, seconds(10));
  share.granted = MilliCpu(place.granted);
  if (place.own >= 0) share.own.quota = quota_for(MilliCpu(place.own), share.own.period);
  suppress::bound(share);
  return share;
}

std::vector<suppress::SuppressShare> shares_of(const std::vector<Place>& places) {
  std::vector<suppress::SuppressShare> shares;
  for (const Place& place : places)
    shares.push_back(share_of(place, static_cast<std::uint32_t>(shares.size() + 1)));
  return shares;
}

using Parts = std::vector<std::int64_t>;

/// In the order of the places.
Parts divided(std::vector<suppress::SuppressShare> shares, MilliCpu allowance,
              MilliCpu capacity = 16000_mcpu) {
  suppress::rate(shares, allowance, capacity);
  suppress::divide(shares, allowance);
  std::sort(shares.begin(), shares.end(), [](const auto& a, const auto& b) { return a.place < b.place; });
  Parts parts;
  for (const suppress::SuppressShare& share : shares) parts.push_back(share.next.count());
  return parts;
}

TEST(SuppressShare, DividesByWhatPlacesDemand) {
  struct Case {
    const char* what;
    std::vector<Place> places;
    std::int64_t allowance;
    Parts parts;
  };
  const std::vector<Case> cases = {
      {"alone: everything", {{0}}, 8000, {8000}},
      {"nothing is known: even parts", {{}, {}}, 8000, {4000, 4000}},
      // Each demands twice its part, and an eighth of an even one.
      {"a small place is full: it doubles", {{1000, 1000}, {7000, 7000}}, 8000, {2500, 5500}},
      {"all are full: even parts", {{3000, 3000}, {5000, 5000}}, 8000, {4000, 4000}},
      // The sleeper keeps an eighth of an even part (8000 / 2 / 8) to wake with.
      {"asleep beside full", {{0, 4000}, {4000, 4000}}, 8000, {500, 7500}},
      // 2000 and a quarter more, and 500 to wake.
      {"modest beside full", {{2000, 4000}, {4000, 4000}}, 8000, {3000, 5000}},
      // No app is full: demands 1750 and 3000, and an even half of the 3250 that no app demands.
      {"all are modest", {{1000, 4000}, {2000, 4000}}, 8000, {3375, 4625}},
      {"its own limit is all that it gets", {{2000, 2000, 2000}, {6000, 6000}}, 8000, {2000, 6000}},
      {"limits of all below the allowance", {{500, 500, 500}, {700, 700, 700}}, 8000, {500, 700}},
      {"the least that there is", {{1000, 1000}, {1000, 1000}}, 40, {20, 20}},
      {"a limit below the least", {{5, 5, 10}, {1000, 1000}}, 1000, {10, 990}},
      {"first seen: by what it used without a limit", {{9000, 0}, {0, 0}}, 3400, {3188, 212}},
  };
  for (const Case& c : cases)
    EXPECT_EQ(divided(shares_of(c.places), MilliCpu(c.allowance)), c.parts) << c.what;
}

TEST(SuppressShare, WhatAnUnheldPlaceUsesIsNotGivenToOthers) {
  auto shares = shares_of({{5000, 1000}, {4000, 4000}});
  shares[0].requested = QuotaTime(100000);  // and its file still says "unlimited"
  EXPECT_EQ(divided(shares, 8000_mcpu), (Parts{5000, 3000}));
  shares[0].in_force.quota = QuotaTime(100000);
  EXPECT_EQ(divided(shares, 8000_mcpu), (Parts{4000, 4000})) << "held again, and full";
}

TEST(SuppressShare, PartsNeverExceedTheAllowanceNorAnyLimit) {
  for (unsigned seed = 0; seed < 20000; ++seed) {
    std::mt19937 random(seed);
    const auto roll = [&](std::int64_t low, std::int64_t high) {
      return std::uniform_int_distribution<std::int64_t>(low, high)(random);
    };
    std::vector<suppress::SuppressShare> shares;
    MilliCpu least{}, most{};
    for (auto count = roll(1, 7); count > 0; --count) {
      auto share = share_of({roll(-1, 9000), roll(0, 9000), roll(0, 1) ? roll(1, 9000) : -1},
                            static_cast<std::uint32_t>(count));
      share.in_force.period = share.own.period = milliseconds(roll(1, 1000));
      if (share.own.quota) share.own.quota = QuotaTime(roll(1000, 900000));
      if (roll(0, 3) == 0) share.requested = QuotaTime(roll(1000, 900000));
      suppress::bound(share);
      least += share.least;
      most += share.most;
      shares.push_back(share);
    }
    const MilliCpu allowance = least + MilliCpu(roll(0, 20000));
    suppress::rate(shares, allowance, 16000_mcpu);
    suppress::divide(shares, allowance);
    MilliCpu sum{};
    for (const suppress::SuppressShare& share : shares) {
      sum += share.next;
      EXPECT_GE(share.next, share.least);
      EXPECT_LE(share.next, share.most);
      const QuotaTime quota = quota_for(share.next, share.in_force.period);
      EXPECT_TRUE(quota.count() >= 1000 || share.next == share.most) << "the kernel takes no less";
    }
    EXPECT_LE(sum, allowance) << "seed " << seed;
    const auto crumbs = MilliCpu(static_cast<std::int64_t>(shares.size()));
    EXPECT_GE(sum + crumbs, std::min(allowance, most)) << "nothing is left lying, seed " << seed;
    if (HasFailure()) return;
  }
}

// --- who has a part

const HostApplicationSample& app(const NodeSnapshot& snapshot, std::size_t index) {
  return snapshot.host_applications[index];
}

constexpr auto kQuota = suppress::AppLever::quota;

TEST(SuppressShare, IsForBestEffortApplicationsWithAQuota) {
  auto builder = node().host_app(QosClass::be, HostAppBase::cgroup_root).unlimited();
  builder.host_app(QosClass::be, HostAppBase::cgroup_root).quota(200000);
  builder.host_app(QosClass::ls, HostAppBase::cgroup_root).unlimited();
  builder.host_app(QosClass::be, HostAppBase::kubepods_besteffort).unlimited();
  builder.host_app(QosClass::be, HostAppBase::cgroup_root).no_quota_file();
  auto snapshot = builder.build();
  const auto parts = [&] {
    std::string text;
    for (const auto& each : snapshot.host_applications)
      text += suppress::has_share(snapshot, each, kQuota)       ? 'p'
              : suppress::is_suppressed(snapshot, each, kQuota) ? 's'
                                                                : '-';
    return text;
  };
  EXPECT_EQ(parts(), "pp-s-");
  snapshot.cgroups[3].hands_off = true;
  EXPECT_EQ(parts(), "-p-s-");
}

TEST(SuppressShare, IsForThoseWithACpuSetWhereAQuotaDoesHarm) {
  constexpr auto kCpuset = suppress::AppLever::cpuset;
  auto builder = node().host_app(QosClass::be, HostAppBase::cgroup_root).unlimited();
  builder.host_app(QosClass::be, HostAppBase::cgroup_root).no_quota_file().cpuset("0-1");
  builder.host_app(QosClass::ls, HostAppBase::cgroup_root).cpuset("0-1");
  const auto snapshot = builder.build();
  EXPECT_FALSE(suppress::has_share(snapshot, app(snapshot, 0), kCpuset));
  EXPECT_FALSE(suppress::is_suppressed(snapshot, app(snapshot, 0), kCpuset));
  EXPECT_TRUE(suppress::has_share(snapshot, app(snapshot, 1), kCpuset));
  EXPECT_FALSE(suppress::has_share(snapshot, app(snapshot, 1), kQuota));
  EXPECT_FALSE(suppress::has_share(snapshot, app(snapshot, 2), kCpuset)) << "a service";
}

TEST(SuppressShare, IsNotForWhatHoldsOthersWork) {
  auto builder = node().host_app(QosClass::be, HostAppBase::cgroup_root).unlimited();
  builder.host_app(QosClass::be, HostAppBase::cgroup_root).unlimited();
  builder.host_app(QosClass::ls, HostAppBase::cgroup_root).unlimited();
  auto snapshot = builder.build();
  auto& outer = snapshot.cgroups[3];
  auto& inner = snapshot.cgroups[4];
  inner.parent = 3;
  EXPECT_TRUE(suppress::has_share(snapshot, app(snapshot, 0), kQuota));
  EXPECT_FALSE(suppress::has_share(snapshot, app(snapshot, 1), kQuota))
      << "it is held with the one around it";
  EXPECT_TRUE(suppress::is_suppressed(snapshot, app(snapshot, 1), kQuota));
  snapshot.cgroups[5].parent = 3;
  EXPECT_FALSE(suppress::has_share(snapshot, app(snapshot, 0), kQuota)) << "a service runs inside";
  EXPECT_TRUE(suppress::has_share(snapshot, app(snapshot, 1), kQuota));
  snapshot.cgroups[5].parent = kNoCgroup;
  outer.path = "kubelet";
  snapshot.cgroups[0].path = "kubelet/kubepods";
  EXPECT_FALSE(suppress::has_share(snapshot, app(snapshot, 0), kQuota)) << "all pods run inside";
  snapshot.cgroups[0].path = "kubelet.slice";
  EXPECT_TRUE(suppress::has_share(snapshot, app(snapshot, 0), kQuota));
}

TEST(SuppressShare, IsNotForADirectoryWithTwoNames) {
  auto builder = node().host_app(QosClass::be, HostAppBase::cgroup_root).unlimited();
  auto snapshot = builder.host_app(QosClass::ls, HostAppBase::cgroup_root).unlimited().build();
  snapshot.host_applications[1].cgroup = snapshot.host_applications[0].cgroup;
  EXPECT_FALSE(suppress::has_share(snapshot, app(snapshot, 0), kQuota))
      << "the other name calls it a service";
}

}  // namespace
}  // namespace evenkeel
