// Sharing the network on a model of it: the tree of queues, whose packets go where, and that nothing stays.
#include "cgroup/network_hand.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include "tests/support/alloc_guard.h"
#include "tests/support/fake_host.h"
#include "tests/support/fake_network.h"

namespace evenkeel::test {
namespace {

using std::chrono::seconds;
constexpr BitRate mbit(std::int64_t count) { return BitRate(count * 1000000); }

constexpr const char* kShop = "11111111-2222-3333-4444-555555555551";
constexpr const char* kNight = "11111111-2222-3333-4444-555555555552";

IpAddress address(std::uint8_t last) { return {.bytes = {10, 0, 0, last}}; }

/// A service with an address, a batch pod with the node's; 100 Mbit/s.
struct NetworkSharing : testing::Test {
  NetworkSharing() {
    host.v2().bare().kubepods();
    host.file("sys/class/net/eth0/ifindex", "7\n");
    shop = host.pod(KubeQos::burstable, kShop, {"a"});
    night = host.pod(KubeQos::besteffort, kNight, {"b"});
    root.emplace(std::move(*Host::open(host.root())));
    tree.emplace(*root, *detect_layout(*root, ""));
    tree->scan();
    begin_anew();
    plan.state = NetworkPlan::State::on;
    plan.link = &link;
    plan.total = mbit(100);
    plan.classes = {NetworkShare{mbit(40), mbit(100), {}}, NetworkShare{mbit(20), mbit(100), {}},
                    NetworkShare{mbit(30), mbit(100), {}}, NetworkShare{mbit(10), mbit(50), mbit(20)}};
    plan.members = {{id(shop), NetworkClass::ls, false, addresses, {}, {}},
                    {id(night), NetworkClass::be, true, {}, {}, {}}};
  }
  void begin_anew(bool dry_run = false) { hand.emplace(*tree, door, journal, dry_run); }
  [[nodiscard]] CgroupId id(const std::string& cgroup) const { return tree->find_path(cgroup)->id; }
  Report tick(int after = 1) {
    now += seconds(after);
    Report report;
    hand->apply(plan, now, report);
    return report;
  }
  Report off() {
    now += seconds(1);
    Report report;
    hand->apply({}, now, report);
    return report;
  }
  void expect_untouched() const {
    EXPECT_TRUE(door.roots.empty());
    EXPECT_TRUE(door.classes.empty());
    EXPECT_FALSE(door.rules);
    EXPECT_TRUE(journal.directories().empty());
  }

  FakeHost host{};
  FakeNetwork door{};
  Journal journal = Journal::in_memory();
  std::vector<IpAddress> addresses{address(1), address(2)};
  NetworkLink link{"eth0", 7, {}};
  NetworkPlan plan{};
  std::string shop, night;
  std::optional<Host> root{};
  std::optional<CgroupTree> tree{};
  std::optional<NetworkHand> hand{};
  MonoTime now{std::chrono::hours(1)};
};

TEST_F(NetworkSharing, APlanBecomesQueuesAndRules) {
  const auto report = tick();
  EXPECT_TRUE(report.refusals.empty());
  EXPECT_EQ(report.writes.front().path, "net/eth0/qdisc");
  EXPECT_EQ(door.roots.at(7).handle, kOurQdisc);
  EXPECT_EQ(door.classes.at(1), (HtbClass{1, 0, mbit(100), mbit(100), 0}));
  EXPECT_EQ(door.classes.at(kSystemMinor), (HtbClass{2, 1, mbit(40), mbit(100), 0}));
  const auto ls = common_minor(NetworkClass::ls), be = common_minor(NetworkClass::be);
  EXPECT_EQ(door.classes.at(ls).rate, mbit(30));
  EXPECT_EQ(door.classes.at(be).ceil, mbit(50));
  EXPECT_LT(door.classes.at(ls).priority, door.classes.at(be).priority);
  ASSERT_TRUE(door.rules);
  EXPECT_EQ(door.rules->link, 7);
  ASSERT_EQ(door.rules->rules.size(), 3U);
  EXPECT_EQ(door.rules->rules[0].address, address(1));
  EXPECT_EQ(door.rules->rules[1].minor, ls);
  EXPECT_EQ(door.rules->rules[1].class_limit, -1);
  const auto& batch = door.rules->rules[2];
  EXPECT_TRUE(batch.by_cgroup);
  EXPECT_EQ(batch.cgroup, *root->inode("sys/fs/cgroup/" + night));
  EXPECT_EQ(batch.level, 3U);
  EXPECT_EQ(batch.minor, be);
  EXPECT_EQ(door.rules->limits.at(static_cast<std::size_t>(batch.class_limit)), mbit(20));
  EXPECT_TRUE(door.broken.empty());
  std::vector<Managed> managed;
  hand->add_managed(managed);
  EXPECT_EQ(managed.size(), hand->counters().classes);
}

TEST_F(NetworkSharing, TheSamePlanAgainTouchesAndAllocatesNothing) {
  tick();
  tick();
  const int calls = door.calls;
  Report report;
  const AllocGuard guard;
  for (int i = 0; i < 30; ++i) hand->apply(plan, now += seconds(1), report);
  EXPECT_EQ(guard.allocations(), 0U);
  EXPECT_EQ(door.calls, calls);
  EXPECT_GE(door.looks, 3) << "now and then it looks whether the queue is still there";
}

TEST_F(NetworkSharing, NobodyAsksAnyMoreAndNothingStays) {
  tick();
  EXPECT_FALSE(journal.directories().empty());
  const auto report = off();
  expect_untouched();
  EXPECT_EQ(hand->counters().classes, 0U);
  ASSERT_EQ(report.writes.size(), 1U);
  EXPECT_TRUE(report.writes[0].restored);
  EXPECT_TRUE(off().writes.empty());
  tick();
  Report last;
  hand->restore_all(now, last);
  expect_untouched();
}

TEST_F(NetworkSharing, WhatIsNotKnownLeavesEverythingAsItIs) {
  tick();
  const auto classes = door.classes;
  NetworkPlan unknown;
  unknown.state = NetworkPlan::State::hold;
  unknown.why_not = "the bandwidth is not known";
  Report report;
  for (int i = 0; i < 3; ++i) hand->apply(unknown, now += seconds(1), report);
  EXPECT_EQ(door.classes, classes);
  ASSERT_EQ(report.refusals.size(), 1U) << "told once";
  EXPECT_EQ(report.refusals[0].detail, unknown.why_not);
}

TEST_F(NetworkSharing, SomebodyElsesQueueIsLeftAlone) {
  door.roots[7] = {"fq", 0x80010000};
  const auto report = tick();
  ASSERT_EQ(report.refusals.size(), 1U);
  EXPECT_EQ(report.refusals[0].error.code, EEXIST);
  EXPECT_NE(report.refusals[0].detail.find("fq 8001:0"), std::string::npos);
  EXPECT_TRUE(tick(0).refusals.empty()) << "asked again after a pause";
  EXPECT_EQ(door.calls, 0);
  door.roots.clear();
  tick(5);
  EXPECT_EQ(door.roots.at(7).handle, kOurQdisc);
}

TEST_F(NetworkSharing, WhoTakesTheQueueAwayIsToldAndAfterThreeRoundsHasHisWay) {
  tick();
  for (int round = 1; round <= 4; ++round) {
    door.roots.clear();
    door.classes.clear();
    const auto report = tick(10);
    ASSERT_EQ(report.foreign.size(), 1U) << round;
    EXPECT_EQ(report.foreign[0].yielded, round == 4);
    EXPECT_FALSE(door.roots.contains(7)) << "left alone for a minute";
    tick(61);
    EXPECT_EQ(door.roots.contains(7), round < 4) << round;
    EXPECT_EQ(door.classes.empty(), round == 4);
  }
  off();
  expect_untouched();
}

TEST_F(NetworkSharing, APodMayHaveALimitOfItsOwnWithinItsClass) {
  plan.members[0].egress_limit = mbit(5);
  plan.members[0].ingress_limit = mbit(3);
  plan.members[1].egress_limit = mbit(80);
  tick();
  const auto shops = door.rules->rules[0].minor, nights = door.rules->rules[2].minor;
  EXPECT_NE(shops, nights);
  EXPECT_EQ(door.classes.at(shops).ceil, mbit(5));
  EXPECT_EQ(door.classes.at(nights).ceil, mbit(50)) << "no more than its class";
  EXPECT_EQ(door.rules->limits.at(static_cast<std::size_t>(door.rules->rules[0].own_limit)), mbit(3));
  plan.members.erase(plan.members.begin());
  tick();
  EXPECT_FALSE(door.classes.contains(shops));
  EXPECT_EQ(door.rules->rules[0].minor, nights) << "the other keeps its number";
  EXPECT_TRUE(door.broken.empty());
}

TEST_F(NetworkSharing, AnAddressThatTwoPodsClaimIsNobodys) {
  const std::vector<IpAddress> claimed{address(2), address(3)};
  plan.members[1].by_cgroup = false;
  plan.members[1].addresses = claimed;
  tick();
  ASSERT_EQ(door.rules->rules.size(), 2U);
  EXPECT_EQ(door.rules->rules[0].address, address(1));
  EXPECT_EQ(door.rules->rules[1].address, address(3));
}

TEST_F(NetworkSharing, AnotherWayOutIsSharedInPlaceOfTheFirst) {
  tick();
  NetworkLink other{"eth1", 9, {}};
  plan.link = &other;
  tick();
  EXPECT_FALSE(door.roots.contains(7));
  EXPECT_EQ(door.roots.at(9).handle, kOurQdisc);
  EXPECT_EQ(door.rules->link, 9);
  off();
  expect_untouched();
}

TEST_F(NetworkSharing, EveryCallMayFailOnce) {
  tick();
  const int all = door.calls;
  for (const int error : {EINVAL, EBUSY, ENOSPC, EIO, ENODEV, ENOENT, EPERM}) {
    for (int failing = 0; failing < all; ++failing) {
      off();
      expect_untouched();
      door.refusal = error;
      door.refuse_at = door.calls + failing;
      EXPECT_EQ(tick().refusals.size(), 1U) << failing;
      tick(2);
      EXPECT_EQ(door.classes.size(), 8U) << failing;
      ASSERT_TRUE(door.rules);
      EXPECT_EQ(door.rules->rules.size(), 3U);
    }
  }
  EXPECT_TRUE(door.broken.empty()) << door.broken.front();
}

TEST_F(NetworkSharing, WhatIsNeverMadeIsNotOnRecord) {
  door.refuse_all = true;
  door.refusal = EPERM;
  int told = 0;
  for (int i = 0; i < 60; ++i) told += static_cast<int>(tick().refusals.size());
  EXPECT_GT(told, 1);
  EXPECT_LT(told, 8) << "pauses grow";
  expect_untouched();
  EXPECT_EQ(hand->counters().classes, 0U);
}

TEST_F(NetworkSharing, WhatCannotBeTakenAwayIsTriedAgain) {
  tick();
  door.refuse_at = door.calls;
  EXPECT_EQ(off().refusals.size(), 1U);
  EXPECT_FALSE(journal.directories().empty());
  off();
  door.refuse_at = -1;
  expect_untouched();
}

TEST_F(NetworkSharing, AfterACrashTheJournalKnows) {
  tick();
  begin_anew();  // the process is another one
  Report report;
  restore_network(*root, door, journal, report);
  EXPECT_EQ(report.writes.size(), 2U);
  expect_untouched();
}

TEST_F(NetworkSharing, AfterACrashAnotherInterfaceOfThatNameIsNotOurs) {
  tick();
  host.file("sys/class/net/eth0/ifindex", "8\n");
  door.roots[8] = {"fq", 0x10000};
  Report report;
  restore_network(*root, door, journal, report);
  EXPECT_EQ(door.roots.at(8).kind, "fq");
  EXPECT_TRUE(journal.directories().empty());
}

TEST_F(NetworkSharing, ADryRunOnlyTells) {
  begin_anew(true);
  const auto report = tick();
  EXPECT_EQ(report.writes.size(), 9U) << "eight classes and the rules";
  EXPECT_EQ(door.calls, 0);
  EXPECT_TRUE(tick().writes.empty());
  EXPECT_TRUE(journal.directories().empty());
  off();
  EXPECT_EQ(door.calls, 0);
}

TEST_F(NetworkSharing, WithoutUnifiedCgroupsOnlyAddressesTell) {
  FakeHost old;
  old.v1().kubepods();
  const auto batch = old.pod(KubeQos::besteffort, kNight, {"b"});
  const auto v1 = std::move(*Host::open(old.root()));
  CgroupTree pods(v1, *detect_layout(v1, ""));
  pods.scan();
  OwnMinors own;
  PacketRules rules;
  plan.members[1].cgroup = pods.find_path(batch)->id;
  EXPECT_EQ(rules_of(plan, pods, true, own, rules), 1);
  EXPECT_EQ(rules.rules.size(), 2U);
}

TEST_F(NetworkSharing, WhomCgroupsDoNotTellIsSaid) {
  door.cgroups_tell = false;
  const auto report = tick();
  EXPECT_EQ(door.rules->rules.size(), 2U);
  const auto said = std::ranges::find(report.writes, "net/rules", &Written::path);
  ASSERT_NE(said, report.writes.end());
  EXPECT_NE(said->why.text().find("1 with the node's own address cannot be told apart"), std::string::npos);
}

}  // namespace
}  // namespace evenkeel::test
