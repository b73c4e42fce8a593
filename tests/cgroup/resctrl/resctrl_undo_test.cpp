// What the resctrl writer made is undone: on disable, stop and crash; and what another program does to it.
#include <gtest/gtest.h>

#include "cgroup/resctrl/writer.h"
#include "tests/support/scenes/resctrl_node.h"

namespace evenkeel::test {
namespace {

constexpr const char* kDir = "sys/fs/resctrl/evenkeel-be";
constexpr const char* kSchemata = "sys/fs/resctrl/evenkeel-be/schemata";

struct HandUndo : testing::Test {
  HandUndo() { node.plan(kBatch, kLittle, {"a"}); }
  ResctrlNode node;
};

// --- giving back

TEST_F(HandUndo, RestoresEverythingWhenThePlanIsEmpty) {
  node.settle();
  node.no_plan();
  const auto report = node.tick();
  EXPECT_EQ(node.kernel.taken(), "evenkeel-be <- rmdir\n");
  EXPECT_EQ(node.kernel.group_of(101), "");
  EXPECT_EQ(node.journal.directories().size(), 0U);
  ASSERT_EQ(report.writes.size(), 1U);
  EXPECT_TRUE(report.writes[0].restored);
  EXPECT_TRUE(node.tick().writes.empty());
}

TEST_F(HandUndo, WhatIsNotKnownChangesNothing) {
  node.settle();
  node.no_plan();
  node.intents.hold();
  EXPECT_TRUE(node.tick().writes.empty());
  EXPECT_TRUE(node.kernel.has(kBatch));
}

TEST_F(HandUndo, AskedForWhereThereIsNoneIsSaidOnce) {
  node.no_plan();
  node.intents.hold();
  const auto report = node.tick();
  ASSERT_EQ(report.refusals.size(), 1U);
  EXPECT_EQ(report.refusals[0].path, "sys/fs/resctrl");
  EXPECT_NE(report.refusals[0].detail.find("resctrl is not mounted here"), std::string::npos);
  int more = 0;
  for (int i = 0; i < 300; ++i) more += static_cast<int>(node.tick().refusals.size());
  EXPECT_EQ(more, 0);
}

TEST_F(HandUndo, AStopGivesEverythingBackWhateverWasRefused) {
  node.settle();
  node.kernel.fail_writes(kDir, EBUSY);
  EXPECT_EQ(node.restore_all().refusals.size(), 1U);
  EXPECT_EQ(node.journal.directories().size(), 1U) << "still on record";
  node.kernel.fail_writes(kDir, 0);
  EXPECT_TRUE(node.restore_all().refusals.empty());
  EXPECT_FALSE(node.kernel.has(kBatch));
}

TEST_F(HandUndo, AfterACrashTheJournalGivesItBack) {
  node.settle();
  node.restart();
  executor::Report report;
  resctrl::restore_resctrl(node.kernel, node.journal, report);
  EXPECT_FALSE(node.kernel.has(kBatch));
  EXPECT_EQ(node.kernel.group_of(101), "");
  ASSERT_EQ(report.writes.size(), 1U);
  EXPECT_TRUE(report.writes[0].restored);
  EXPECT_EQ(node.journal.directories().size(), 0U);
}

TEST_F(HandUndo, ACrashBetweenTheRecordAndTheGroupLeavesNothing) {
  ASSERT_TRUE(node.journal.record_creation(kDir));
  executor::Report report;
  resctrl::restore_resctrl(node.kernel, node.journal, report);
  EXPECT_TRUE(report.writes.empty());
  EXPECT_EQ(node.journal.directories().size(), 0U);
  ASSERT_TRUE(node.journal.record_creation(kDir));
  ASSERT_TRUE(node.kernel.make_dir(kDir));
  resctrl::restore_resctrl(node.kernel, node.journal, report);
  EXPECT_FALSE(node.kernel.has(kBatch)) << "made, but not noted yet";
}

TEST_F(HandUndo, AGroupThatCannotBeLookedAtStaysOnRecord) {
  node.settle();
  node.restart();
  node.kernel.fail_reads(kDir, EMFILE);
  executor::Report report;
  resctrl::restore_resctrl(node.kernel, node.journal, report);
  ASSERT_EQ(report.refusals.size(), 1U);
  EXPECT_EQ(report.refusals[0].path, kDir);
  EXPECT_EQ(node.journal.directories().size(), 1U);
  node.kernel.fail_reads(kDir, 0);
  resctrl::restore_resctrl(node.kernel, node.journal, report);
  EXPECT_FALSE(node.kernel.has(kBatch));
}

TEST_F(HandUndo, AGroupThatCannotBeIdentifiedIsRemovedAtOnce) {
  node.kernel.fail_reads(kDir, EMFILE);
  EXPECT_EQ(node.tick().refusals.size(), 1U);
  EXPECT_FALSE(node.kernel.has(kBatch));
  EXPECT_EQ(node.journal.directories().size(), 0U);
  node.kernel.fail_reads(kDir, 0);
  node.tick(600);
  EXPECT_TRUE(node.kernel.has(kBatch));
}

TEST_F(HandUndo, AnotherLifeOfThePathIsNotOursToRemove) {
  node.settle();
  ASSERT_TRUE(node.kernel.remove_dir(kDir) && node.kernel.make_dir(kDir));
  executor::Report report;
  resctrl::restore_resctrl(node.kernel, node.journal, report);
  EXPECT_TRUE(node.kernel.has(kBatch));
  EXPECT_TRUE(report.writes.empty());
}

// --- others

TEST_F(HandUndo, AGroupOfOurNameMadeByAnotherProgramIsLeftAlone) {
  ASSERT_TRUE(node.kernel.make_dir(kDir));
  node.kernel.taken();
  const auto report = node.tick();
  ASSERT_EQ(report.refusals.size(), 1U);
  EXPECT_EQ(report.refusals[0].error.code, EEXIST);
  for (int i = 0; i < 30; ++i) node.tick();
  node.no_plan();
  node.tick();
  node.restore_all();
  EXPECT_EQ(node.kernel.taken(), "");
}

TEST_F(HandUndo, ForeignSchemataAreLeftAMinuteAndFoughtForThrice) {
  node.settle();
  int reports = 0, yielded = 0;
  for (int i = 0; i < 60 * 6; ++i) {
    if (node.kernel.schemata(kBatch) == kLittleHeld) {
      ASSERT_TRUE(node.kernel.write(kSchemata, "L3:0=7ff\n"));
      node.kernel.taken();
    }
    const auto report = node.tick();
    for (const auto& foreign : report.foreign) {
      ++reports;
      yielded += foreign.yielded ? 1 : 0;
      EXPECT_EQ(foreign.theirs, "MB:0= 20;1= 20 L3:0=7ff;1=00f");
    }
  }
  EXPECT_EQ(reports, 4);
  EXPECT_EQ(yielded, 1);
  EXPECT_EQ(node.kernel.schemata(kBatch), "MB:0=20;1=20 L3:0=7ff;1=f") << "theirs from now on";
  std::vector<executor::Managed> managed;
  node.writer->add_managed(managed);
  EXPECT_TRUE(managed.at(0).yielded);
  node.no_plan();
  node.tick();
  EXPECT_FALSE(node.kernel.has(kBatch)) << "the group is ours all the same";
}

TEST_F(HandUndo, AnotherIntentDoesNotWriteOverForeignSchemata) {
  node.settle();
  ASSERT_TRUE(node.kernel.write(kSchemata, "L3:0=7ff\n"));
  ASSERT_EQ(node.tick().foreign.size(), 1U);
  node.plan(kBatch, "MB:0=30;1=30\nL3:0=f;1=f\n", {"a"});
  EXPECT_TRUE(node.tick().writes.empty());
  node.tick(60);
  EXPECT_EQ(node.kernel.schemata(kBatch), "MB:0=30;1=30 L3:0=f;1=f") << "after its minute";
}

TEST_F(HandUndo, ARefusedWriteDoesNotMakeForeignSchemataOurs) {
  node.settle();
  ASSERT_TRUE(node.kernel.write(kSchemata, "L3:0=7ff\n"));
  ASSERT_EQ(node.tick().foreign.size(), 1U);
  node.kernel.fail_writes(kSchemata, EBUSY);
  node.tick(60);
  node.tick();
  node.kernel.fail_writes(kSchemata, 0);
  node.tick(10);
  EXPECT_EQ(node.kernel.schemata(kBatch), kLittleHeld);
  ASSERT_TRUE(node.kernel.write(kSchemata, "L3:0=7ff\n"));
  const auto report = node.tick();
  ASSERT_EQ(report.foreign.size(), 1U);
  EXPECT_EQ(report.foreign[0].round, 1) << "one write, one round";
}

TEST_F(HandUndo, SchemataThatTheKernelRefusesAreNoForeignWrite) {
  node.settle();
  node.kernel.fail_writes(kSchemata, EBUSY);
  node.plan(kBatch, "MB:0=30;1=30\nL3:0=f;1=f\n", {"a"});
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(node.tick().foreign.empty());
  node.kernel.fail_writes(kSchemata, 0);
  node.tick(10);
  EXPECT_EQ(node.kernel.schemata(kBatch), "MB:0=30;1=30 L3:0=f;1=f");
}

TEST_F(HandUndo, AGroupThatWasRemovedIsMadeAgainAfterAMinute) {
  node.settle();
  ASSERT_TRUE(node.kernel.remove_dir(kDir));
  EXPECT_EQ(node.tick().foreign.size(), 1U);
  for (int i = 0; i < 58; ++i) node.tick();
  EXPECT_FALSE(node.kernel.has(kBatch));
  for (int i = 0; i < 5; ++i) node.tick();
  EXPECT_TRUE(node.kernel.has(kBatch));
  EXPECT_EQ(node.kernel.group_of(101), kBatch);
}

TEST_F(HandUndo, UnmountedIsGone) {
  node.settle();
  node.kernel.unmount();
  node.tick();
  EXPECT_EQ(node.writer->counters().groups, 0U);
  EXPECT_EQ(node.journal.directories().size(), 0U);
  node.no_plan();
  EXPECT_TRUE(node.tick().refusals.empty());
}

}  // namespace
}  // namespace evenkeel::test
