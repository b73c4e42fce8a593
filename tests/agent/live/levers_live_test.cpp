// Tests levers on the real kernel, v1 or v2: what was written takes effect, and is restored afterwards.
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <functional>
#include <sstream>
#include <thread>

#include "collectors/node/parsers.h"
#include "tests/support/live/agent_args.h"
#include "tests/support/live/live_agent.h"
#include "tests/support/live/live_cgroups.h"
#include "tests/support/live/pinned_task.h"
#include "tests/support/process.h"
#include "tests/support/soon.h"
#include "tests/support/state_dir.h"

namespace evenkeel::test {
namespace {

using std::chrono::milliseconds;

constexpr const char* kBatch = "kubepods/besteffort/podcccccccc-0000-0000-0000-00000000000b/c1";
constexpr const char* kOwner = "kubepods/podcccccccc-0000-0000-0000-00000000000e/c2";
constexpr const char* kService = "kubepods/burstable/podcccccccc-0000-0000-0000-00000000000f/c3";

/// One item of a pod list; `spec` goes into its container, `meta` beside its name.
std::string pod(const char* cgroup, const char* qos, const std::string& meta, const std::string& spec) {
  const std::string path(cgroup);
  const auto at = path.find("/pod") + 4;
  const auto uid = path.substr(at, 36), id = path.substr(at + 37);
  return "- {metadata: {uid: " + uid + ", namespace: a, name: p" + id + ", " + meta +
         "}, spec: {containers: [{name: a" + spec + "}]}, status: {phase: Running, qosClass: " + qos +
         ", containerStatuses: [{name: a, containerID: " + "'containerd://" + id +
         "', state: {running: {}}}]}}\n";
}

/// A process in the cgroups of `procs` that repeats `work` for ever.
pid_t process_in(const std::vector<std::string>& procs, const std::function<void()>& work) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  for (const auto& file : procs) std::ofstream(file) << ::getpid() << std::flush;
  work();
  for (;;) ::pause();
}

class LiveLevers : public testing::Test {
 protected:
  void SetUp() override {
    if (!cgroups_.why_not().empty()) GTEST_SKIP() << cgroups_.why_not();
  }
  void TearDown() override {
    for (const pid_t child : children_) {
      ::kill(child, SIGKILL);
      ::waitpid(child, nullptr, 0);
    }
  }
  /// A container's cgroup as a container runtime creates it, best effort or not.
  void container(const char* path, bool besteffort) {
    cgroups_.make(path);
    if (!v2()) give_cpus(path);
    for (std::string dir = path; dir.find("/pod") != std::string::npos; dir = dir.substr(0, dir.rfind('/')))
      std::ofstream(cgroups_.file(Controller::cpu, dir, v2() ? "cpu.weight" : "cpu.shares"))
          << (besteffort ? (v2() ? "1" : "2") : (v2() ? "20" : "512"));
  }
  /// On v1 a cgroup can run tasks only after CPUs and memory nodes were set, from the top down.
  void give_cpus(const std::string& path) {
    for (const char* name : {"cpuset.cpus", "cpuset.mems"}) {
      const auto all = text_of_file(cgroups_.file(Controller::cpuset, "..", name));
      std::ofstream(cgroups_.file(Controller::cpuset, "", name)) << all;
      for (auto end = path.find('/'); end != std::string::npos; end = path.find('/', end + 1))
        std::ofstream(cgroups_.file(Controller::cpuset, path.substr(0, end), name)) << all;
      std::ofstream(cgroups_.file(Controller::cpuset, path, name)) << all;
    }
  }
  pid_t run_in(const char* cgroup, const std::function<void()>& work) {
    std::vector<std::string> procs;
    for (const auto controller :
         {Controller::cpu, Controller::cpuacct, Controller::cpuset, Controller::memory})
      procs.push_back(cgroups_.file(controller, cgroup, "cgroup.procs"));
    children_.push_back(process_in(procs, work));
    return children_.back();
  }
  std::vector<std::string> args(const std::string& pods, const std::string& nodeslo = "{}\n") const {
    std::ofstream(dir_.path + "/nodeslo.yaml") << nodeslo;
    std::ofstream(dir_.path + "/pods.yaml") << "items:\n" << pods;
    return live_args(cgroups_, dir_, "100ms");
  }
  [[nodiscard]] bool v2() const { return cgroups_.layout().v2(Controller::cpu); }
  [[nodiscard]] std::string quota(const std::string& cgroup) const {
    return text_of_file(cgroups_.quota_file(cgroup));
  }
  [[nodiscard]] std::string memory_limit(const std::string& cgroup) const {
    return text_of_file(
        cgroups_.file(Controller::memory, cgroup,
                      cgroups_.layout().v2(Controller::memory) ? "memory.max" : "memory.limit_in_bytes"));
  }
  static int cpus_of(pid_t process) {
    cpu_set_t set{};
    return ::sched_getaffinity(process, sizeof set, &set) == 0 ? CPU_COUNT(&set) : -1;
  }
  static bool runs_on(pid_t process, std::size_t only) {
    cpu_set_t set{};
    return ::sched_getaffinity(process, sizeof set, &set) == 0 && CPU_COUNT(&set) == 1 &&
           CPU_ISSET(only, &set);
  }
  LiveCgroups cgroups_{};
  StateDir dir_{};
  std::vector<pid_t> children_{};
};

TEST_F(LiveLevers, ABatchContainerIsHeldToItsLimits) {
  container(kBatch, true);
  const auto before_quota = quota(kBatch), before_limit = memory_limit(kBatch);
  LiveAgent agent(args(
      pod(kBatch, "BestEffort", "labels: {koordinator.sh/qosClass: BE}",
          ", resources: {limits: {kubernetes.io/batch-cpu: \"200\", kubernetes.io/batch-memory: 32Mi}}")));
  EXPECT_TRUE(soon([&] { return quota(kBatch).starts_with("20000"); })) << agent.log();
  EXPECT_TRUE(soon([&] { return memory_limit(kBatch) == "33554432\n"; })) << agent.log();
  run_in(kBatch, spin);
  EXPECT_TRUE(soon([&] { return cgroups_.throttled_periods(kBatch) > 3; }));
  const pid_t greedy = run_in(kBatch, [] {
    constexpr std::size_t kBytes = std::size_t{64} << 20;
    auto* memory = static_cast<volatile char*>(
        ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    for (std::size_t at = 0; at < kBytes; at += 4096) memory[at] = 1;
  });
  int status = 0;
  bool ended = false;
  EXPECT_TRUE(soon([&] { return ended = ended || ::waitpid(greedy, &status, WNOHANG) == greedy; }))
      << "64 MiB in a limit of 32";
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
  agent.stop();
  EXPECT_EQ(quota(kBatch), before_quota) << agent.log();
  EXPECT_EQ(memory_limit(kBatch), before_limit);
}

TEST_F(LiveLevers, APinnedPodHasItsCpusAndServicesDoNotUseThem) {
  if (std::thread::hardware_concurrency() < 2) GTEST_SKIP() << "needs two CPUs";
  container(kOwner, false);
  container(kService, false);
  const pid_t owner = run_in(kOwner, spin), service = run_in(kService, spin);
  const int before = cpus_of(owner);
  ASSERT_TRUE(soon([&] { return cpus_of(service) == before; }));
  LiveAgent agent(args(pod(kOwner, "Guaranteed",
                           "labels: {koordinator.sh/qosClass: LSE}, annotations: "
                           "{scheduling.koordinator.sh/resource-status: '{\"cpuset\":\"1\"}'}",
                           ", resources: {requests: {cpu: 1}}") +
                       pod(kService, "Burstable", "labels: {koordinator.sh/qosClass: LS}", "")));
  EXPECT_TRUE(soon([&] { return runs_on(owner, 1); })) << agent.log();
  EXPECT_TRUE(soon([&] { return cpus_of(service) == before - 1; })) << agent.log();
  agent.stop();
  EXPECT_TRUE(soon([&] { return cpus_of(owner) == before && cpus_of(service) == before; })) << agent.log();
}

TEST_F(LiveLevers, BestEffortIsConfinedToFewCpus) {
  if (std::thread::hardware_concurrency() < 3) GTEST_SKIP() << "needs three CPUs: two are always left";
  container(kBatch, true);
  const pid_t batch = run_in(kBatch, spin);
  const int before = cpus_of(batch);
  LiveAgent agent(args("",
                       "resourceUsedThresholdWithBE: {enable: true, cpuSuppressPolicy: cpuset, "
                       "cpuSuppressThresholdPercent: 10}\n"));
  EXPECT_TRUE(soon([&] { return cpus_of(batch) == 2; })) << cpus_of(batch) << agent.log();
  agent.stop();
  EXPECT_TRUE(soon([&] { return cpus_of(batch) == before; })) << agent.log();
}

[[noreturn]] void start_processes() {
  for (;;) {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(0);
    if (child > 0) ::waitpid(child, nullptr, 0);
  }
}

/// In a second of each CPU. All CPUs do nothing else meanwhile.
double started_per_cpu_second() {
  const auto started = [] { return node::tasks_started(text_of_file("/proc/stat")).value_or(0); };
  const auto before = started();
  std::this_thread::sleep_for(std::chrono::seconds(4));
  return static_cast<double>(started() - before) / 4 / std::thread::hardware_concurrency();
}

TEST_F(LiveLevers, AStormOfForksRunsOnFewerCpus) {
  if (std::thread::hardware_concurrency() < 2) GTEST_SKIP() << "needs two CPUs";
  container(kBatch, true);
  container(kService, false);
  const pid_t service = run_in(kService, [] { work_and_rest(milliseconds(5), milliseconds(45)); });
  const pid_t storm = run_in(kBatch, start_processes);
  for (unsigned i = 1; i < 2 * std::thread::hardware_concurrency(); ++i) run_in(kBatch, start_processes);
  const int before = cpus_of(storm);
  if (const double started = started_per_cpu_second(); started < 600)
    GTEST_SKIP() << "a second of this CPU starts " << started << " processes, a storm of forks has 500";
  LiveAgent agent(
      args(pod(kService, "Burstable", "labels: {}", ""), "resourceUsedThresholdWithBE: {enable: true}\n"));
  EXPECT_TRUE(soon([&] { return cpus_of(storm) < before; }, std::chrono::seconds(60))) << agent.log();
  EXPECT_EQ(cpus_of(service), before);
  agent.stop();
  EXPECT_TRUE(soon([&] { return cpus_of(storm) == before; })) << agent.log();
}

/// The level, summed over all zones, at which the kernel starts reclaim.
long low_watermarks() {
  std::istringstream text(text_of_file("/proc/zoneinfo"));
  long sum = 0, pages = 0;
  for (std::string word; text >> word;)
    if (word == "low" && text >> pages) sum += pages;
  return sum;
}

TEST_F(LiveLevers, TheMachinesWatermarksAreRaisedAndRestored) {
  constexpr const char* kFile = "/proc/sys/vm/watermark_scale_factor";
  const auto before = text_of_file(kFile);
  if (std::ofstream probe(kFile); !probe) GTEST_SKIP() << kFile << " cannot be written here";
  const long low = low_watermarks();
  const long factor = std::min(std::stol(before) + 200, 400L);
  LiveAgent agent(args("", "systemStrategy: {watermarkScaleFactor: " + std::to_string(factor) + "}\n"));
  EXPECT_TRUE(soon([&] { return text_of_file(kFile) == std::to_string(factor) + "\n"; })) << agent.log();
  // The kernel shows the new factor shortly before its zones use it.
  EXPECT_TRUE(soon([&] { return low_watermarks() > low; })) << "the kernel begins to reclaim earlier";
  agent.stop();
  EXPECT_EQ(text_of_file(kFile), before) << agent.log();
  EXPECT_TRUE(soon([&] { return low_watermarks() == low; }));
}

}  // namespace
}  // namespace evenkeel::test
