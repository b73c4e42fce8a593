// Features of the scheduler on a plain file that looks like debugfs': turned, told, turned back.
#include <gtest/gtest.h>

#include <filesystem>
#include <optional>

#include "cgroup/sched/sched_feature_writer.h"
#include "tests/support/fakes/fake_host.h"

namespace evenkeel::test {
namespace {

constexpr const char* kFile = "sys/kernel/debug/sched/features";

struct SchedFeatures : testing::Test {
  SchedFeatures() {
    host.file(kFile, "A B NO_C \n");
    root.emplace(std::move(*Host::open(host.root())));
    writer.emplace(*root, journal, false);
  }
  executor::Report tick(int seconds = 1) {
    now += std::chrono::seconds(seconds);
    executor::Report report;
    writer->apply({1, &wanted}, now, report);
    return report;
  }
  [[nodiscard]] std::string words() const { return host.read(kFile); }

  FakeHost host{};
  std::map<std::string, bool> wanted{{"A", true}, {"B", false}};
  executor::Journal journal = executor::Journal::in_memory();
  std::optional<Host> root{};
  std::optional<sched::SchedFeatureWriter> writer{};
  MonoTime now{std::chrono::hours(1)};
};

// Worked example of sysreconcile: one write.
TEST_F(SchedFeatures, OnlyWhatDiffersIsTurned) {
  const auto report = tick();
  EXPECT_EQ(words(), "A NO_B NO_C \n");
  ASSERT_EQ(report.writes.size(), 1U);
  EXPECT_EQ(report.writes[0].path, kFile);
  EXPECT_EQ(report.writes[0].old_text, "B");
  EXPECT_EQ(report.writes[0].new_text, "NO_B");
  std::vector<executor::Managed> managed;
  writer->add_managed(managed);
  ASSERT_EQ(managed.size(), 1U);
  EXPECT_EQ(managed[0].original, "B");
  EXPECT_TRUE(tick(10).writes.empty());
}

TEST_F(SchedFeatures, AFeatureThatThePlanDropsIsTurnedBack) {
  wanted = {{"B", false}, {"C", true}};
  tick();
  EXPECT_EQ(words(), "A NO_B C \n");
  wanted = {{"C", true}};
  EXPECT_TRUE(tick().writes[0].restored);
  EXPECT_EQ(words(), "A B C \n");
  wanted = {{"C", false}};
  tick();
  EXPECT_EQ(words(), "A B NO_C \n") << "the original is asked for";
  EXPECT_TRUE(journal.directories().empty());
  wanted = {{"A", false}};
  tick();
  executor::Report last;
  writer->restore_all(now, last);
  EXPECT_EQ(words(), "A B NO_C \n");
  EXPECT_TRUE(journal.directories().empty());
}

TEST_F(SchedFeatures, AnUnknownNameIsToldOnceAndNeverWritten) {
  wanted = {{"NO_C", true}, {"D", true}, {"", true}};
  EXPECT_EQ(tick().refusals.size(), 3U);
  EXPECT_EQ(words(), "A B NO_C \n");
  EXPECT_TRUE(tick(60).refusals.empty());
  wanted = {{"D", false}};
  EXPECT_EQ(tick().refusals.size(), 1U) << "another intent";
}

TEST_F(SchedFeatures, WithoutDebugfsThatIsSaidOnce) {
  std::filesystem::remove_all(host.root() + "/sys/kernel/debug");
  const auto report = tick();
  ASSERT_EQ(report.refusals.size(), 1U);
  EXPECT_NE(report.refusals[0].detail.find("debugfs is not mounted"), std::string::npos);
  EXPECT_TRUE(tick(60).refusals.empty());
  host.file("sys/kernel/debug/sched_features", "A B\n");
  tick(10);
  EXPECT_EQ(host.read("sys/kernel/debug/sched_features"), "A NO_B\n") << "before Linux 5.13";
}

TEST_F(SchedFeatures, WhoTurnsItBackIsLeftAloneForAMinuteAndForGoodAfterThree) {
  tick();
  for (int round = 0; round < 3; ++round) {
    host.file(kFile, "A B NO_C \n");
    const auto seen = tick(10);
    ASSERT_EQ(seen.foreign.size(), 1U) << round;
    EXPECT_EQ(seen.foreign[0].round, round);
    EXPECT_TRUE(tick(30).writes.empty()) << "not at once";
    EXPECT_EQ(tick(60).writes.size(), 1U);
  }
  host.file(kFile, "A B NO_C \n");
  EXPECT_TRUE(tick(10).foreign[0].yielded);
  EXPECT_TRUE(tick(600).writes.empty());
  EXPECT_TRUE(journal.directories().empty()) << "it is theirs";
}

TEST_F(SchedFeatures, AFeatureThatComesBackByItselfIsContestedAnew) {
  tick();
  const auto ours = words();
  host.file(kFile, "A B NO_C \n");
  ASSERT_EQ(tick(10).foreign.size(), 1U);
  host.file(kFile, ours);
  tick(10);
  host.file(kFile, "A B NO_C \n");
  const auto report = tick(60);
  EXPECT_EQ(report.foreign.size(), 1U);
  EXPECT_TRUE(report.writes.empty()) << "its minute begins now";
}

TEST_F(SchedFeatures, NothingIsTurnedBackOverAForeignWrite) {
  tick();
  host.file(kFile, "A B NO_C \n");
  wanted.clear();
  const auto report = tick();
  ASSERT_EQ(report.foreign.size(), 1U);
  EXPECT_TRUE(report.foreign[0].yielded && report.writes.empty());
  EXPECT_TRUE(journal.directories().empty());
}

TEST_F(SchedFeatures, AForeignWordThatIsTheIntendedOneIsNotReported) {
  tick();
  host.file(kFile, "A B NO_C \n");
  wanted = {{"B", true}};
  const auto report = tick();
  EXPECT_TRUE(report.foreign.empty() && report.writes.empty());
  EXPECT_TRUE(journal.directories().empty());
}

TEST_F(SchedFeatures, ACrashIsUndoneFromTheRecord) {
  wanted = {{"B", false}, {"C", true}};
  tick();
  host.file(kFile, "A NO_B NO_C \n");
  executor::Report report;
  sched::restore_sched_features(*root, journal, report);
  EXPECT_EQ(words(), "A B NO_C \n");
  EXPECT_EQ(report.writes.size(), 1U) << "another program has turned the other back already";
  EXPECT_TRUE(journal.directories().empty());
}

TEST_F(SchedFeatures, ADryRunOnlyTells) {
  writer.emplace(*root, journal, true);
  EXPECT_EQ(tick().writes.size(), 1U);
  EXPECT_TRUE(tick(10).writes.empty());
  EXPECT_EQ(words(), "A B NO_C \n");
}

}  // namespace
}  // namespace evenkeel::test
