// Sharing the network on a model of it: nothing of it stays, and what another program made is left alone.
#include <gtest/gtest.h>

#include "tests/support/scenes/network_sharing.h"

namespace evenkeel::test {
namespace {

TEST_F(NetworkSharing, AnEmptyPlanLeavesNothingBehind) {
  tick();
  EXPECT_FALSE(journal.directories().empty());
  const auto report = off();
  expect_untouched();
  EXPECT_EQ(writer->totals().held, 0U);
  ASSERT_EQ(report.writes.size(), 1U);
  EXPECT_TRUE(report.writes[0].restored);
  EXPECT_TRUE(off().writes.empty());
  tick();
  executor::Report last;
  writer->restore_all(now, last);
  expect_untouched();
}

TEST_F(NetworkSharing, AnotherProgramsQueueIsLeftAlone) {
  port.roots[7] = {"fq", 0x80010000};
  const auto report = tick();
  ASSERT_EQ(report.refusals.size(), 1U);
  EXPECT_EQ(report.refusals[0].error.code, EEXIST);
  EXPECT_NE(report.refusals[0].detail.find("fq 8001:0"), std::string::npos);
  EXPECT_TRUE(tick(0).refusals.empty()) << "asked again after a pause";
  EXPECT_EQ(port.calls, 0);
  port.roots.clear();
  tick(5);
  EXPECT_EQ(port.roots.at(7).handle, network::kOurQdisc);
}

TEST_F(NetworkSharing, WhoTakesTheQueueAwayIsToldAndAfterThreeRoundsHasHisWay) {
  tick();
  for (int round = 1; round <= 4; ++round) {
    port.roots.clear();
    port.classes.clear();
    const auto report = tick(10);
    ASSERT_EQ(report.foreign.size(), 1U) << round;
    EXPECT_EQ(report.foreign[0].yielded, round == 4);
    EXPECT_FALSE(port.roots.contains(7)) << "left alone for a minute";
    tick(61);
    EXPECT_EQ(port.roots.contains(7), round < 4) << round;
    EXPECT_EQ(port.classes.empty(), round == 4);
  }
  off();
  expect_untouched();
}

TEST_F(NetworkSharing, AYieldedQueueIsNotAskedForWhileAnotherProcessHasItsOwn) {
  tick();
  for (int round = 0; round <= 3; ++round) {
    port.roots.clear();
    port.classes.clear();
    tick(10);
    tick(61);
  }
  port.roots[7] = {"fq", 0x80010000};
  for (int hour = 0; hour < 30; ++hour) EXPECT_TRUE(tick(3600).refusals.empty());
  port.roots.clear();
  tick(10);
  tick(3580);
  EXPECT_TRUE(port.roots.empty()) << "the quiet hour begins with the kernel's own queue";
  tick(10);
  EXPECT_TRUE(port.roots.contains(7));
}

TEST_F(NetworkSharing, EveryCallMayFailOnce) {
  tick();
  const int all = port.calls;
  for (const int error : {EINVAL, EBUSY, ENOSPC, EIO, ENODEV, ENOENT, EPERM, ENOBUFS}) {
    for (int failing = 0; failing < all; ++failing) {
      off();
      expect_untouched();
      port.refusal = error;
      port.refuse_at = port.calls + failing;
      EXPECT_EQ(tick().refusals.size(), 1U) << failing;
      tick(2);
      EXPECT_EQ(port.classes.size(), 8U) << failing;
      ASSERT_TRUE(port.rules);
      EXPECT_EQ(port.rules->rules.size(), 3U);
    }
  }
  EXPECT_TRUE(port.broken.empty()) << port.broken.front();
}

TEST_F(NetworkSharing, WhatIsNeverMadeIsNotOnRecord) {
  port.refuse_all = true;
  port.refusal = EPERM;
  int reports = 0;
  for (int i = 0; i < 60; ++i) reports += static_cast<int>(tick().refusals.size());
  EXPECT_EQ(reports, 1);
  EXPECT_GT(writer->totals().refusals, 1U) << "tried again";
  EXPECT_LT(writer->totals().refusals, 8U) << "pauses grow";
  expect_untouched();
  EXPECT_EQ(writer->totals().held, 0U);
}

TEST_F(NetworkSharing, RulesThatWereFlushedArePutAgain) {
  tick();
  port.rules.reset();
  const auto report = tick(10);
  EXPECT_TRUE(report.refusals.empty());
  ASSERT_TRUE(port.rules);
  EXPECT_EQ(port.rules->rules.size(), 3U);
  off();
  expect_untouched();
}

TEST_F(NetworkSharing, WithoutRulesThereIsNoQueue) {
  port.refuse_rules = true;
  EXPECT_EQ(tick().refusals.size(), 1U);
  expect_untouched();
  for (int i = 0; i < 60; ++i) EXPECT_TRUE(tick().refusals.empty()) << "reported once";
  expect_untouched();
  port.refuse_rules = false;
  tick(600);
  EXPECT_EQ(port.classes.size(), 8U);
  port.refuse_rules = true;
  plan.members[0].egress_limit = mbit(5);
  plan.members[0].addresses = {};
  tick();
  EXPECT_TRUE(port.rules) << "the earlier ones stay";
  EXPECT_TRUE(port.roots.contains(7));
}

TEST_F(NetworkSharing, WhatCannotBeTakenAwayIsTriedAgain) {
  tick();
  port.refuse_at = port.calls;
  EXPECT_EQ(off().refusals.size(), 1U);
  EXPECT_FALSE(journal.directories().empty());
  off();
  port.refuse_at = -1;
  expect_untouched();
}

TEST_F(NetworkSharing, AQueueThatCannotBeLookedForStaysOnRecordAndIsTriedAgain) {
  tick();
  port.refusal = ENOBUFS;
  port.blind_at = port.looks;
  const auto report = off();
  ASSERT_EQ(report.refusals.size(), 1U);
  EXPECT_EQ(report.refusals[0].path, "net/eth0/qdisc");
  EXPECT_EQ(report.refusals[0].error.code, ENOBUFS);
  EXPECT_FALSE(journal.directories().empty());
  off();
  expect_untouched();
}

TEST_F(NetworkSharing, AQueueWhoseAnswerGotLostIsUsedAndTakenAwayAgain) {
  port.refusal = ENOBUFS;
  port.loses_answers = true;
  port.refuse_at = 0;
  EXPECT_EQ(tick().refusals.size(), 1U);
  EXPECT_FALSE(journal.directories().empty());
  off();
  expect_untouched();
  port.refuse_at = port.calls;
  tick();
  const auto report = tick(2);
  EXPECT_TRUE(report.foreign.empty());
  EXPECT_EQ(port.classes.size(), 8U);
  off();
  expect_untouched();
}

TEST_F(NetworkSharing, WhetherAQueueWasMadeMayRemainUnknownAndThenItIsOnRecord) {
  port.refusal = ENOBUFS;
  port.loses_answers = true;
  port.refuse_at = 0;
  port.blind_at = 1;  // after the look for a queue of others
  tick();
  EXPECT_FALSE(journal.directories().empty());
  off();
  expect_untouched();
}

TEST_F(NetworkSharing, AfterACrashTheJournalKnows) {
  tick();
  restart();  // the process is another one
  executor::Report report;
  network::restore_network(port, journal, report);
  EXPECT_EQ(report.writes.size(), 2U);
  expect_untouched();
}

TEST_F(NetworkSharing, AfterACrashTheQueueIsFoundByItsInterfacesNumberWhateverItsNameIs) {
  tick();
  restart();
  ASSERT_FALSE(host.exists("sys/class/net/eth0")) << "as after a change of the name";
  executor::Report report;
  network::restore_network(port, journal, report);
  EXPECT_TRUE(report.refusals.empty());
  expect_untouched();
}

TEST_F(NetworkSharing, AfterACrashAnotherInterfaceOfThatNameIsNotOurs) {
  tick();
  port.roots = {{8, {"fq", 0x10000}}};  // the one with the number 7 is gone
  executor::Report report;
  network::restore_network(port, journal, report);
  EXPECT_EQ(port.roots.at(8).kind, "fq");
  EXPECT_TRUE(journal.directories().empty());
}

TEST_F(NetworkSharing, AfterACrashAQueueThatCannotBeLookedForStaysOnRecord) {
  tick();
  port.refusal = ENOBUFS;
  port.blind_at = port.looks;
  executor::Report report;
  network::restore_network(port, journal, report);
  ASSERT_EQ(report.refusals.size(), 1U);
  EXPECT_EQ(report.refusals[0].path, "net/eth0/qdisc");
  EXPECT_EQ(journal.directories().size(), 1U);
  network::restore_network(port, journal, report);
  expect_untouched();
}

TEST_F(NetworkSharing, ADryRunOnlyTells) {
  restart(true);
  const auto report = tick();
  EXPECT_EQ(report.writes.size(), 9U) << "eight classes and the rules";
  EXPECT_EQ(port.calls, 0);
  EXPECT_TRUE(tick().writes.empty());
  EXPECT_TRUE(journal.directories().empty());
  off();
  EXPECT_EQ(port.calls, 0);
}

}  // namespace
}  // namespace evenkeel::test
