// Tests the CPU levers on the real kernel, v1 or v2: the kernel's own counters before, with and after them.
#include <gtest/gtest.h>
#include <time.h>

#include <chrono>
#include <fstream>
#include <string>
#include <thread>

#include "tests/support/live/agent_args.h"
#include "tests/support/live/live_agent.h"
#include "tests/support/live/live_cgroups.h"
#include "tests/support/live/pinned_task.h"
#include "tests/support/process.h"
#include "tests/support/soon.h"
#include "tests/support/state_dir.h"

namespace evenkeel::test {
namespace {

using namespace std::chrono_literals;

const std::string kServicePod = "kubepods/burstable/poddddddddd-0000-0000-0000-00000000000a";
const std::string kBatchPod = "kubepods/burstable/poddddddddd-0000-0000-0000-00000000000b";
const std::string kBestEffort = "kubepods/besteffort";

/// Works in bursts measured in its own CPU time: on a busy machine they take longer but stay equal.
[[noreturn]] void work_in_bursts(std::chrono::milliseconds work, std::chrono::milliseconds rest) {
  const auto had = [] {
    timespec time{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
  };
  for (;;) {
    const auto end = had() + work;
    while (had() < end) {
    }
    std::this_thread::sleep_for(rest);
  }
}

/// What the CPUs of the machine have done since its start, in ticks.
struct CpuTicks {
  CpuTicks() {
    std::ifstream stat("/proc/stat");
    std::string cpu;
    long user = 0, nice = 0, system = 0, rest = 0;
    stat >> cpu >> user >> nice >> system >> idle >> rest;
    all = user + nice + system + idle + rest;
  }
  long idle = 0, all = 0;
};
/// Whether other programs have used nearly all CPUs since then. Burst gives nothing there.
bool was_full_since(const CpuTicks& then) {
  const CpuTicks now;
  return (now.idle - then.idle) * 10 < now.all - then.all;
}

class LiveCpuLevers : public testing::Test {
 protected:
  void SetUp() override {
    if (!cgroups_.why_not().empty()) GTEST_SKIP() << cgroups_.why_not();
    std::ofstream(dir_.path + "/pods.yaml")
        << "items:\n"
        << pod(kServicePod, "c1", "LS", "limits: {cpu: 200m}") << pod(kBatchPod, "c2", "BE", "");
    for (const auto& container : {service(), batch(), best_effort()}) cgroups_.make(container);
  }
  static std::string service() { return kServicePod + "/c1"; }
  static std::string batch() { return kBatchPod + "/c2"; }
  static std::string best_effort() { return kBestEffort + "/poddddddddd-0000-0000-0000-00000000000c/c3"; }
  static std::string pod(const std::string& path, const char* container, const char* qos,
                         const std::string& resources) {
    return "- {metadata: {uid: " + path.substr(path.rfind("/pod") + 4) + ", namespace: a, name: of-" +
           container + ", labels: {koordinator.sh/qosClass: " + qos +
           "}}, spec: {containers: [{name: a, resources: {" + resources +
           "}}]}, status: {phase: Running, qosClass: Burstable, containerStatuses: " +
           "[{name: a, containerID: 'containerd://" + container + "', state: {running: {}}}]}}\n";
  }
  [[nodiscard]] std::vector<std::string> args(const std::string& nodeslo) const {
    std::ofstream(dir_.path + "/nodeslo.yaml") << nodeslo;
    return live_args(cgroups_, dir_, "100ms");
  }
  [[nodiscard]] std::string quota(const std::string& cgroup) const {
    return text_of_file(cgroups_.quota_file(cgroup));
  }
  /// Limits it to 20 ms in each 100 ms, without competition.
  void limit_service() {
    cgroups_.come_first();
    for (const auto& cgroup : {kServicePod, service()})
      std::ofstream(cgroups_.quota_file(cgroup)) << 20000 << std::flush;
  }
  /// Periods in which the cgroup was throttled while `look` runs.
  [[nodiscard]] long throttled_during(const std::string& cgroup, std::chrono::milliseconds look) const {
    const long before = cgroups_.throttled_periods(cgroup);
    std::this_thread::sleep_for(look);
    return cgroups_.throttled_periods(cgroup) - before;
  }
  /// The share of `one` in the CPU that it shares with `other`, over two seconds.
  static double part_of(const PinnedTask& one, const PinnedTask& other) {
    const auto one_before = one.ran(), other_before = other.ran();
    std::this_thread::sleep_for(2s);
    const auto mine = one.ran() - one_before, theirs = other.ran() - other_before;
    return static_cast<double>(mine.count()) / static_cast<double>((mine + theirs).count());
  }

  LiveCgroups cgroups_{};
  StateDir dir_{};
};

TEST_F(LiveCpuLevers, ABatchPodBesideAServiceOnOneCpuGetsHardlyAnyCpu) {
  const PinnedTask serving(cgroups_, service(), 0, [] { spin(); });
  const PinnedTask working(cgroups_, batch(), 0, [] { spin(); });
  const double before = part_of(working, serving);
  EXPECT_GT(before, 0.3) << "two equal pods";
  LiveAgent agent(args("resourceQOSStrategy: {beClass: {cpuQOS: {enable: true, groupIdentity: -1}}}\n"));
  double with = 1;
  EXPECT_TRUE(soon([&] { return (with = part_of(working, serving)) < 0.1; })) << with << '\n' << agent.log();
  agent.stop();
  // Not at once: CPU time used as SCHED_IDLE counts several hundred times until the others have caught up.
  double after = 0;
  EXPECT_TRUE(soon([&] { return (after = part_of(working, serving)) > 0.3; }))
      << after << ": it is as it was";
  std::printf("of the CPU: %.2f before, %.3f as best effort, %.2f after\n", before, with, after);
}

TEST_F(LiveCpuLevers, BestEffortIsLimitedToWhatServicesLeave) {
  const auto original = quota(kBestEffort);
  const PinnedTask one(cgroups_, best_effort(), 0, [] { spin(); });
  EXPECT_EQ(throttled_during(kBestEffort, 1s), 0);
  LiveAgent agent(
      args("resourceUsedThresholdWithBE: {enable: true, cpuSuppressPolicy: cfsQuota, "
           "cpuSuppressThresholdPercent: 10, cpuSuppressMinPercent: 5}\n"));
  const auto held = [&] {
    const auto before = one.ran();
    const auto from = std::chrono::steady_clock::now();
    const long throttled = throttled_during(kBestEffort, 1s);
    const auto took = std::chrono::steady_clock::now() - from;
    return throttled > 3 && one.ran() - before < took / 2;
  };
  EXPECT_TRUE(soon(held)) << quota(kBestEffort) << agent.log();
  agent.stop();
  EXPECT_EQ(quota(kBestEffort), original);
  EXPECT_EQ(throttled_during(kBestEffort, 1s), 0);
}

// Bursts of nearly two quotas, half a quota on average; not in step with the quota's periods, some of which
// would fit by chance.
TEST_F(LiveCpuLevers, AServicesBurstIsNotThrottled) {
  const auto burst = [&] { return text_of_file(cgroups_.burst_file(service())); };
  const auto original = burst();
  if (original.empty()) GTEST_SKIP() << "this kernel has no " << cgroups_.burst_file(service());
  limit_service();
  const PinnedTask serving(cgroups_, service(), 0, [] { work_in_bursts(38ms, 333ms); });
  long before = 0;  // few on a CPU that is taken away just then
  EXPECT_TRUE(soon([&] { return (before = throttled_during(service(), 3s)) >= 4; }))
      << "its bursts are longer than its quota: " << before;
  LiveAgent agent(args("cpuBurstStrategy: {policy: cpuBurstOnly, cpuBurstPercent: 100}\n"));
  EXPECT_TRUE(soon([&] { return burst() == "20000\n"; })) << agent.log();
  long with = before;
  EXPECT_TRUE(soon([&] { return (with = throttled_during(service(), 3s)) == 0; })) << with;
  agent.stop();
  EXPECT_EQ(burst(), original);
  const long after = throttled_during(service(), 3s);
  EXPECT_GE(after, 3);
  std::printf("throttled in 3 s: %ld before, %ld with burst, %ld after\n", before, with, after);
}

// When a burst exceeds the saved credit, the quota itself is raised while the node has idle CPU.
TEST_F(LiveCpuLevers, AThrottledServicesQuotaGrowsForAWhile) {
  limit_service();
  const auto original = quota(service());
  const PinnedTask serving(cgroups_, service(), 0, [] { work_in_bursts(35ms, 65ms); });
  const long before = throttled_during(service(), 3s);
  EXPECT_GE(before, 10);
  LiveAgent agent(
      args("cpuBurstStrategy: {policy: cfsQuotaBurstOnly, cfsQuotaBurstPercent: 300, "
           "sharePoolThresholdPercent: 100}\n"));
  long with = before;
  const CpuTicks then;
  const bool helps = soon([&] { return (with = throttled_during(service(), 3s)) * 3 < before; });
  if (!helps && was_full_since(then)) GTEST_SKIP() << "other programs use this machine's CPUs";
  EXPECT_TRUE(helps) << with << agent.log();
  EXPECT_NE(quota(service()), original);
  agent.stop();
  EXPECT_EQ(quota(service()), original);
  std::printf("throttled in 3 s: %ld before, %ld with a raised quota\n", before, with);
}

}  // namespace
}  // namespace evenkeel::test
