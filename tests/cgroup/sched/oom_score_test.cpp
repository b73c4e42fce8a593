// oom_score_adj of the processes of containers, on files that look like /proc: raised, followed, set back,
// and left alone where it is the program's own.
#include "cgroup/sched/oom_score.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "tests/cgroup/sched/task_value_scene.h"

namespace evenkeel::test {
namespace {

/// A batch container with the processes 201 and 202, to which the kubelet gave 500; it asks for 900.
struct OomScore : TaskValueScene<sched::OomScoreWriter, decide::OomScorePlan> {
  OomScore() : TaskValueScene(KubeQos::burstable) {
    runs({201, 202});
    open();
    scores.emplace(*files);
    restart(*scores);
    plan(900);
  }
  void runs(const std::vector<int>& processes) {
    std::string text;
    for (const int process : processes) {
      text += std::to_string(process) + "\n";
      if (!host.exists(file_of(process))) give(process, 500);
    }
    host.file(list("cgroup.procs"), text);
  }
  static std::string file_of(int process) { return "proc/" + std::to_string(process) + "/oom_score_adj"; }
  void give(int process, int value) { host.file(file_of(process), std::to_string(value) + "\n"); }
  [[nodiscard]] int of(int process) const { return std::stoi(host.read(file_of(process))); }
  void plan(int value) { plan_for(pod + "/b", value); }
  executor::Report restore_offline() { return TaskValueScene::restore_offline(*scores); }
  [[nodiscard]] std::vector<executor::Managed> managed() const {
    std::vector<executor::Managed> all;
    writer->add_managed(all);
    return all;
  }

  std::optional<sched::OomScores> scores{};
};

TEST_F(OomScore, IsRaisedForAllProcessesOnceAndSetBackAtTheEnd) {
  const auto report = tick();
  EXPECT_EQ(of(201), 900);
  EXPECT_EQ(of(202), 900);
  ASSERT_EQ(report.writes.size(), 1U);
  EXPECT_EQ(report.writes[0].old_text, "500");
  EXPECT_EQ(report.writes[0].new_text, "900: 2 processes");
  ASSERT_EQ(managed().size(), 1U);
  EXPECT_EQ(managed()[0].original, "500");
  EXPECT_EQ(managed()[0].ours, "900");
  for (int i = 0; i < 70; ++i) EXPECT_TRUE(tick().writes.empty());
  runs({201, 202, 203});
  give(203, 900);  // a child inherits it
  executor::Report at_end;
  writer->restore_all(now, at_end);
  for (const int process : {201, 202, 203}) EXPECT_EQ(of(process), 500) << process;
  EXPECT_TRUE(journal.directories().empty());
}

TEST_F(OomScore, AProcessThatJoinsFromOutsideGetsItWithinAMinute) {
  for (int i = 0; i < 10; ++i) tick();
  runs({201, 202, 203});
  for (int i = 0; i < 70; ++i) tick();
  EXPECT_EQ(of(203), 900);
}

TEST_F(OomScore, IsNeverLoweredAndAWishToDoSoIsSaidOnceAndNotExplainedAsIfItHeld) {
  plan(400);
  const auto report = tick();
  EXPECT_EQ(of(201), 500);
  ASSERT_EQ(report.foreign.size(), 1U);
  EXPECT_EQ(report.foreign[0].ours, "400");
  EXPECT_EQ(report.foreign[0].theirs, "500 (it is only raised)");
  EXPECT_EQ(writer->counters().foreign, 0U) << "nobody has written";
  EXPECT_TRUE(managed().empty());
  EXPECT_TRUE(journal.directories().empty());
  for (int i = 0; i < 70; ++i) EXPECT_TRUE(tick().foreign.empty());
}

TEST_F(OomScore, ALowerWishLowersOurValueAndNeverTheOriginal) {
  tick();
  plan(700);
  tick();
  EXPECT_EQ(of(201), 700);
  plan(-1000);
  tick();
  EXPECT_EQ(of(201), 500);
  EXPECT_EQ(of(202), 500);
  EXPECT_TRUE(journal.directories().empty());
  EXPECT_TRUE(managed().empty());
  plan(800);
  tick();
  EXPECT_EQ(of(202), 800);
}

TEST_F(OomScore, AProgramThatRaisedItselfIsLeftAlone) {
  give(202, 600);
  EXPECT_EQ(tick().foreign.size(), 1U);
  EXPECT_EQ(of(201), 900);
  EXPECT_EQ(of(202), 600);
  wanted.members.clear();
  tick();
  EXPECT_EQ(of(201), 500);
  EXPECT_EQ(of(202), 600);
}

TEST_F(OomScore, AfterACrashTheJournalRestoresOnlyWhatIsStillOurs) {
  tick();
  give(202, 950);  // the program's own, since
  const auto report = restore_offline();
  EXPECT_EQ(of(201), 500);
  EXPECT_EQ(of(202), 950);
  ASSERT_EQ(report.writes.size(), 1U);
  EXPECT_EQ(report.writes[0].new_text, "500: 1 processes");
  EXPECT_TRUE(journal.directories().empty());
}

TEST_F(OomScore, TasksThatCannotBeReadStayOnRecord) {
  tick();
  const std::string procs = list("cgroup.procs"), text = host.read(procs);
  host.remove(procs);
  host.file(procs + "/nothing", "");  // EISDIR
  EXPECT_EQ(restore_offline().refusals.size(), 1U) << "they are there, and have the agent's value";
  EXPECT_EQ(journal.directories().size(), 1U);
  host.remove(procs);
  host.file(procs, text);
  EXPECT_TRUE(restore_offline().refusals.empty());
  EXPECT_EQ(of(201), 500);
  EXPECT_TRUE(journal.directories().empty());
}

TEST_F(OomScore, TheStopForgetsNoTasksThatCannotBeRead) {
  tick();
  const std::string procs = list("cgroup.procs");
  host.remove(procs);
  host.file(procs + "/nothing", "");
  executor::Report at_end;
  writer->restore_all(now, at_end);
  EXPECT_EQ(at_end.refusals.size(), 1U);
  EXPECT_EQ(journal.directories().size(), 1U);
}

TEST_F(OomScore, ANegativeOriginalIsRestoredFromTheJournal) {
  give(201, -997);
  give(202, -997);
  plan(-10);
  tick();
  EXPECT_EQ(of(201), -10);
  restore_offline();
  EXPECT_EQ(of(201), -997);
  EXPECT_EQ(of(202), -997);
}

TEST_F(OomScore, AProcessThatEndsMeanwhileIsNoProblem) {
  host.remove("proc/202");
  EXPECT_TRUE(tick().refusals.empty());
  EXPECT_EQ(of(201), 900);
  host.remove("proc/201");
  EXPECT_TRUE(restore_offline().refusals.empty());
  EXPECT_TRUE(journal.directories().empty());
}

TEST_F(OomScore, AnUnreadableValueIsReportedAndNothingIsWritten) {
  host.file(file_of(201), "high\n");
  host.file(file_of(202), "high\n");
  EXPECT_TRUE(tick().writes.empty());
  EXPECT_EQ(host.read(file_of(201)), "high\n");
}

TEST_F(OomScore, DryRunSaysWhatItWouldSetAndSetsNothing) {
  restart(*scores, true);
  EXPECT_EQ(tick().writes.size(), 1U);
  EXPECT_EQ(of(201), 500);
  EXPECT_TRUE(journal.directories().empty());
}

}  // namespace
}  // namespace evenkeel::test
