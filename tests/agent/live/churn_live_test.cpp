// Tests a node on which pods are created and deleted endlessly: the agent's resources must not grow with the
// number of past pods. CHURN_SECONDS sets the duration (default 12; an hour is 3600).
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "agent/http/http_client.h"
#include "tests/support/environment.h"
#include "tests/support/live/agent_args.h"
#include "tests/support/live/churning_pods.h"
#include "tests/support/live/guest_kernel.h"
#include "tests/support/live/live_agent.h"
#include "tests/support/state_dir.h"

namespace evenkeel::test {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

/// On any machine, however slow: the maximum number of simultaneous pods was created, and some were deleted.
constexpr std::size_t kWarm = ChurningPods::kAtTheSameTime + 10;
/// Wait pairs of the remaining pods: one pod and the cgroups above it, on either thread of a core.
constexpr std::size_t kPairsLeft = 60;

/// Kernel resources of a process.
struct HeldValue {
  long resident_kib = 0;
  std::size_t descriptors = 0, threads = 0;
  std::size_t bpf_maps_bytes = 0;  ///< as reported by the kernel
};

std::size_t count(const fs::path& dir) {
  std::error_code gone;
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(dir, gone), fs::directory_iterator()));
}

HeldValue requested_amounts(const LiveAgent& agent) {
  const fs::path proc = "/proc/" + std::to_string(agent.pid());
  HeldValue held{agent.resident_kib(), count(proc / "fd"), count(proc / "task"), 0};
  std::error_code gone;
  for (const auto& entry : fs::directory_iterator(proc / "fdinfo", gone)) {
    std::ifstream info(entry.path());
    std::string line;
    std::size_t memlock = 0;
    bool is_map = false;
    while (std::getline(info, line)) {
      is_map = is_map || line.starts_with("map_type:");
      if (line.starts_with("memlock:")) memlock = std::strtoull(line.c_str() + 8, nullptr, 10);
    }
    if (is_map) held.bpf_maps_bytes += memlock;
  }
  return held;
}

/// The agent's list sizes from its metrics.
struct Lists {
  std::size_t pods = 0, victims = 0, waits = 0, pairs = 0, triggers = 0, accusations = 0;
  std::size_t accused = 0;  ///< in total
  bool bpf = false;
};

Lists lists_of(const std::string& url) {
  std::istringstream text(http::http_get(url + "/metrics").body);
  Lists lists;
  const auto value = [](const std::string& line) {
    return static_cast<std::size_t>(std::strtod(line.c_str() + line.rfind(' '), nullptr));
  };
  for (std::string line; std::getline(text, line);) {
    const auto is = [&](std::string_view name) { return line.starts_with(name); };
    if (is("evenkeel_pods ")) lists.pods = value(line);
    if (is("evenkeel_interference_stalled_seconds_total{") && line.find("=\"cpu\"") != std::string::npos)
      ++lists.victims;
    if (is("evenkeel_run_queue_wait_seconds_count{")) ++lists.waits;
    if (is("evenkeel_run_queue_blame_seconds_total{")) ++lists.pairs;
    if (is("evenkeel_pressure_triggers{state=\"open\"}")) lists.triggers = value(line);
    if (is("evenkeel_interference{")) ++lists.accusations;
    if (is("evenkeel_interference_total{outcome=\"accused\"}")) lists.accused = value(line);
    if (is("evenkeel_run_queue_lost_total")) lists.bpf = true;
  }
  return lists;
}

void print(std::size_t made, const HeldValue& held, const Lists& lists) {
  std::printf("%zu pods: %ld KiB resident, %zu descriptors, %zu threads, %zu KiB of BPF maps\n", made,
              held.resident_kib, held.descriptors, held.threads, held.bpf_maps_bytes >> 10);
  std::printf(
      "  of them: %zu known, %zu watched, %zu waited, %zu pairs, %zu triggers, %zu accused (%zu ever)\n",
      lists.pods, lists.victims, lists.waits, lists.pairs, lists.triggers, lists.accusations, lists.accused);
}

class LiveChurn : public testing::Test {
 protected:
  void SetUp() override {
    if (!cgroups_.why_not().empty()) GTEST_SKIP() << cgroups_.why_not();
    std::ofstream(dir_.path + "/nodeslo.yaml")
        << "resourceUsedThresholdWithBE: {enable: true, cpuSuppressPolicy: cfsQuota, cpuSuppressMinPercent: "
           "40}\n"
           "cpuBurstStrategy: {policy: auto}\n"
           "resourceQOSStrategy: {beClass: {memoryQOS: {enable: true}}}\n"
           "extensions: {evenkeel: {interference: {enable: true, act: true, stallWindow: 1s, counterBackend: "
           "perCPU, models: [{workload: "
        << ChurningPods::kWorker
        << ", signal: run-queue-wait, usual: 0.001, deviation: 0.001}]}, brake: {enable: true}}}\n";
  }
  LiveCgroups cgroups_{};
  StateDir dir_{};
};

TEST_F(LiveChurn, NothingGrowsWithTheNumberOfPastPods) {
  const std::chrono::seconds length(from_environment("CHURN_SECONDS", 12));
  ChurningPods pods(cgroups_, dir_.path + "/pods.yaml");
  auto args = stepped_args(cgroups_, dir_);
  args.insert(args.end(), {"--listen", "127.0.0.1:0", "--interval", "250ms"});
  LiveAgent agent(args);
  ASSERT_TRUE(agent.logged("event=started", 20s)) << agent.log();
  const std::string url = agent.url();
  ASSERT_NE(url, "") << agent.log();
  pods.churn(length / 3, kWarm);
  pods.all_go();
  std::this_thread::sleep_for(1s);
  const HeldValue before = requested_amounts(agent);
  const Lists left = lists_of(url);
  const std::size_t first = pods.made();
  print(first, before, left);
  pods.churn(length - length / 3, kWarm);
  Lists amid = lists_of(url);
  // Elsewhere the worker may wait for a process outside pods rather than for the greedy pod. A slow machine
  // has fewer samples of a worker while it lives.
  for (int more = 0; more < 3 && in_guest() && amid.bpf && amid.accused == 0; ++more) {
    pods.churn(ChurningPods::kWorkerLives, 0);
    amid = lists_of(url);
  }
  print(pods.made(), requested_amounts(agent), amid);
  pods.all_go();
  std::this_thread::sleep_for(1s);
  const HeldValue after = requested_amounts(agent);
  const Lists at_last = lists_of(url);
  print(pods.made(), after, at_last);
  EXPECT_GE(first, kWarm) << "the machine was too slow to say anything";
  EXPECT_GE(pods.made() - first, kWarm) << "the machine was too slow to say anything";
  EXPECT_EQ(after.descriptors, before.descriptors);
  EXPECT_EQ(after.threads, before.threads);
  EXPECT_EQ(after.bpf_maps_bytes, before.bpf_maps_bytes);
  // Memory that the heap retains does not grow with the number of deleted pods.
  const long kept_kib = std::clamp(static_cast<long>(pods.made() - first), 2048L, 4096L);
  EXPECT_LT(after.resident_kib, before.resident_kib + kept_kib);
  // The churn covered every kind of per-pod state, and only the greedy pod's is left.
  EXPECT_GT(amid.pods, 5U);
  EXPECT_GT(amid.victims, 2U);
  EXPECT_EQ(at_last.pods, 1U);
  EXPECT_EQ(at_last.victims, 1U);
  EXPECT_EQ(at_last.accusations, 0U);
  EXPECT_EQ(at_last.triggers, left.triggers);
  if (amid.bpf) {
    EXPECT_GT(before.bpf_maps_bytes, 0U);
    EXPECT_GT(amid.waits, 5U);
    EXPECT_EQ(at_last.waits, 1U);
    EXPECT_GT(amid.pairs, kPairsLeft);
    EXPECT_LE(at_last.pairs, kPairsLeft);
    EXPECT_GE(at_last.accused, in_guest() ? 1U : 0U);
  } else {
    std::printf("without programs in the kernel: %s\n", no_programs(agent.log()).c_str());
  }
  agent.stop();
  EXPECT_EQ(agent.exit_status(), 0) << agent.log();
}

}  // namespace
}  // namespace evenkeel::test
