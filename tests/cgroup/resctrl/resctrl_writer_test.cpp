// Groups, schemata and tasks on a model of resctrl: made, kept, given back.
#include <gtest/gtest.h>

#include "cgroup/executor/file_writer.h"
#include "cgroup/resctrl/writer.h"
#include "tests/support/alloc_guard.h"
#include "tests/support/scenes/resctrl_node.h"

namespace evenkeel::test {
namespace {

constexpr const char* kDir = "sys/fs/resctrl/evenkeel-be";
constexpr const char* kSchemata = "sys/fs/resctrl/evenkeel-be/schemata";
constexpr const char* kTasks = "sys/fs/resctrl/evenkeel-be/tasks";

struct Actuator : testing::Test {
  Actuator() { node.plan(kBatch, kLittle, {"a"}); }
  ResctrlNode node;
};

TEST_F(Actuator, MakesTheGroupAndMovesTheTasks) {
  const auto report = node.tick();
  EXPECT_EQ(node.kernel.taken(),
            "evenkeel-be <- mkdir\nevenkeel-be/schemata <- MB:0=20;1=20\nL3:0=f;1=f\n"
            "evenkeel-be/tasks <- 101\nevenkeel-be/tasks <- 102\n");
  EXPECT_EQ(node.kernel.schemata(kBatch), kLittleHeld);
  EXPECT_EQ(node.kernel.group_of(101), kBatch);
  EXPECT_EQ(node.kernel.group_of(1), "") << "no plan has named it";
  ASSERT_EQ(report.writes.size(), 3U);
  EXPECT_EQ(report.writes[0].path, kDir);
  EXPECT_EQ(report.writes[1].old_text, "MB:0=100;1=100 L3:0=7ff;1=7ff");
  EXPECT_EQ(report.writes[1].new_text, "MB:0= 20;1= 20 L3:0=00f;1=00f");
  EXPECT_EQ(report.writes[2].new_text, "101 102");
  EXPECT_EQ(report.writes[2].cgroup, node.id("a"));
  EXPECT_EQ(node.writer->counters().moved_tasks, 2U);
}

TEST_F(Actuator, WhatHoldsIsNotWritten) {
  node.settle();
  EXPECT_TRUE(node.tick().writes.empty());
  EXPECT_EQ(node.kernel.taken(), "");
}

/// On plain files with the real writer, since the model allocates: a group that a crash left, as we want it.
TEST(HandOnFiles, ASteadyTickAllocatesNothing) {
  FakeHost fake;
  fake.v2().bare().kubepods();
  const auto pod = fake.pod(KubeQos::besteffort, "11111111-2222-3333-4444-555555555555", {"a"});
  fake.file(std::string(kDir) + "/schemata", "    MB:0= 20;1= 20\n    L3:0=00f;1=00f\n")
      .file(std::string(kDir) + "/tasks", "101\n102\n")
      .file("sys/fs/cgroup/" + pod + "/a/cgroup.threads", "101\n102\n")
      .file("sys/fs/resctrl/tasks", "1\n");
  const auto host = *Host::open(fake.root());
  tree::CgroupTree tree(host, *tree::detect_layout(host, ""));
  tree.scan();
  executor::ResctrlKernelFiles files(host);
  auto journal = executor::Journal::in_memory();
  ASSERT_TRUE(journal.made(kDir, *files.inode(kDir)));
  resctrl::ResctrlGroupWriter writer(tree, files, journal, false);
  decide::ResctrlPlan plan;
  auto& group = plan.add_group();
  group.name = kBatch;
  group.schemata = kLittle;
  plan.add_member(tree.find_path(pod + "/a")->id, 0);
  executor::Report report;
  MonoTime now{std::chrono::hours(2)};
  for (int i = 0; i < 70; ++i) writer.apply(plan, now += std::chrono::seconds(1), report);
  EXPECT_EQ(writer.counters().groups, 1U);
  EXPECT_EQ(report.writes.size(), 1U) << "the group alone, which was ours";
  const AllocGuard guard;
  for (int i = 0; i < 70; ++i) writer.apply(plan, now += std::chrono::seconds(1), report);
  EXPECT_EQ(guard.allocations(), 0U);
}

TEST_F(Actuator, ASteadyTickReadsOnlyTheSchemata) {
  node.settle();
  node.tick(10);
  const int before = node.kernel.reads;
  node.tick(1);
  EXPECT_EQ(node.kernel.reads - before, 1);
}

TEST_F(Actuator, AChangedWishIsOneWrite) {
  node.settle();
  node.no_plan();
  node.plan(kBatch, "MB:0=30;1=30\nL3:0=f;1=f\n", {"a"});
  node.tick();
  EXPECT_EQ(node.kernel.taken(), "evenkeel-be/schemata <- MB:0=30;1=30\nL3:0=f;1=f\n");
}

TEST_F(Actuator, WhatTheKernelRoundsIsNotWrittenAgain) {
  node.settle();
  node.no_plan();
  node.plan(kBatch, "MB:0=23;1=30\nL3:0=f;1=f\n", {"a"});
  node.tick();
  EXPECT_EQ(node.kernel.schemata(kBatch), "MB:0=30;1=30 L3:0=f;1=f");
  node.kernel.taken();
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(node.tick().foreign.empty());
  EXPECT_EQ(node.kernel.taken(), "");
}

// --- tasks

TEST_F(Actuator, TasksThatAreBornMeanwhileAreFound) {
  node.kernel.forks(node.threads_of("a"), 5);
  node.tick();
  for (int task = 100000; task < 100005; ++task) EXPECT_EQ(node.kernel.group_of(task), kBatch) << task;
}

TEST_F(Actuator, AProcessThatJoinsLaterIsFoundWithinAMinute) {
  node.settle();
  node.kernel.task(300, node.threads_of("a"));
  for (int i = 0; i < 60; ++i) node.tick();
  EXPECT_EQ(node.kernel.group_of(300), kBatch);
}

// The worked example of tasks: who is in the group is not written again, the sandbox's are written too.
TEST_F(Actuator, OnlyTasksThatAreNotThereYetAreWritten) {
  node.settle();
  node.kernel.task(105, node.threads_of("a"));  // beside 101 and 102
  node.container("sandbox");
  node.kernel.task(99, node.threads_of("sandbox"));
  node.plan(kBatch, kLittle, {"a", "sandbox"});
  for (int i = 0; i < 60; ++i) node.tick();
  EXPECT_EQ(node.kernel.group_of(99), kBatch);
  EXPECT_EQ(node.kernel.group_of(105), kBatch);
  const auto taken = node.kernel.taken();
  EXPECT_EQ(taken.find("<- 101"), std::string::npos) << taken;
  EXPECT_EQ(taken.find("<- 102"), std::string::npos) << taken;
}

TEST_F(Actuator, CgroupsInsideAContainerBelongToIt) {
  node.kernel.task(400, node.threads_of("a/system.slice/x.service"));
  node.tick();
  EXPECT_EQ(node.kernel.group_of(400), kBatch);
}

TEST_F(Actuator, ATaskThatHasEndedIsNoError) {
  node.kernel.fail_writes(kTasks, ESRCH);
  const auto report = node.tick();
  EXPECT_TRUE(report.refusals.empty());
  EXPECT_EQ(node.writer->counters().refusals, 0U);
}

TEST_F(Actuator, TasksOfAnotherProgramsGroupAreLeftThere) {
  ASSERT_TRUE(node.kernel.make_dir("sys/fs/resctrl/database"));
  node.kernel.task(101, node.threads_of("a"), "database");
  const auto report = node.tick();
  EXPECT_EQ(node.kernel.group_of(101), "database");
  EXPECT_EQ(node.kernel.group_of(102), kBatch);
  ASSERT_EQ(report.foreign.size(), 1U);
  EXPECT_EQ(report.foreign[0].theirs, "1 tasks are in a group of another process");
  EXPECT_TRUE(node.tick().foreign.empty()) << "said once";
}

TEST_F(Actuator, TasksInAMonitoringGroupAreLeftThere) {
  node.kernel.monitor("observer", {102});
  node.tick();
  EXPECT_EQ(node.kernel.group_of(101), kBatch);
  EXPECT_EQ(node.kernel.group_of(102), "");
}

TEST_F(Actuator, TasksOfAnotherPidNamespaceAreSaidToBe) {
  node.kernel.end(101);
  node.kernel.end(102);
  node.kernel.file(node.threads_of("a"), "0\n0\n");
  const auto report = node.tick();
  ASSERT_EQ(report.refusals.size(), 1U);
  EXPECT_EQ(report.refusals[0].error.code, ESRCH);
  EXPECT_EQ(report.refusals[0].detail, "the tasks are in another PID namespace: the agent needs the host's");
  EXPECT_TRUE(node.tick().refusals.empty()) << "not in every tick";
}

TEST_F(Actuator, TasksThatCannotBeListedAreSaidAndTriedAgain) {
  node.settle();
  node.no_plan();
  node.plan(kBatch, kLittle, {});
  node.kernel.fail_reads(node.threads_of("a"), EIO);
  const auto report = node.tick();
  ASSERT_EQ(report.refusals.size(), 1U);
  EXPECT_EQ(report.refusals[0].path, node.threads_of("a"));
  EXPECT_EQ(report.refusals[0].error.code, EIO);
  for (int i = 0; i < 60; ++i) EXPECT_TRUE(node.tick().refusals.empty()) << "reported once";
  EXPECT_EQ(node.kernel.group_of(101), kBatch);
  node.kernel.fail_reads(node.threads_of("a"), 0);
  for (int i = 0; i < 130; ++i) node.tick();
  EXPECT_EQ(node.kernel.group_of(101), "") << "as the plan says";
  EXPECT_EQ(node.writer->counters().members, 0U);
}

TEST_F(Actuator, AContainerThatChangesItsGroupTakesItsTasksAlong) {
  node.settle();
  node.no_plan();
  node.plan(kBatch, kLittle, {});
  node.plan("evenkeel-pod-x", "L3:0=7f0;1=7f0\n", {"a"});
  node.tick();
  EXPECT_EQ(node.kernel.group_of(101), "evenkeel-pod-x");
  EXPECT_EQ(node.kernel.group_of(102), "evenkeel-pod-x");
}

TEST_F(Actuator, AContainerThatIsNotNamedAnyMoreGoesBack) {
  node.container("b");
  node.kernel.task(201, node.threads_of("b"));
  node.no_plan();
  node.plan(kBatch, kLittle, {"a", "b"});
  node.settle();
  EXPECT_EQ(node.kernel.group_of(201), kBatch);
  node.no_plan();
  node.plan(kBatch, kLittle, {"b"});
  const auto report = node.tick();
  EXPECT_EQ(node.kernel.group_of(101), "") << "hands off";
  EXPECT_EQ(node.kernel.group_of(201), kBatch);
  ASSERT_EQ(report.writes.size(), 1U);
  EXPECT_TRUE(report.writes[0].restored);
  node.remove_container("b");
  node.no_plan();
  node.plan(kBatch, kLittle, {});
  EXPECT_TRUE(node.tick().refusals.empty()) << "it died";
  EXPECT_EQ(node.writer->counters().members, 0U);
}

// --- refusals

TEST_F(Actuator, ARefusalSaysWhatTheKernelSaysAndWaits) {
  node.no_plan();
  node.plan(kBatch, "MB:0=20;1=20\nL3:0=5;1=f\n", {"a"});
  const auto report = node.tick();
  ASSERT_EQ(report.refusals.size(), 1U);
  EXPECT_EQ(report.refusals[0].error.code, EINVAL);
  EXPECT_EQ(report.refusals[0].text, "MB:0=20;1=20 L3:0=5;1=f");
  EXPECT_EQ(report.refusals[0].detail, "The mask 5 has non-consecutive 1-bits");
  EXPECT_EQ(report.refusals[0].retry_in, std::chrono::seconds(1));
  EXPECT_EQ(node.kernel.schemata(kBatch), "MB:0=100;1=100 L3:0=7ff;1=7ff") << "all or nothing";
  for (int i = 0; i < 600; ++i) EXPECT_TRUE(node.tick().refusals.empty()) << "reported once";
  EXPECT_LE(node.writer->counters().refusals, 12U) << "but tried";
  EXPECT_GE(node.writer->counters().refusals, 8U);
  EXPECT_EQ(node.writer->counters().quarantined, 1U);
}

TEST_F(Actuator, WithoutAFreeClassTheTasksGoWhereThePlanSays) {
  ResctrlNode small(FakeResctrl::Machine{.max_groups = 2});
  small.container("b");
  small.kernel.task(201, small.threads_of("b"));
  small.plan(kBatch, kLittle, {"a"});
  small.plan("evenkeel-pod-x", "L3:0=7f0;1=7f0\n", {"b"}, 0);
  const auto report = small.tick();
  ASSERT_EQ(report.refusals.size(), 1U);
  EXPECT_EQ(report.refusals[0].error.code, ENOSPC);
  EXPECT_EQ(report.refusals[0].detail, "Out of CLOSIDs");
  EXPECT_EQ(small.kernel.group_of(201), kBatch);
  small.no_plan();
  small.plan("evenkeel-pod-x", "L3:0=7f0;1=7f0\n", {"b"});
  for (int i = 0; i < 3; ++i) small.tick();
  EXPECT_EQ(small.kernel.group_of(201), "evenkeel-pod-x") << "one came free";
}

TEST_F(Actuator, ADryRunOnlyTells) {
  ResctrlNode dry({}, true);
  dry.plan(kBatch, kLittle, {"a"});
  const auto report = dry.tick();
  EXPECT_EQ(dry.kernel.taken(), "");
  ASSERT_EQ(report.writes.size(), 3U);
  EXPECT_EQ(report.writes[1].new_text, "MB:0=20;1=20 L3:0=f;1=f");
  EXPECT_EQ(report.writes[2].new_text, "101 102");
  for (int i = 0; i < 20; ++i) EXPECT_TRUE(dry.tick().writes.empty());
}

TEST_F(Actuator, SaysWhatItManages) {
  node.settle();
  std::vector<executor::Managed> managed;
  node.writer->add_managed(managed);
  ASSERT_EQ(managed.size(), 2U);
  EXPECT_EQ(managed[0].path, kSchemata);
  EXPECT_EQ(managed[0].ours, "MB:0=20;1=20 L3:0=f;1=f");
  EXPECT_EQ(managed[1].cgroup, node.id("a"));
  EXPECT_EQ(managed[1].ours, "in evenkeel-be");
}

}  // namespace
}  // namespace evenkeel::test
