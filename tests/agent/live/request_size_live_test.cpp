// Request sizes on a real kernel: of real processes and threads, inherited by children, given back in order,
// after kill -9, and never taken from a process that has its own.
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <thread>

#include "cgroup/sched/request_size_writer.h"
#include "tests/support/agents/stepped_agent.h"
#include "tests/support/live/agent_args.h"
#include "tests/support/live/live_cgroups.h"
#include "tests/support/process.h"
#include "tests/support/state_dir.h"

namespace evenkeel::test {
namespace {
using std::chrono::microseconds;
using std::chrono::milliseconds;

constexpr const char* kServiceUid = "eeeeeeee-0000-0000-0000-000000000011";
constexpr const char* kBatchUid = "eeeeeeee-0000-0000-0000-000000000012";

/// A process in the cgroup with one more thread; on SIGUSR1 it forks a child, which only waits.
pid_t two_threads(const std::string& procs) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  ::signal(SIGUSR1, [](int) {
    if (::fork() == 0) ::signal(SIGUSR1, SIG_IGN);
  });
  std::ofstream(procs) << ::getpid() << std::flush;
  std::thread second([] {
    for (;;) ::pause();
  });
  for (;;) ::pause();
}

/// For this thread and the processes that it starts, as a seccomp profile of a container does.
bool refuse_sched_setattr() {
  std::array<sock_filter, 4> code{{BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
                                   BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_sched_setattr, 0, 1),
                                   BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
                                   BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)}};
  const sock_fprog program{.len = code.size(), .filter = code.data()};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0;
}

class LiveRequestSize : public testing::Test {
 protected:
  void SetUp() override {
    if (!cgroups_.why_not().empty()) GTEST_SKIP() << cgroups_.why_not();
    if (const auto why = sched::request_size_problem(host_); !why.empty()) GTEST_SKIP() << why;
    cgroups_.make(service());
    cgroups_.make(batch());
    configure("");
  }
  void TearDown() override {
    for (const auto& cgroup : {service(), batch()})
      for (const auto task : tasks(cgroup)) ::kill(task, SIGKILL);
    for (const pid_t child : children_) ::waitpid(child, nullptr, 0);
  }
  static std::string service() { return std::string("kubepods/burstable/pod") + kServiceUid + "/c1"; }
  static std::string batch() { return std::string("kubepods/besteffort/pod") + kBatchUid + "/c2"; }
  void configure(const std::string& extension) const {
    std::ofstream(dir_.path + "/nodeslo.yaml")
        << "resourceUsedThresholdWithBE: {enable: true, cpuSuppressPolicy: cfsQuota}\n"
        << extension;
  }
  [[nodiscard]] std::vector<std::string> args() const { return stepped_args(cgroups_, dir_, kPodsByCgroup); }
  [[nodiscard]] std::vector<pid_t> tasks(const std::string& cgroup) const {
    std::ifstream in(cgroups_.file(Controller::cpu, cgroup, "cgroup.procs"));
    std::vector<pid_t> out;
    for (pid_t task = 0; in >> task;) out.push_back(task);
    return out;
  }
  /// Waits until so many processes are in the cgroup; the newest is last.
  [[nodiscard]] std::vector<pid_t> wait_for(const std::string& cgroup, std::size_t count) const {
    for (int i = 0; i < 500 && tasks(cgroup).size() < count; ++i)
      std::this_thread::sleep_for(milliseconds(10));
    return tasks(cgroup);
  }
  [[nodiscard]] std::string quota_name() const {
    return std::filesystem::path(cgroups_.quota_file("kubepods/besteffort")).filename();
  }
  pid_t start(const std::string& cgroup) {
    const auto before = tasks(cgroup).size();
    children_.push_back(two_threads(cgroups_.file(Controller::cpu, cgroup, "cgroup.procs")));
    EXPECT_EQ(wait_for(cgroup, before + 1).size(), before + 1);
    const std::string threads = "/proc/" + std::to_string(children_.back()) + "/task";
    const auto count = [&] {
      return std::distance(std::filesystem::directory_iterator(threads),
                           std::filesystem::directory_iterator());
    };
    for (int i = 0; i < 500 && count() < 2; ++i) std::this_thread::sleep_for(milliseconds(10));
    return children_.back();
  }
  Duration size(pid_t task) { return sizes_.of(task).value_or(Duration(-1)); }
  Duration kernels_own() { return sizes_.kernels_own().value_or(Duration(-1)); }
  /// Of every thread of the process; zero: they differ.
  Duration size_of_all_threads(pid_t process) {
    Duration all{-1};
    for (const auto& entry :
         std::filesystem::directory_iterator("/proc/" + std::to_string(process) + "/task")) {
      const auto one = size(std::stoi(entry.path().filename()));
      if (all != Duration(-1) && one != all) return {};
      all = one;
    }
    return all;
  }

  LiveCgroups cgroups_{};
  StateDir dir_{};
  Host host_ = *Host::open("/");
  sched::KernelRequestSizes sizes_{host_};
  std::vector<pid_t> children_{};
};

TEST_F(LiveRequestSize, BestEffortGetsLongerRequestsAndTheEndGivesTheKernelsOwnBack) {
  const pid_t serving = start(service()), training = start(batch());
  const pid_t special = start(batch());
  ASSERT_TRUE(sizes_.set(special, microseconds(700)));
  SteppedAgent agent(args());
  const Step step = agent.advance();
  EXPECT_TRUE(step.errors.empty()) << step.line;
  EXPECT_EQ(size_of_all_threads(training), milliseconds(4)) << step.line;
  EXPECT_EQ(size(serving), kernels_own());
  EXPECT_EQ(size(special), microseconds(700)) << "it has a size of its own";
  EXPECT_NE(agent.explain().find("4000 us"), std::string::npos) << agent.explain();
  EXPECT_NE(agent.metrics().find("evenkeel_request_size_cgroups 1"), std::string::npos);
  ::kill(training, SIGUSR1);
  const pid_t child = wait_for(batch(), 3).back();
  EXPECT_EQ(size(child), milliseconds(4)) << "a child inherits it";
  configure("extensions: {evenkeel: {requestSize: {services: 100us}}}\n");
  agent.advance();
  EXPECT_EQ(size_of_all_threads(serving), microseconds(100));
  agent.quit();
  for (const pid_t task : {serving, training, child}) EXPECT_EQ(size(task), kernels_own()) << task;
  EXPECT_EQ(size(special), microseconds(700));
}

TEST_F(LiveRequestSize, AfterKillMinusNineRestoreGivesTheKernelsOwnBack) {
  const pid_t training = start(batch());
  {
    SteppedAgent agent(args());
    agent.advance();
    EXPECT_EQ(size(training), milliseconds(4));
    agent.kill();
  }
  EXPECT_EQ(size(training), milliseconds(4));
  const auto restored = run_evenkeel({"restore", "--state-dir", dir_.path + "/state"});
  EXPECT_EQ(restored.exit_status, 0) << restored.err;
  EXPECT_EQ(size_of_all_threads(training), kernels_own());
}

TEST_F(LiveRequestSize, WhereTheKernelRefusesThemAfterAllThereIsNoQuotaEither) {
  const pid_t training = start(batch());
  std::thread([&] {
    ASSERT_TRUE(refuse_sched_setattr());
    SteppedAgent agent(args());
    for (int tick = 0; tick < 4; ++tick) {
      const Step step = agent.advance();
      for (const auto& write : step.writes) EXPECT_FALSE(write.path.ends_with(quota_name())) << step.line;
    }
    const auto log = agent.stderr_text();
    const auto said = log.find("event=request-sizes-refused");
    EXPECT_NE(said, std::string::npos) << log;
    EXPECT_EQ(log.find("event=request-sizes-refused", said + 1), std::string::npos) << log;
    agent.quit();
  }).join();
  EXPECT_EQ(size(training), kernels_own());
}

TEST_F(LiveRequestSize, DryRunSetsNothing) {
  const pid_t training = start(batch());
  auto arguments = args();
  arguments.push_back("--dry-run");
  SteppedAgent agent(arguments);
  const Step step = agent.advance();
  EXPECT_NE(step.line.find("4000 us"), std::string::npos) << step.line;
  EXPECT_EQ(size(training), kernels_own());
}

}  // namespace
}  // namespace evenkeel::test
