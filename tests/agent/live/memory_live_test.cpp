// Tests memory QoS on a real v2 kernel: the contents of the control files, and their effect.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>

#include "tests/support/live/agent_args.h"
#include "tests/support/live/live_agent.h"
#include "tests/support/live/live_cgroups.h"
#include "tests/support/live/memory_hogs.h"
#include "tests/support/process.h"
#include "tests/support/soon.h"
#include "tests/support/state_dir.h"

namespace evenkeel::test {
namespace {

constexpr const char* kPod = "kubepods/burstable/podcccccccc-0000-0000-0000-000000000001";

constexpr std::size_t kMiB = std::size_t{1} << 20;

class LiveMemory : public testing::Test {
 protected:
  void SetUp() override {
    if (!cgroups_.why_not().empty()) GTEST_SKIP() << cgroups_.why_not();
    if (!cgroups_.layout().v2(Controller::memory)) GTEST_SKIP() << "memory.high is on cgroup v2 only";
    cgroups_.make(container());
    configure("minLimitPercent: 50, throttlingPercent: 50");
    std::ofstream(dir_.path + "/pods.yaml")
        << "items: [{metadata: {uid: cccccccc-0000-0000-0000-000000000001, namespace: shop, name: cart}, "
           "spec: {containers: [{name: a, resources: {requests: {memory: 16Mi}, limits: {memory: 48Mi}}}]}, "
           "status: {phase: Running, qosClass: Burstable, containerStatuses: [{name: a, containerID: "
           "'containerd://c1', state: {running: {}}}]}}]\n";
  }
  void configure(const std::string& memory_qos) const {
    std::ofstream(dir_.path + "/nodeslo.yaml")
        << "resourceQOSStrategy: {lsClass: {memoryQOS: {enable: true, " << memory_qos << "}}}\n";
  }
  [[nodiscard]] std::vector<std::string> args() const { return live_args(cgroups_, dir_, "100ms"); }
  static std::string container() { return std::string(kPod) + "/c1"; }
  [[nodiscard]] std::string path(const std::string& cgroup, const char* name) const {
    return cgroups_.file(Controller::memory, cgroup, name);
  }
  [[nodiscard]] std::string file(const std::string& cgroup, const char* name) const {
    return text_of_file(path(cgroup, name));
  }
  [[nodiscard]] std::string procs() const { return path(container(), "cgroup.procs"); }
  [[nodiscard]] long high_events() const {
    const auto text = file(container(), "memory.events");
    const auto at = text.find("\nhigh ");
    return at == std::string::npos ? -1 : std::stol(text.substr(at + 6));
  }
  LiveCgroups cgroups_{};
  StateDir dir_{};
};

TEST_F(LiveMemory, ProtectsThrottlesAndRestores) {
  LiveAgent agent(args());
  EXPECT_TRUE(soon([&] { return file(container(), "memory.high") == "33554432\n"; })) << agent.log();
  for (const char* cgroup : {"kubepods", "kubepods/burstable", kPod})
    EXPECT_TRUE(soon([&] { return file(cgroup, "memory.min") == "8388608\n"; })) << cgroup << agent.log();
  const MemoryHog grows = keeper(procs(), 44 * kMiB);
  EXPECT_TRUE(soon([&] { return high_events() > 0; }))
      << "it grows past the point: " << file(container(), "memory.events");
  EXPECT_TRUE(agent.alive());
  agent.stop();
  EXPECT_EQ(agent.exit_status(), 0) << agent.log();
  EXPECT_EQ(file(container(), "memory.high"), "max\n");
  for (const char* cgroup : {"kubepods", "kubepods/burstable", kPod})
    EXPECT_EQ(file(cgroup, "memory.min"), "0\n") << cgroup;
}

TEST_F(LiveMemory, ProtectedMemorySurvivesReclaim) {
  const std::string order = path("kubepods/burstable", "memory.reclaim");
  if (::access(order.c_str(), F_OK) != 0) GTEST_SKIP() << "the kernel has no memory.reclaim";
  const auto files = files_to_read(64 * kMiB);
  if (files.empty()) GTEST_SKIP() << "no large files to read";
  const auto in_use = [&] { return std::stoul(file(container(), "memory.current")); };
  /// What remains of 24 MiB of its page cache after the kernel has reclaimed all it may from the services
  /// together.
  const auto left_by_reclaim = [&] {
    {
      const MemoryHog service = reader(procs(), files, 0, true);
      EXPECT_TRUE(soon([&] { return in_use() > 24 * kMiB; })) << in_use();
    }
    for (int i = 0; i < 5; ++i)
      std::ofstream(order) << 1024 * kMiB << std::flush;  // EAGAIN: less was reclaimed
    return in_use();
  };
  const auto without = left_by_reclaim();
  LiveAgent agent(args());
  ASSERT_TRUE(soon([&] { return file(container(), "memory.min") == "8388608\n"; })) << agent.log();
  const auto with = left_by_reclaim();
  std::printf("left by reclaim: %zu KiB without protection, %zu KiB with 8 MiB protected\n", without >> 10U,
              with >> 10U);
  EXPECT_LT(without, 4 * kMiB);
  EXPECT_GT(with, 7 * kMiB);
}

TEST_F(LiveMemory, AnOutOfMemoryContainerIsKilledAsAWhole) {
  configure("oomKillGroup: 1");
  std::ofstream(path(container(), "memory.max")) << 32 * kMiB << std::flush;
  const auto deaths = [&] { return file(container(), "memory.events"); };
  const MemoryHog modest = keeper(procs(), kMiB);
  {
    const MemoryHog greedy = keeper(procs(), 64 * kMiB);
    EXPECT_TRUE(soon([&] { return deaths().find("oom_kill 1") != std::string::npos; })) << deaths();
  }
  EXPECT_FALSE(file(container(), "cgroup.procs").empty()) << "the other one lives on";
  LiveAgent agent(args());
  ASSERT_TRUE(soon([&] { return file(container(), "memory.oom.group") == "1\n"; })) << agent.log();
  const MemoryHog greedy = keeper(procs(), 64 * kMiB);
  EXPECT_TRUE(soon([&] { return file(container(), "cgroup.procs").empty(); })) << deaths();
  agent.stop();
  EXPECT_EQ(file(container(), "memory.oom.group"), "0\n");
}

}  // namespace
}  // namespace evenkeel::test
