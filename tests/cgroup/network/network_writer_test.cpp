// Sharing the network on a model of it: the tree of queues, and whose packets go where.
#include <gtest/gtest.h>

#include <algorithm>

#include "cgroup/network/writer.h"
#include "tests/support/alloc_guard.h"
#include "tests/support/scenes/network_sharing.h"

namespace evenkeel::test {
namespace {

using std::chrono::seconds;

TEST_F(NetworkSharing, APlanBecomesQueuesAndRules) {
  const auto report = tick();
  EXPECT_TRUE(report.refusals.empty());
  EXPECT_EQ(report.writes.front().path, "net/eth0/qdisc");
  EXPECT_EQ(port.roots.at(7).handle, network::kOurQdisc);
  EXPECT_EQ(port.classes.at(1), (network::HtbClass{1, 0, mbit(100), mbit(100), 0}));
  EXPECT_EQ(port.classes.at(network::kSystemMinor), (network::HtbClass{2, 1, mbit(40), mbit(100), 0}));
  const auto ls = network::common_minor(decide::NetworkClass::ls),
             be = network::common_minor(decide::NetworkClass::be);
  EXPECT_EQ(port.classes.at(ls).rate, mbit(30));
  EXPECT_EQ(port.classes.at(be).ceil, mbit(50));
  EXPECT_LT(port.classes.at(ls).priority, port.classes.at(be).priority);
  ASSERT_TRUE(port.rules);
  EXPECT_EQ(port.rules->link, 7);
  ASSERT_EQ(port.rules->rules.size(), 3U);
  EXPECT_EQ(port.rules->rules[0].address, address(1));
  EXPECT_EQ(port.rules->rules[1].minor, ls);
  EXPECT_EQ(port.rules->rules[1].class_limit, -1);
  const auto& batch = port.rules->rules[2];
  EXPECT_TRUE(batch.by_cgroup);
  EXPECT_EQ(batch.cgroup, *root->inode("sys/fs/cgroup/" + night));
  EXPECT_EQ(batch.level, 3U);
  EXPECT_EQ(batch.minor, be);
  EXPECT_EQ(port.rules->limits.at(static_cast<std::size_t>(batch.class_limit)), mbit(20));
  EXPECT_TRUE(port.broken.empty());
  std::vector<executor::Managed> managed;
  writer->add_managed(managed);
  EXPECT_EQ(managed.size(), writer->totals().held);
}

TEST_F(NetworkSharing, EveryClassWithoutChildrenServesItsFlowsInTurns) {
  plan.members[0].egress_limit = mbit(5);
  tick();
  for (const auto& entry : port.classes) {
    const auto minor = entry.first;
    const bool is_leaf =
        std::ranges::none_of(port.classes, [&](const auto& row) { return row.second.parent == minor; });
    EXPECT_EQ(port.fair.contains(minor), is_leaf) << minor;
  }
  EXPECT_TRUE(port.broken.empty());
}

TEST_F(NetworkSharing, WithoutFairLeavesItSharesAllTheSameAndSaysSoOnce) {
  port.no_fair_leaves = true;
  port.refusal = ENOENT;
  const auto report = tick();
  ASSERT_EQ(report.refusals.size(), 1U);
  EXPECT_EQ(report.refusals[0].text, "fq_codel");
  EXPECT_EQ(port.rules->rules.size(), 3U);
  plan.members[0].egress_limit = mbit(5);
  EXPECT_TRUE(tick().refusals.empty());
}

TEST_F(NetworkSharing, TheSamePlanAgainTouchesAndAllocatesNothing) {
  tick();
  tick();
  const int calls = port.calls;
  executor::Report report;
  const AllocGuard guard;
  for (int i = 0; i < 30; ++i) writer->apply(plan, now += seconds(1), report);
  EXPECT_EQ(guard.allocations(), 0U);
  EXPECT_EQ(port.calls, calls);
  EXPECT_GE(port.looks, 3) << "now and then it looks whether the queue is still there";
}

TEST_F(NetworkSharing, WhatIsNotKnownLeavesEverythingAsItIs) {
  tick();
  const auto classes = port.classes;
  decide::NetworkPlan unknown;
  unknown.state = decide::NetworkPlan::State::hold;
  unknown.why_not = "the bandwidth is not known";
  executor::Report report;
  for (int i = 0; i < 3; ++i) writer->apply(unknown, now += seconds(1), report);
  EXPECT_EQ(port.classes, classes);
  ASSERT_EQ(report.refusals.size(), 1U) << "reported once";
  EXPECT_EQ(report.refusals[0].detail, unknown.why_not);
}

TEST_F(NetworkSharing, APodMayHaveALimitOfItsOwnWithinItsClass) {
  plan.members[0].egress_limit = mbit(5);
  plan.members[0].ingress_limit = mbit(3);
  plan.members[1].egress_limit = mbit(80);
  tick();
  const auto shops = port.rules->rules[0].minor, nights = port.rules->rules[2].minor;
  EXPECT_NE(shops, nights);
  EXPECT_EQ(port.classes.at(shops).ceil, mbit(5));
  EXPECT_EQ(port.classes.at(nights).ceil, mbit(50)) << "no more than its class";
  EXPECT_EQ(port.rules->limits.at(static_cast<std::size_t>(port.rules->rules[0].own_limit)), mbit(3));
  plan.members.erase(plan.members.begin());
  tick();
  EXPECT_FALSE(port.classes.contains(shops));
  EXPECT_EQ(port.rules->rules[0].minor, nights) << "the other keeps its number";
  EXPECT_TRUE(port.broken.empty());
}

TEST_F(NetworkSharing, AClassThatWasRemovedToBeMovedIsPutAgainAfterARefusal) {
  plan.members[0].egress_limit = mbit(5);
  tick();
  const auto shops = port.rules->rules[0].minor;
  const auto parent = port.classes.at(shops).parent;
  const int calls = port.calls;
  tick(10);
  const int calls_of_a_look = port.calls - calls;
  plan.members[0].of = decide::NetworkClass::be;
  port.refusal = ENOBUFS;
  port.refuse_at = port.calls + calls_of_a_look + 1;  // the class is removed, and the new one refused
  while (!port.classes.contains(shops) || port.classes.at(shops).parent == parent) {
    tick(2);
    ASSERT_LT(now, MonoTime{std::chrono::hours(2)});
  }
  EXPECT_TRUE(port.broken.empty());
}

TEST_F(NetworkSharing, AnAddressThatTwoPodsClaimMatchesNeither) {
  const std::vector<IpAddress> claimed{address(2), address(3)};
  plan.members[1].by_cgroup = false;
  plan.members[1].addresses = claimed;
  tick();
  ASSERT_EQ(port.rules->rules.size(), 2U);
  EXPECT_EQ(port.rules->rules[0].address, address(1));
  EXPECT_EQ(port.rules->rules[1].address, address(3));
}

TEST_F(NetworkSharing, AnotherWayOutIsSharedInPlaceOfTheFirst) {
  tick();
  NetworkLink other{"eth1", 9, {}};
  plan.link = &other;
  tick();
  EXPECT_FALSE(port.roots.contains(7));
  EXPECT_EQ(port.roots.at(9).handle, network::kOurQdisc);
  EXPECT_EQ(port.rules->link, 9);
  off();
  expect_untouched();
}

TEST_F(NetworkSharing, WithoutUnifiedCgroupsOnlyAddressesTell) {
  FakeHost old;
  old.v1().kubepods();
  const auto batch = old.pod(KubeQos::besteffort, kNight, {"b"});
  const auto v1 = std::move(*Host::open(old.root()));
  tree::CgroupTree pods(v1, *tree::detect_layout(v1, ""));
  pods.scan();
  network::OwnMinors own;
  network::PacketRules rules;
  plan.members[1].cgroup = pods.find_path(batch)->id;
  EXPECT_EQ(network::build_packet_rules(plan, pods, true, own, rules), 1);
  EXPECT_EQ(rules.rules.size(), 2U);
}

TEST_F(NetworkSharing, WhomCgroupsDoNotTellIsSaid) {
  port.cgroups_tell = false;
  const auto report = tick();
  EXPECT_EQ(port.rules->rules.size(), 2U);
  const auto said = std::ranges::find(report.writes, "net/rules", &executor::Written::path);
  ASSERT_NE(said, report.writes.end());
  EXPECT_NE(said->why.text().find("pods with the node's own address (1) cannot be told apart"),
            std::string::npos);
}

}  // namespace
}  // namespace evenkeel::test
