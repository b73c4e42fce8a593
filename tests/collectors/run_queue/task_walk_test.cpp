// The task walk on a fake machine: parsing, and the sums over tasks that come and go.
#include "collectors/run_queue/task_walk.h"

#include <gtest/gtest.h>

#include "collectors/per_cgroup/roster.h"
#include "tests/support/alloc_guard.h"
#include "tests/support/fakes/fake_host.h"
#include "tests/support/malformed.h"

namespace evenkeel::test {
namespace {

using namespace std::chrono_literals;

TEST(TaskTexts, AreParsed) {
  EXPECT_EQ(run_queue::parse_schedstat("100 2500 7\n")->waited, 2500ns);
  EXPECT_EQ(run_queue::parse_schedstat("100 2500 7\n")->timeslices, 7);
  EXPECT_TRUE(run_queue::parse_schedstat("0 0 0\n")) << "it has not run yet";
  EXPECT_EQ(run_queue::task_state("12 (name) R 1 2 3"), 'R');
  EXPECT_EQ(run_queue::task_state("12 (odd ) D (name) S 1 2 3"), 'S') << "a name may contain anything";
}

TEST(TaskTexts, AnythingElseIsAbsent) {
  for (const char* text : {"1 2", "-1 2 3", "1 -2 3", "1 2 -3", "5 0 0", "a b c"})
    EXPECT_FALSE(run_queue::parse_schedstat(text)) << text;
  for (const auto& text : malformed_texts()) {
    EXPECT_FALSE(run_queue::parse_schedstat(text)) << text.substr(0, 40);
    EXPECT_EQ(run_queue::task_state(text), '\0') << text.substr(0, 40);
  }
  for (const char* text : {"12 (name)", "12 (name) ", "12 (name)R 1", "12 name R 1"})
    EXPECT_EQ(run_queue::task_state(text), '\0') << text;
}

/// A pod with one container on v2, and tasks in it.
class Walked : public testing::Test {
 protected:
  Walked() {
    host_.machine().v2().kubepods();
    pod_ = host_.pod(KubeQos::burstable, "11-22", {"aaa"});
    opened_.emplace(*Host::open(host_.root()));
    tree_.emplace(*opened_, *tree::detect_layout(*opened_, ""));
    tree_->scan();
    per_cgroup::build_roster(*tree_, nullptr, nullptr, node_);
    walk_.follow(*tree_);
  }
  void tasks(const std::string& list) { host_.write(Controller::cpu, pod_ + "/aaa", "cgroup.threads", list); }
  void task(int tid, char state, int waited_ns, int timeslices) {
    const auto dir = "proc/" + std::to_string(tid);
    host_.file(dir + "/stat", std::to_string(tid) + " (x) " + state + " 1 1");
    host_.file(dir + "/schedstat",
               "1000 " + std::to_string(waited_ns) + " " + std::to_string(timeslices) + "\n");
  }
  /// Adds that many sleeping tasks.
  void sleepers(int count) {
    std::string list;
    for (int tid = 100; tid < 100 + count; ++tid) {
      list += std::to_string(tid) + "\n";
      host_.file("proc/" + std::to_string(tid) + "/stat", "1 (x) S 1");
    }
    tasks(list);
  }
  std::string_view look(bool schedules = true) {
    collectors::Tick tick{*opened_, buffer_, node_};
    return walk_.scan(tick, schedules);
  }
  [[nodiscard]] const run_queue::TaskWalk::Result& seen() const { return walk_.seen().at(0); }

  FakeHost host_{};
  std::string pod_{};
  std::optional<Host> opened_{};
  std::optional<tree::CgroupTree> tree_{};
  NodeSnapshot node_{};
  run_queue::TaskWalk walk_{};
  std::array<char, 4096> buffer_{};
};

TEST_F(Walked, CountsStatesAndAddsUpWaits) {
  tasks("11\n12\n13\n");
  task(11, 'R', 100, 1);
  task(12, 'D', 200, 2);
  task(13, 'S', 300, 3);
  ASSERT_EQ(look(), "");
  EXPECT_EQ(seen().running, 1);
  EXPECT_EQ(seen().uninterruptible, 1);
  EXPECT_FALSE(seen().since) << "sums from before the first look count for no cgroup";
  task(11, 'R', 150, 2);
  task(13, 'R', 1300, 5);
  ASSERT_EQ(look(), "");
  EXPECT_EQ(seen().running, 2);
  ASSERT_TRUE(seen().since);
  EXPECT_EQ(seen().since->waited, 1050ns);
  EXPECT_EQ(seen().since->timeslices, 3);
}

TEST_F(Walked, StartedAndExitedTasksDoNotDistortTheSum) {
  tasks("11\n12\n");
  task(11, 'R', 100, 1);
  task(12, 'R', 5000, 1);
  look();
  tasks("11\n14\n");
  task(11, 'R', 170, 2);
  task(14, 'R', 9000, 9);
  look();
  EXPECT_EQ(seen().since->waited, 70ns);
  task(11, 'R', 60, 1);  // another task with its number
  task(14, 'R', 9005, 10);
  look();
  EXPECT_EQ(seen().since->waited, 5ns);
  host_.remove("proc/14");  // exits between the listing and the read
  look();
  EXPECT_EQ(seen().running, 1);
  EXPECT_EQ(seen().since->waited, 0ns);
}

TEST_F(Walked, WaitsOfAThrottledCgroupAreUnknown) {
  tasks("11\n");
  task(11, 'R', 100, 1);
  look();
  const CgroupSample* pod = node_.cgroup(node_.pods.at(0).cgroup);
  auto& above = node_.cgroups[static_cast<std::size_t>(pod - node_.cgroups.data())];
  above.throttling = Throttling{.periods = 10, .throttled_periods = 1};
  task(11, 'R', 900, 2);
  look();
  EXPECT_FALSE(seen().since);
  above.throttling = Throttling{.periods = 10};
  task(11, 'R', 950, 3);
  look();
  EXPECT_EQ(seen().since->waited, 50ns);
}

TEST_F(Walked, ReportsWhyNothingIsKnown) {
  tasks("0\n0\n");
  EXPECT_NE(look().find("PID namespace"), std::string_view::npos);
  tasks("11\n");
  task(11, 'R', 0, 0);
  EXPECT_NE(look().find("CONFIG_SCHED_INFO"), std::string_view::npos);
  EXPECT_EQ(look(false), "") << "states are known all the same";
  EXPECT_EQ(seen().running, 1);
  sleepers(1001);
  EXPECT_NE(look(false).find("too many"), std::string_view::npos);
  EXPECT_TRUE(walk_.seen().empty());
}

/// When the number varies around the limit, results must not come and go.
TEST_F(Walked, AboveTheLimitNothingIsKnownUntilClearlyBelow) {
  sleepers(1000);
  EXPECT_EQ(look(false), "");
  sleepers(1001);
  const std::string why(look(false));
  EXPECT_NE(why, "");
  for (const int count : {1000, 900, 801}) {
    sleepers(count);
    EXPECT_EQ(look(false), why) << count;
    EXPECT_TRUE(walk_.seen().empty());
  }
  sleepers(800);
  EXPECT_EQ(look(false), "");
  EXPECT_EQ(walk_.seen().size(), 1U);
  sleepers(1000);
  EXPECT_EQ(look(false), "");
}

TEST_F(Walked, TasksInAContainersSubCgroupsCountForTheContainer) {
  tasks("11\n");
  task(11, 'R', 100, 1);
  host_.write(Controller::cpu, pod_ + "/aaa/init.scope", "cgroup.threads", "12\n");
  host_.write(Controller::cpu, pod_ + "/aaa/system.slice/a.service", "cgroup.threads", "13\n");
  task(12, 'D', 100, 1);
  task(13, 'R', 100, 1);
  ASSERT_EQ(look(), "");
  EXPECT_EQ(seen().running, 2);
  EXPECT_EQ(seen().uninterruptible, 1);
  for (int i = 0; i < 3; ++i) look();
  task(13, 'R', 140, 2);
  const AllocGuard guard;
  look();
  EXPECT_EQ(guard.allocations(), 0U);
  EXPECT_EQ(seen().since->waited, 40ns);
}

TEST_F(Walked, ASteadyWalkAllocatesNothing) {
  tasks("11\n12\n");
  task(11, 'R', 100, 1);
  task(12, 'S', 100, 1);
  for (int i = 0; i < 3; ++i) look();
  const AllocGuard guard;
  look();
  EXPECT_EQ(guard.allocations(), 0U);
}

}  // namespace
}  // namespace evenkeel::test
