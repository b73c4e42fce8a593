// Cookies on a model of core scheduling: given, handed on, taken away.
#include <gtest/gtest.h>

#include <optional>
#include <set>

#include "cgroup/executor/file_writer.h"
#include "cgroup/sched/core_sched_writer.h"
#include "tests/support/alloc_guard.h"
#include "tests/support/fakes/fake_cookies.h"
#include "tests/support/fakes/fake_host.h"

namespace evenkeel::test {
namespace {

constexpr const char* kShop = "11111111-2222-3333-4444-555555555551";
constexpr const char* kNight = "11111111-2222-3333-4444-555555555552";

/// A service with the tasks 101 and 102, a batch pod with 201.
struct CoreSched : testing::Test {
  CoreSched() {
    host.v2().bare().kubepods();
    shop = host.pod(KubeQos::burstable, kShop, {"a"});
    night = host.pod(KubeQos::besteffort, kNight, {"b"});
    runs(shop + "/a", {101, 102});
    runs(night + "/b", {201});
    root.emplace(std::move(*Host::open(host.root())));
    tree.emplace(*root, *tree::detect_layout(*root, ""));
    tree->scan();
    files.emplace(*root);
    restart();
    plan("services", shop);
    plan("batch", night);
  }
  void restart() { writer.emplace(*tree, *files, cookies, journal, false); }
  void runs(const std::string& cgroup, const std::vector<std::int32_t>& tasks) {
    std::string text;
    for (const auto task : tasks) {
      text += std::to_string(task) + "\n";
      cookies.tasks.emplace(task, 0);
    }
    host.file("sys/fs/cgroup/" + cgroup + "/cgroup.threads", text);
  }
  void plan(const char* group, const std::string& cgroup) {
    intents.add({tree->find_path(cgroup)->id, intents.group(group), because("the test wants it")});
  }
  executor::Report tick(int seconds = 1) {
    now += std::chrono::seconds(seconds);
    executor::Report report;
    writer->apply(intents, now, report);
    return report;
  }
  [[nodiscard]] std::uint64_t of(std::int32_t task) const { return cookies.tasks.at(task); }

  FakeHost host{};
  FakeCookies cookies{};
  executor::Journal journal = executor::Journal::in_memory();
  decide::CoreSchedPlan intents{};
  std::string shop, night;
  std::optional<Host> root{};
  std::optional<tree::CgroupTree> tree{};
  std::optional<executor::ResctrlKernelFiles> files{};
  std::optional<sched::CoreSchedWriter> writer{};
  MonoTime now{std::chrono::hours(1)};
};

TEST_F(CoreSched, EachGroupHasACookieOfItsOwn) {
  const auto report = tick();
  EXPECT_NE(of(101), 0U);
  EXPECT_EQ(of(101), of(102));
  EXPECT_NE(of(201), 0U);
  EXPECT_NE(of(101), of(201));
  ASSERT_EQ(report.writes.size(), 2U);
  std::set<std::string> said{report.writes[0].new_text, report.writes[1].new_text};
  EXPECT_EQ(said, (std::set<std::string>{"services: 2 tasks", "batch: 1 tasks"}));
  EXPECT_EQ(writer->counters().groups, 2U);
  std::vector<executor::Managed> managed;
  writer->add_managed(managed);
  EXPECT_EQ(managed.size(), 2U);
  EXPECT_EQ(journal.directories().at("sys/fs/cgroup/" + shop + "/core-sched"), of(101));
  for (int i = 0; i < 20; ++i) EXPECT_TRUE(tick().writes.empty()) << "what holds is not written";
}

TEST_F(CoreSched, WhoComesLaterGetsTheSameFromWhoHasIt) {
  tick();
  const auto cookie = of(101);
  runs(shop + "/a", {102, 103});
  cookies.tasks.erase(101);
  tick();
  EXPECT_EQ(of(103), cookie);
  for (int i = 0; i < 10; ++i) tick();
  runs(shop + "/a", {102, 103, 104});
  for (int i = 0; i < 70; ++i) tick();
  EXPECT_EQ(of(104), cookie) << "looked for once a minute";
}

TEST_F(CoreSched, AContainerThatStartsLaterGetsTheCookieAtOnce) {
  for (int i = 0; i < 11; ++i) tick();
  runs(host.container(shop, "z"), {105});
  tree->scan();
  tick();
  EXPECT_EQ(of(105), of(101));
}

TEST_F(CoreSched, AGroupThatHasDiedOutGetsANewOne) {
  tick();
  const auto old = of(101);
  cookies.tasks.clear();
  runs(shop + "/a", {111});
  runs(night + "/b", {201});
  tick();
  EXPECT_NE(of(111), 0U);
  EXPECT_NE(of(111), old);
}

TEST_F(CoreSched, OneGroupOverTwoPodsHasOneCookie) {
  intents.clear();
  plan("services", shop);
  plan("services", night);
  tick();
  tick();
  EXPECT_NE(of(101), 0U);
  EXPECT_EQ(of(101), of(201));
}

TEST_F(CoreSched, WhoIsNoLongerNamedLosesItsCookie) {
  tick();
  intents.clear();
  plan("batch", night);
  const auto report = tick();
  EXPECT_EQ(of(101), 0U);
  EXPECT_EQ(of(102), 0U);
  EXPECT_NE(of(201), 0U);
  ASSERT_EQ(report.writes.size(), 1U);
  EXPECT_TRUE(report.writes[0].restored);
  EXPECT_EQ(journal.directories().size(), 1U);
  executor::Report last;
  writer->restore_all(now, last);
  EXPECT_EQ(of(201), 0U);
  EXPECT_TRUE(journal.directories().empty());
}

TEST_F(CoreSched, APodMayChangeItsGroup) {
  tick();
  const auto before = of(101);
  intents.clear();
  plan("alone", shop);
  plan("batch", night);
  tick();
  EXPECT_NE(of(101), before);
  EXPECT_NE(of(101), 0U);
  EXPECT_EQ(of(101), of(102));
}

TEST_F(CoreSched, AnotherProgramsCookieIsLeftAloneAndTold) {
  cookies.tasks[102] = 0xbeef;
  const auto report = tick();
  EXPECT_EQ(of(102), 0xbeefU);
  EXPECT_NE(of(101), 0U);
  ASSERT_EQ(report.foreign.size(), 1U);
  EXPECT_EQ(report.foreign[0].theirs, "1 tasks have a cookie that another process set");
  EXPECT_TRUE(tick().foreign.empty()) << "once";
  intents.clear();
  tick();
  EXPECT_EQ(of(102), 0xbeefU);
  EXPECT_EQ(of(101), 0U);
}

TEST_F(CoreSched, AMachineWithoutThreadsPerCoreIsAskedOnceInAWhile) {
  cookies.refusal = ENODEV;
  const auto report = tick();
  ASSERT_EQ(report.refusals.size(), 1U) << "not once for each pod";
  EXPECT_NE(report.refusals[0].detail.find("more than one thread"), std::string::npos);
  EXPECT_TRUE(tick().refusals.empty());
  cookies.refusal = 0;
  tick(60);
  EXPECT_NE(of(101), 0U);
}

TEST_F(CoreSched, APodWhoseTasksAreRefusedKeepsNoOtherFromItsCookie) {
  cookies.secret = {101};
  const auto report = tick();
  ASSERT_EQ(report.refusals.size(), 1U);
  EXPECT_EQ(report.refusals[0].error.code, EPERM);
  EXPECT_NE(of(201), 0U);
  runs(night + "/b", {201, 202});
  for (int i = 0; i < 70; ++i) EXPECT_TRUE(tick().refusals.empty()) << "once";
  EXPECT_EQ(of(202), of(201)) << "who comes later, too";
  EXPECT_LE(writer->counters().refusals, 3U) << "after a pause";
  cookies.secret.clear();
  for (int i = 0; i < 120; ++i) tick();
  EXPECT_NE(of(101), 0U);
}

TEST_F(CoreSched, WhereEveryPodIsRefusedItIsSaidOnce) {
  cookies.secret = {101, 102, 201};
  EXPECT_EQ(tick().refusals.size(), 1U);
  for (int i = 0; i < 200; ++i) EXPECT_TRUE(tick().refusals.empty());
}

TEST_F(CoreSched, ARefusedPodIsRestoredAtTheStop) {
  tick();
  cookies.secret = {101};
  intents.clear();
  for (int i = 0; i < 3; ++i) tick();
  EXPECT_EQ(of(201), 0U);
  EXPECT_NE(of(101), 0U);
  cookies.secret.clear();
  executor::Report report;
  writer->restore_all(now, report);
  EXPECT_EQ(of(101), 0U);
  EXPECT_TRUE(journal.directories().empty());
}

TEST_F(CoreSched, TheStopRefusesNothingWhereNoTaskGotACookie) {
  cookies.refusal = EINVAL;
  ASSERT_EQ(tick().refusals.size(), 1U);
  executor::Report report;
  writer->restore_all(now, report);
  EXPECT_TRUE(report.refusals.empty());
}

TEST_F(CoreSched, ATickWithoutChangesAllocatesNothing) {
  for (const int refusal : {0, EINVAL}) {
    cookies.refusal = refusal;
    restart();
    for (int i = 0; i < 3; ++i) tick();
    const AllocGuard guard;
    tick();
    EXPECT_EQ(guard.allocations(), 0U) << "the kernel's answer is " << refusal;
  }
}

TEST_F(CoreSched, WithoutReadableCookiesNoTaskGetsOne) {
  cookies.nameless = true;
  const auto report = tick();
  ASSERT_EQ(report.refusals.size(), 1U);
  EXPECT_NE(report.refusals[0].detail.find("random numbers"), std::string::npos);
  EXPECT_EQ(cookies.handed_out, 0);
  EXPECT_TRUE(journal.directories().empty());
  cookies.nameless = false;
  tick(60);
  EXPECT_NE(of(101), 0U);
}

TEST_F(CoreSched, ACrashIsUndoneFromTheRecord) {
  tick();
  cookies.tasks[102] = 0xbeef;
  executor::Report report;
  sched::restore_core_sched(*files, cookies, journal, report);
  EXPECT_EQ(of(101), 0U);
  EXPECT_EQ(of(102), 0xbeefU) << "not ours";
  EXPECT_EQ(of(201), 0U);
  EXPECT_EQ(report.writes.size(), 2U);
  EXPECT_TRUE(journal.directories().empty());
  restart();
  tick();
  EXPECT_NE(of(201), 0U);
}

TEST_F(CoreSched, WhatCannotBeReadAfterACrashStaysOnRecord) {
  tick();
  cookies.secret = {101};
  executor::Report report;
  sched::restore_core_sched(*files, cookies, journal, report);
  EXPECT_EQ(report.refusals.size(), 1U);
  EXPECT_EQ(journal.directories().size(), 1U);
  cookies.secret.clear();
  sched::restore_core_sched(*files, cookies, journal, report);
  EXPECT_EQ(of(101), 0U);
  EXPECT_TRUE(journal.directories().empty());
}

TEST_F(CoreSched, ADryRunTouchesNothing) {
  writer.emplace(*tree, *files, cookies, journal, true);
  EXPECT_EQ(tick().writes.size(), 2U);
  EXPECT_TRUE(tick().writes.empty());
  EXPECT_EQ(of(101), 0U);
  EXPECT_TRUE(journal.directories().empty());
}

}  // namespace
}  // namespace evenkeel::test
