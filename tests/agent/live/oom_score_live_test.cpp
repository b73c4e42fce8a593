// oom_score_adj on a real kernel: of real processes, inherited by children, set back in order and after
// kill -9, and never lowered.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <thread>

#include "cgroup/sched/oom_score.h"
#include "tests/support/agents/stepped_agent.h"
#include "tests/support/live/agent_args.h"
#include "tests/support/live/live_cgroups.h"
#include "tests/support/live/live_pod.h"
#include "tests/support/state_dir.h"

namespace evenkeel::test {
namespace {
using std::chrono::milliseconds;

constexpr const char* kUid = "eeeeeeee-0000-0000-0000-000000000021";

class LiveOomScore : public testing::Test {
 protected:
  void SetUp() override {
    if (!cgroups_.why_not().empty()) GTEST_SKIP() << cgroups_.why_not();
    if (const auto why = sched::oom_score_problem(*Host::open("/")); !why.empty()) GTEST_SKIP() << why;
    cgroups_.make(container());
    std::ofstream(dir_.path + "/nodeslo.yaml") << "extensions: {evenkeel: {oomScoreAdj: true}}\n";
    child_ = start();
  }
  void TearDown() override {
    for (const pid_t process : processes()) ::kill(process, SIGKILL);
    if (child_ > 0) ::waitpid(child_, nullptr, 0);
    // The child's child is not this process's to wait for; the cgroup cannot be removed before it is gone.
    EXPECT_TRUE(child_ < 0 || empty_soon(cgroups_, container()));
  }
  static std::string container() { return std::string("kubepods/burstable/pod") + kUid + "/aaa"; }
  /// A process in the container with what the kubelet might have given it; on SIGUSR1 it forks a child, which
  /// only waits.
  pid_t start() {
    const std::string procs = cgroups_.file(Controller::cpu, container(), "cgroup.procs");
    const pid_t child = ::fork();
    if (child == 0) {
      ::signal(SIGUSR1, [](int) {
        if (::fork() == 0) ::signal(SIGUSR1, SIG_IGN);
      });
      std::ofstream("/proc/self/oom_score_adj") << given_ << std::flush;
      std::ofstream(procs) << ::getpid() << std::flush;
      for (;;) ::pause();
    }
    EXPECT_EQ(wait_for(1).size(), 1U);
    return child;
  }
  [[nodiscard]] std::vector<pid_t> processes() const {
    std::ifstream in(cgroups_.file(Controller::cpu, container(), "cgroup.procs"));
    std::vector<pid_t> out;
    for (pid_t process = 0; in >> process;) out.push_back(process);
    return out;
  }
  [[nodiscard]] std::vector<pid_t> wait_for(std::size_t count) const {
    for (int i = 0; i < 500 && processes().size() < count; ++i) std::this_thread::sleep_for(milliseconds(10));
    return processes();
  }
  static int value_of(pid_t process) {
    int value = -9999;
    std::ifstream("/proc/" + std::to_string(process) + "/oom_score_adj") >> value;
    return value;
  }
  [[nodiscard]] std::vector<std::string> args(int wanted) const {
    std::ofstream(dir_.path + "/pods.yaml")
        << "items: [{metadata: {uid: " << kUid
        << ", name: train, labels: {koordinator.sh/qosClass: BE}, annotations: "
           "{koordinator.sh/oom-score-adj: \""
        << wanted << "\"}}, spec: {containers: [{name: a}]}, status: {phase: Running, qosClass: Burstable, "
        << "containerStatuses: [{name: a, containerID: 'containerd://aaa', state: {running: {}}}]}}]\n";
    return stepped_args(cgroups_, dir_);
  }

  LiveCgroups cgroups_{};
  StateDir dir_{};
  const int given_ = 500;
  pid_t child_ = -1;
};

TEST_F(LiveOomScore, IsRaisedInheritedAndSetBack) {
  SteppedAgent agent(args(900));
  const Step step = agent.advance();
  EXPECT_TRUE(step.errors.empty()) << step.line;
  EXPECT_EQ(value_of(child_), 900) << step.line;
  ::kill(child_, SIGUSR1);
  const auto both = wait_for(2);
  ASSERT_EQ(both.size(), 2U);
  for (const pid_t process : both) EXPECT_EQ(value_of(process), 900) << "a child inherits it";
  agent.quit();
  for (const pid_t process : both) EXPECT_EQ(value_of(process), given_);
}

TEST_F(LiveOomScore, AfterKillMinusNineRestoreSetsItBack) {
  {
    SteppedAgent agent(args(900));
    agent.advance();
    EXPECT_EQ(value_of(child_), 900);
    agent.kill();
  }
  const auto restored = run_evenkeel({"restore", "--state-dir", dir_.path + "/state"});
  EXPECT_EQ(restored.exit_status, 0) << restored.err;
  EXPECT_EQ(value_of(child_), given_);
}

TEST_F(LiveOomScore, IsNeverLowered) {
  SteppedAgent agent(args(100));
  const Step step = agent.advance();
  EXPECT_EQ(value_of(child_), given_) << step.line;
  agent.quit();
  EXPECT_EQ(value_of(child_), given_);
}

}  // namespace
}  // namespace evenkeel::test
