// Push-back on a real v2 kernel: a service that needs memory waits for it less while best effort gives up
// what it has, and nothing stays behind. The node is a cgroup with a limit: it has no reclaim in the
// background, so that whoever needs memory has to find it, whatever the machine's size.
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <thread>

#include "tests/support/agent_args.h"
#include "tests/support/live_agent.h"
#include "tests/support/live_cgroups.h"
#include "tests/support/memory_hogs.h"
#include "tests/support/process.h"
#include "tests/support/soon.h"
#include "tests/support/state_dir.h"

namespace evenkeel::test {
namespace {

constexpr const char* kService = "kubepods/burstable/podeeeeeeee-0000-0000-0000-000000000001/c1";
constexpr const char* kBatch = "kubepods/besteffort/podeeeeeeee-0000-0000-0000-000000000002/c2";
constexpr const char* kBestEffort = "kubepods/besteffort";
constexpr std::size_t kMiB = std::size_t{1} << 20;
// To fill the "node" from a slow disk takes its time.
constexpr std::chrono::seconds kPatience{60};

class LivePushBack : public testing::Test {
 protected:
  void SetUp() override {
    if (!cgroups_.why_not().empty()) GTEST_SKIP() << cgroups_.why_not();
    if (!cgroups_.layout().v2(Controller::memory)) GTEST_SKIP() << "memory.high is on cgroup v2 only";
    cgroups_.make(kService);
    cgroups_.make(kBatch);
    std::ofstream(cgroups_.file(Controller::memory, "", "memory.max")) << 320 * kMiB << std::flush;
    files_ = files_to_read(512 * kMiB);
    if (files_.empty()) GTEST_SKIP() << "no large files to read";
    std::ofstream(dir_.path + "/nodeslo.yaml")
        << "extensions: {evenkeel: {memoryPushBack: {enable: true, pressureSomePercent: 1, "
           "pressureFullPercent: 2, freePercent: 100, stepPercent: 20}}}\n";
    std::ofstream(dir_.path + "/pods.yaml")
        << "items: [{metadata: {uid: eeeeeeee-0000-0000-0000-000000000001, namespace: shop, name: cart}, "
           "spec: {containers: [{name: a}]}, status: {phase: Running, qosClass: Burstable, "
           "containerStatuses: [{name: a, containerID: 'containerd://c1', state: {running: {}}}]}}, "
           "{metadata: {uid: eeeeeeee-0000-0000-0000-000000000002, namespace: shop, name: batch}, "
           "spec: {containers: [{name: a}]}, status: {phase: Running, qosClass: BestEffort, "
           "containerStatuses: [{name: a, containerID: 'containerd://c2', state: {running: {}}}]}}]\n";
  }
  [[nodiscard]] std::string file(const std::string& cgroup, const char* name) const {
    return text_of_file(cgroups_.file(Controller::memory, cgroup, name));
  }
  [[nodiscard]] std::string procs(const char* cgroup) const {
    return cgroups_.file(Controller::memory, cgroup, "cgroup.procs");
  }
  [[nodiscard]] long stall_us() const {
    const auto text = file(kService, "memory.pressure");
    return std::stol(text.substr(text.find("total=") + 6));
  }
  [[nodiscard]] long stall_over_ten_seconds() const {
    const long from = stall_us();
    std::this_thread::sleep_for(std::chrono::seconds(10));
    return stall_us() - from;
  }
  /// How often somebody met the node's limit.
  [[nodiscard]] long limit_met() const {
    const auto text = file("", "memory.events");
    return std::stol(text.substr(text.find("\nmax ") + 5));
  }
  LiveCgroups cgroups_{};
  StateDir dir_{};
  std::vector<std::string> files_{};
};

TEST_F(LivePushBack, AServiceWaitsForMemoryLessWhileBestEffortGivesItUp) {
  const MemoryHog batch = reader(procs(kBatch), files_, 60 * kMiB, true);
  const MemoryHog service = toucher(procs(kService), 128 * kMiB, 4);
  ASSERT_TRUE(soon([&] { return limit_met() > 100; }, kPatience)) << "best effort did not fill the node";
  const long off = stall_over_ten_seconds();
  const auto had = std::stol(file(kBestEffort, "memory.current"));
  LiveAgent agent(live_args(cgroups_, dir_, "500ms"));
  EXPECT_TRUE(soon([&] { return file(kBestEffort, "memory.high") != "max\n"; }, kPatience)) << agent.log();
  std::this_thread::sleep_for(std::chrono::seconds(10));
  const long on = stall_over_ten_seconds();
  const auto has = std::stol(file(kBestEffort, "memory.current"));
  std::printf(
      "a service that touches 128 MiB again and again waits for memory %ld us in ten seconds without "
      "push-back, %ld us with it; best effort has %ld MiB and %ld MiB\n",
      off, on, had >> 20, has >> 20);
  EXPECT_GT(off, 50000) << "nothing to show: the service did not wait";
  EXPECT_LT(on * 2, off) << agent.log();
  EXPECT_LT(has, had);
  agent.stop();
  EXPECT_EQ(agent.exit_status(), 0) << agent.log();
  EXPECT_EQ(file(kBestEffort, "memory.high"), "max\n");
}

}  // namespace
}  // namespace evenkeel::test
