// Push-back on a real v2 kernel: a service that needs memory waits for it less while best effort gives up
// what it has, and nothing stays behind.
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <thread>

#include "tests/support/live_agent.h"
#include "tests/support/live_cgroups.h"
#include "tests/support/memory_hogs.h"
#include "tests/support/process.h"
#include "tests/support/state_dir.h"

namespace evenkeel::test {
namespace {

constexpr const char* kService = "kubepods/burstable/podeeeeeeee-0000-0000-0000-000000000001/c1";
constexpr const char* kBatch = "kubepods/besteffort/podeeeeeeee-0000-0000-0000-000000000002/c2";
constexpr const char* kBestEffort = "kubepods/besteffort";
constexpr std::size_t kMiB = std::size_t{1} << 20;

class LivePushBack : public testing::Test {
 protected:
  void SetUp() override {
    // It makes a whole machine short of memory: only where the machine is the test's own.
    if (std::getenv("EVENKEEL_IN_VM") == nullptr)
      GTEST_SKIP() << "it needs a machine of its own: tests/run vm";
    if (!cgroups_.why_not().empty()) GTEST_SKIP() << cgroups_.why_not();
    if (!cgroups_.layout().v2(Controller::memory)) GTEST_SKIP() << "memory.high is on cgroup v2 only";
    cgroups_.make(kService);
    cgroups_.make(kBatch);
    files_ = files_to_read(768 * kMiB);
    if (files_.empty()) GTEST_SKIP() << "no large files to read";
    std::ofstream(dir_.path + "/nodeslo.yaml")
        << "extensions: {evenkeel: {memoryPushBack: {enable: true, pressureSomePercent: 2, "
           "pressureFullPercent: 2, freePercent: 40, stepPercent: 20}}}\n";
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
  static long free_mib() {
    const auto text = text_of_file("/proc/meminfo");
    return std::stol(text.substr(text.find("MemFree:") + 8)) / 1024;
  }
  template <class True>
  static bool soon(True is_true) {
    for (int i = 0; i < 6000 && !is_true(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    return is_true();
  }
  LiveCgroups cgroups_{};
  StateDir dir_{};
  std::vector<std::string> files_{};
};

TEST_F(LivePushBack, AServiceWaitsForMemoryLessWhileBestEffortGivesItUp) {
  std::vector<MemoryHog> batch;
  for (int i = 0; i < 2; ++i) batch.push_back(reader(procs(kBatch), files_, 0, true));
  ASSERT_TRUE(soon([] { return free_mib() < 150; }))
      << "best effort did not fill the machine: " << free_mib();
  const MemoryHog service = toucher(procs(kService), 128 * kMiB, 5);
  std::this_thread::sleep_for(std::chrono::seconds(5));
  const long free_off = free_mib();
  const long off = stall_over_ten_seconds();
  const auto used_off = file(kBestEffort, "memory.current");
  LiveAgent agent({"--cgroup-root", cgroups_.top(), "--nodeslo", dir_.path + "/nodeslo.yaml", "--pods",
                   "file:" + dir_.path + "/pods.yaml", "--state-dir", dir_.path + "/state", "--listen",
                   "none", "--interval", "500ms"});
  EXPECT_TRUE(soon([&] { return file(kBestEffort, "memory.high") != "max\n"; })) << agent.log();
  std::this_thread::sleep_for(std::chrono::seconds(10));
  const long on = stall_over_ten_seconds();
  std::printf(
      "a service that touches 128 MiB again and again waits for memory %ld us in ten seconds without "
      "push-back, %ld us with it; free %ld MiB and %ld MiB; best effort has %s and %s",
      off, on, free_off, free_mib(), used_off.c_str(), file(kBestEffort, "memory.current").c_str());
  EXPECT_GT(off, 50000) << "nothing to show: the service did not wait";
  EXPECT_LT(on * 2, off) << agent.log();
  agent.stop();
  EXPECT_EQ(agent.exit_status(), 0) << agent.log();
  EXPECT_EQ(file(kBestEffort, "memory.high"), "max\n");
}

}  // namespace
}  // namespace evenkeel::test
