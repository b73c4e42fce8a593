// A node on which pods come and go without end: what the agent holds must not grow with all that ever was.
// CHURN_SECONDS is how long (12 unless it says otherwise; an hour is 3600).
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <fstream>
#include <memory>
#include <thread>

#include "tests/support/agent_args.h"
#include "tests/support/environment.h"
#include "tests/support/live_agent.h"
#include "tests/support/live_cgroups.h"
#include "tests/support/live_pod.h"
#include "tests/support/state_dir.h"

namespace evenkeel::test {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr auto kEach = 20ms;                // 50 pods a second
constexpr std::size_t kAtTheSameTime = 25;  // each lives for half a second
constexpr const char* kService = "kubepods/burstable/podaaaaaaaa-0000-0000-0000-000000000001/c1";

/// What a process holds of the kernel.
struct Held {
  long resident_kib = 0;
  std::size_t descriptors = 0, threads = 0;
  std::size_t bpf_maps_bytes = 0;  ///< by the kernel's own account
};

std::size_t count(const fs::path& dir) {
  std::error_code gone;
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(dir, gone), fs::directory_iterator()));
}

Held held_by(const LiveAgent& agent) {
  const fs::path proc = "/proc/" + std::to_string(agent.pid());
  Held held{agent.resident_kib(), count(proc / "fd"), count(proc / "task"), 0};
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

class LiveChurn : public testing::Test {
 protected:
  void SetUp() override {
    if (!cgroups_.why_not().empty()) GTEST_SKIP() << cgroups_.why_not();
    cgroups_.make(kService);
    std::ofstream(dir_.path + "/nodeslo.yaml")
        << "resourceUsedThresholdWithBE: {enable: true, cpuSuppressPolicy: cfsQuota}\n"
           "cpuBurstStrategy: {policy: auto}\n"
           "resourceQOSStrategy: {beClass: {memoryQOS: {enable: true}}}\n"
           "extensions: {evenkeel: {interference: {enable: true, act: true, stallWindow: 1s, counterBackend: "
           "perCPU}, brake: "
           "{enable: true}}}\n";
  }
  /// Pods come and go for so long, each with a process that runs.
  void churn(std::chrono::seconds length) {
    const auto end = Clock::now() + length;
    for (auto next = Clock::now(); Clock::now() < end; next += kEach) {
      std::this_thread::sleep_until(next);
      come();
      if (pods_.size() > kAtTheSameTime) go();
    }
  }
  void come() {
    char uid[40];
    std::snprintf(uid, sizeof uid, "bbbbbbbb-0000-0000-0000-%012zu", ++made_);
    Pod pod{std::string("kubepods/besteffort/pod") + uid, nullptr};
    cgroups_.make(pod.path + "/c1");
    pod.process = std::make_unique<LiveProcess>(cgroups_, pod.path + "/c1", Manner::spins);
    pods_.push_back(std::move(pod));
  }
  void go() {
    Pod& oldest = pods_.front();
    oldest.process.reset();
    cgroups_.remove(oldest.path + "/c1");
    cgroups_.remove(oldest.path);
    pods_.pop_front();
  }
  void all_go() {
    while (!pods_.empty()) go();
  }

  struct Pod {
    std::string path;
    std::unique_ptr<LiveProcess> process;
  };
  LiveCgroups cgroups_{};
  StateDir dir_{};
  std::deque<Pod> pods_{};
  std::size_t made_ = 0;
};

TEST_F(LiveChurn, NothingGrowsWithThePodsThatEverWere) {
  const std::chrono::seconds length(from_environment("CHURN_SECONDS", 12));
  const LiveProcess service(cgroups_, kService, Manner::spins);
  LiveAgent agent(live_args(cgroups_, dir_, "250ms", kNoPods));
  ASSERT_TRUE(agent.logged("event=started", 20s)) << agent.log();
  churn(length / 3);
  all_go();
  std::this_thread::sleep_for(1s);
  const Held before = held_by(agent);
  const std::size_t first = made_;
  churn(length - length / 3);
  all_go();
  std::this_thread::sleep_for(1s);
  const Held after = held_by(agent);
  std::printf("%zu pods: %ld KiB resident, %zu descriptors, %zu threads, %zu KiB of BPF maps\n", first,
              before.resident_kib, before.descriptors, before.threads, before.bpf_maps_bytes >> 10);
  std::printf("%zu pods: %ld KiB resident, %zu descriptors, %zu threads, %zu KiB of BPF maps\n", made_,
              after.resident_kib, after.descriptors, after.threads, after.bpf_maps_bytes >> 10);
  EXPECT_GT(made_, first + first / 2) << "the machine was too slow to say anything";
  EXPECT_EQ(after.descriptors, before.descriptors);
  EXPECT_EQ(after.threads, before.threads);
  EXPECT_EQ(after.bpf_maps_bytes, before.bpf_maps_bytes);
  // What the heap keeps for a while is of no pod, and does not get more however many went.
  const long kept_kib = std::clamp(static_cast<long>(made_ - first), 1024L, 4096L);
  EXPECT_LT(after.resident_kib, before.resident_kib + kept_kib);
  agent.stop();
  EXPECT_EQ(agent.exit_status(), 0) << agent.log();
}

}  // namespace
}  // namespace evenkeel::test
