// Tests core scheduling on a real kernel: real cookies, their effect on two pods on one core, and that they
// are removed.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <sstream>
#include <thread>

#include "cgroup/sched/core_sched_writer.h"
#include "tests/support/agents/stepped_agent.h"
#include "tests/support/live/agent_args.h"
#include "tests/support/live/live_cgroups.h"
#include "tests/support/live/pinned_task.h"
#include "tests/support/live/without_rights.h"
#include "tests/support/process.h"
#include "tests/support/state_dir.h"

namespace evenkeel::test {
namespace {
using std::chrono::milliseconds;

constexpr const char* kServiceUid = "eeeeeeee-0000-0000-0000-000000000001";
constexpr const char* kBatchUid = "eeeeeeee-0000-0000-0000-000000000002";
constexpr const char* kOn =
    "resourceQOSStrategy: {policies: {cpuPolicy: coreSched}, lsClass: {cpuQOS: {enable: true}}, beClass: "
    "{cpuQOS: {enable: true}}}\n";

std::string pod(const char* uid, const char* name, const char* labels, const char* qos, const char* id) {
  return std::string("- {metadata: {uid: ") + uid + ", namespace: shop, name: " + name + ", labels: {" +
         labels + "}}, spec: {containers: [{name: a}]}, status: {phase: Running, qosClass: " + qos +
         ", containerStatuses: [{name: a, containerID: 'containerd://" + id + "', state: {running: {}}}]}}\n";
}

class LiveCoreSched : public testing::Test {
 protected:
  void SetUp() override {
    if (!cgroups_.why_not().empty()) GTEST_SKIP() << cgroups_.why_not();
    if (const auto own = cookies_.of(0); !own) GTEST_SKIP() << sched::describe_cookie_error(own.error());
    cgroups_.make(service());
    cgroups_.make(batch());
    configure(kOn);
    std::ofstream(dir_.path + "/pods.yaml")
        << "items:\n"
        << pod(kServiceUid, "cart", "koordinator.sh/qosClass: LS", "Burstable", "c1")
        << pod(kBatchUid, "train", "koordinator.sh/qosClass: BE", "BestEffort", "c2");
  }
  void TearDown() override {
    for (const pid_t child : children_) {
      ::kill(child, SIGKILL);
      ::waitpid(child, nullptr, 0);
    }
  }
  static std::string service() { return std::string("kubepods/burstable/pod") + kServiceUid + "/c1"; }
  static std::string batch() { return std::string("kubepods/besteffort/pod") + kBatchUid + "/c2"; }
  void configure(const std::string& text) const { std::ofstream(dir_.path + "/nodeslo.yaml") << text; }
  [[nodiscard]] std::vector<std::string> args() const { return stepped_args(cgroups_, dir_); }
  pid_t busy(const std::string& cgroup) {
    const auto procs = cgroups_.file(Controller::cpu, cgroup, "cgroup.procs");
    children_.push_back(busy_process(procs));
    const auto wanted = std::to_string(children_.back());
    for (int i = 0; i < 2000 && text_of_file(procs).find(wanted) == std::string::npos; ++i)
      std::this_thread::sleep_for(milliseconds(10));
    return children_.back();
  }
  /// A process of another user.
  pid_t strange() {
    constexpr uid_t kNobody = 65534;
    children_.push_back(::fork());
    if (children_.back() == 0) {
      if (::setuid(kNobody) != 0) ::_exit(1);
      for (;;) ::pause();
    }
    const auto status = "/proc/" + std::to_string(children_.back()) + "/status";
    const auto wanted = "Uid:\t" + std::to_string(kNobody);
    for (int i = 0; i < 2000 && text_of_file(status).find(wanted) == std::string::npos; ++i)
      std::this_thread::sleep_for(milliseconds(10));
    return children_.back();
  }
  /// Absent counts as no cookie: callers know that the task is alive.
  std::uint64_t cookie(pid_t task) { return cookies_.of(task).value_or(0); }
  static double cpu_seconds(pid_t task) {
    std::istringstream stat(text_of_file("/proc/" + std::to_string(task) + "/stat"));
    std::string word;
    for (int i = 0; i < 13; ++i) stat >> word;
    double user = 0, system = 0;
    stat >> user >> system;
    return (user + system) / static_cast<double>(::sysconf(_SC_CLK_TCK));
  }
  /// CPUs that the two pods use, averaged over four seconds.
  static double busy_cpus(pid_t one, pid_t other) {
    const auto began = std::chrono::steady_clock::now();
    const double before = cpu_seconds(one) + cpu_seconds(other);
    std::this_thread::sleep_for(std::chrono::seconds(4));
    const double used = cpu_seconds(one) + cpu_seconds(other) - before;
    return used / std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  }
  LiveCgroups cgroups_{};
  StateDir dir_{};
  Host host_ = *Host::open("/");
  sched::KernelCookies cookies_{host_};
  std::vector<pid_t> children_{};
};

TEST_F(LiveCoreSched, GroupsGetCookiesAndLoseThemAgain) {
  const pid_t serving = busy(service()), training = busy(batch());
  SteppedAgent agent(args());
  const Step step = agent.advance();
  EXPECT_TRUE(step.errors.empty()) << step.line;
  EXPECT_NE(cookie(serving), 0U) << step.line;
  EXPECT_NE(cookie(training), 0U);
  EXPECT_NE(cookie(serving), cookie(training));
  EXPECT_EQ(cookie(::getpid()), 0U);
  EXPECT_NE(agent.explain().find("its class keeps others away"), std::string::npos);
  EXPECT_NE(agent.metrics().find("evenkeel_core_sched_groups 2"), std::string::npos);
  const pid_t later = busy(batch());
  for (int i = 0; i < 70 && cookie(later) == 0; ++i) agent.advance();
  EXPECT_EQ(cookie(later), cookie(training)) << "a process that joined afterwards";
  configure("resourceQOSStrategy: {policies: {cpuPolicy: coreSched}, beClass: {cpuQOS: {enable: true}}}\n");
  agent.advance();
  EXPECT_EQ(cookie(serving), 0U) << "its class is off";
  EXPECT_NE(cookie(training), 0U);
  agent.quit();
  EXPECT_EQ(cookie(training), 0U);
  EXPECT_EQ(cookie(later), 0U);
}

// No guest has both systemd and core scheduling, so what the unit's drop-in core-sched opens is shown here.
TEST_F(LiveCoreSched, TheCapabilityOfTheDropInIsNecessaryForOtherUsersTasks) {
  const auto drop_in = text_of_file(EVENKEEL_SOURCE_DIR "/systemd/drop-ins/core-sched.conf");
  ASSERT_NE(drop_in.find("\nCapabilityBoundingSet=CAP_SYS_PTRACE\n"), std::string::npos) << drop_in;
  const pid_t task = strange();
  EXPECT_TRUE(cookies_.of(task));
  const WithoutRights base{CAP_SYS_PTRACE};
  const auto refused = cookies_.of(task);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, EPERM);
}

TEST_F(LiveCoreSched, AfterKillMinusNineRestoreClearsTheCookies) {
  const pid_t serving = busy(service());
  {
    SteppedAgent agent(args());
    agent.advance();
    ASSERT_NE(cookie(serving), 0U);
    agent.kill();
  }
  EXPECT_NE(cookie(serving), 0U);
  const auto ran = run_evenkeel({"restore", "--state-dir", dir_.path + "/state"});
  EXPECT_EQ(ran.exit_status, 0) << ran.err;
  EXPECT_EQ(cookie(serving), 0U) << ran.err;
}

/// On one core with two threads: two pods keep both busy, until they must not share it.
TEST_F(LiveCoreSched, TwoGroupsNeverRunOnOneCoreTogether) {
  if (text_of_file("/sys/devices/system/cpu/cpu0/topology/thread_siblings_list") !=
      text_of_file("/sys/devices/system/cpu/online"))
    GTEST_SKIP() << "this machine has more than one core";
  const pid_t serving = busy(service()), training = busy(batch());
  const double apart = busy_cpus(serving, training);
  EXPECT_GT(apart, 1.5) << "each on a thread of its own";
  SteppedAgent agent(args());
  const Step step = agent.advance();
  ASSERT_NE(cookie(serving), cookie(training)) << step.line;
  const double kept = busy_cpus(serving, training);
  EXPECT_LT(kept, 1.25) << "one thread idles while the other runs a task of another group";
  EXPECT_GT(kept, 0.5);
  agent.quit();
  const double again = busy_cpus(serving, training);
  EXPECT_GT(again, 1.5);
  std::printf("CPUs kept busy by two pods on one core: %.2f, %.2f with core scheduling, %.2f after it\n",
              apart, kept, again);
}

}  // namespace
}  // namespace evenkeel::test
