// Sharing the network on a model of it: nothing of it stays, and what is somebody else's is left alone.
#include <gtest/gtest.h>

#include "tests/support/scenes/network_sharing.h"

namespace evenkeel::test {
namespace {

TEST_F(NetworkSharing, NobodyAsksAnyMoreAndNothingStays) {
  tick();
  EXPECT_FALSE(journal.directories().empty());
  const auto report = off();
  expect_untouched();
  EXPECT_EQ(hand->totals().held, 0U);
  ASSERT_EQ(report.writes.size(), 1U);
  EXPECT_TRUE(report.writes[0].restored);
  EXPECT_TRUE(off().writes.empty());
  tick();
  executor::Report last;
  hand->restore_all(now, last);
  expect_untouched();
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
  EXPECT_EQ(door.roots.at(7).handle, network::kOurQdisc);
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

TEST_F(NetworkSharing, AYieldedQueueIsNotAskedForWhileAnotherProcessHasItsOwn) {
  tick();
  for (int round = 0; round <= 3; ++round) {
    door.roots.clear();
    door.classes.clear();
    tick(10);
    tick(61);
  }
  door.roots[7] = {"fq", 0x80010000};
  for (int hour = 0; hour < 30; ++hour) EXPECT_TRUE(tick(3600).refusals.empty());
  door.roots.clear();
  tick(10);
  tick(3580);
  EXPECT_TRUE(door.roots.empty()) << "the quiet hour begins with the kernel's own queue";
  tick(10);
  EXPECT_TRUE(door.roots.contains(7));
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
  EXPECT_EQ(told, 1);
  EXPECT_GT(hand->totals().refusals, 1U) << "tried again";
  EXPECT_LT(hand->totals().refusals, 8U) << "pauses grow";
  expect_untouched();
  EXPECT_EQ(hand->totals().held, 0U);
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
  restart();  // the process is another one
  executor::Report report;
  network::restore_network(*root, door, journal, report);
  EXPECT_EQ(report.writes.size(), 2U);
  expect_untouched();
}

TEST_F(NetworkSharing, AfterACrashAnotherInterfaceOfThatNameIsNotOurs) {
  tick();
  host.file("sys/class/net/eth0/ifindex", "8\n");
  door.roots[8] = {"fq", 0x10000};
  executor::Report report;
  network::restore_network(*root, door, journal, report);
  EXPECT_EQ(door.roots.at(8).kind, "fq");
  EXPECT_TRUE(journal.directories().empty());
}

TEST_F(NetworkSharing, ADryRunOnlyTells) {
  restart(true);
  const auto report = tick();
  EXPECT_EQ(report.writes.size(), 9U) << "eight classes and the rules";
  EXPECT_EQ(door.calls, 0);
  EXPECT_TRUE(tick().writes.empty());
  EXPECT_TRUE(journal.directories().empty());
  off();
  EXPECT_EQ(door.calls, 0);
}

}  // namespace
}  // namespace evenkeel::test
