// Tests background reclaim on a real v2 kernel: a service that reads files larger than its limit does direct
// reclaim without it, and hardly any with it; it stops at the service's own pressure.
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <thread>

#include "tests/support/live/agent_args.h"
#include "tests/support/live/live_agent.h"
#include "tests/support/live/live_cgroups.h"
#include "tests/support/live/memory_hogs.h"
#include "tests/support/process.h"
#include "tests/support/soon.h"
#include "tests/support/state_dir.h"

namespace evenkeel::test {
namespace {

constexpr const char* kPod = "kubepods/burstable/poddddddddd-0000-0000-0000-000000000001";
constexpr std::size_t kMiB = std::size_t{1} << 20;
constexpr std::size_t kLimit = 128 * kMiB;

class LiveReclaim : public testing::Test {
 protected:
  void SetUp() override {
    if (!cgroups_.why_not().empty()) GTEST_SKIP() << cgroups_.why_not();
    if (!cgroups_.layout().v2(Controller::memory)) GTEST_SKIP() << "memory.reclaim is on cgroup v2 only";
    cgroups_.make(container());
    if (file("memory.pressure").empty() || ::access(path("memory.reclaim").c_str(), F_OK) != 0)
      GTEST_SKIP() << "the kernel has no memory.reclaim, or no pressure files";
    files_ = files_to_read(3 * kLimit);
    if (files_.empty()) GTEST_SKIP() << "no large files to read";
    std::ofstream(path("memory.max")) << kLimit << std::flush;
    configure(true);
    std::ofstream(dir_.path + "/pods.yaml")
        << "items: [{metadata: {uid: dddddddd-0000-0000-0000-000000000001, namespace: shop, name: cart}, "
           "spec: {containers: [{name: a, resources: {limits: {memory: 128Mi}}}]}, "
           "status: {phase: Running, qosClass: Burstable, containerStatuses: [{name: a, containerID: "
           "'containerd://c1', state: {running: {}}}]}}]\n";
  }
  static std::string container() { return std::string(kPod) + "/c1"; }
  [[nodiscard]] std::string path(const char* name, const std::string& below = {}) const {
    return cgroups_.file(Controller::memory, container() + below, name);
  }
  [[nodiscard]] std::string file(const char* name) const { return text_of_file(path(name)); }
  void configure(bool on) const {
    std::ofstream(dir_.path + "/nodeslo.yaml")
        << "resourceQOSStrategy: {lsClass: {memoryQOS: {enable: " << (on ? "true" : "false")
        << ", wmarkRatio: 90, wmarkScalePermill: 50}}}\n";
  }
  [[nodiscard]] std::vector<std::string> args() const { return live_args(cgroups_, dir_, "500ms"); }
  [[nodiscard]] long number_after(const char* name, const std::string& key) const {
    const auto text = file(name);
    const auto at = text.find(key);
    return at == std::string::npos ? -1 : std::stol(text.substr(at + key.size()));
  }
  struct Figures {
    long limit_hit = 0, stall_us = 0, scanned = 0, read_bytes = 0;
  };
  [[nodiscard]] Figures now() const {
    return {number_after("memory.events", "\nmax "), number_after("memory.pressure", "total="),
            number_after("memory.stat", "pgscan_direct "), 0};
  }
  Figures over_ten_seconds() const {
    const Figures from = now();
    std::this_thread::sleep_for(std::chrono::seconds(10));
    const Figures to = now();
    return {to.limit_hit - from.limit_hit, to.stall_us - from.stall_us, to.scanned - from.scanned, 0};
  }
  LiveCgroups cgroups_{};
  StateDir dir_{};
  std::vector<std::string> files_{};
};

TEST_F(LiveReclaim, AFileReadingServiceHardlyReclaimsDirectlyWithIt) {
  const MemoryHog service = reader(path("cgroup.procs"), files_, 20 * kMiB, true);
  ASSERT_TRUE(soon([&] { return now().limit_hit > 20; }, std::chrono::seconds(60)))
      << "it never met its limit: " << file("memory.current");
  const Figures off = over_ten_seconds();
  LiveAgent agent(args());
  ASSERT_TRUE(agent.logged("event=reclaim ", std::chrono::seconds(20))) << agent.log();
  std::this_thread::sleep_for(std::chrono::seconds(2));
  const Figures on = over_ten_seconds();
  std::printf(
      "ten seconds of reading 20 MiB/s below a limit of 128 MiB: limit met %ld times without, %ld with; "
      "stalled %ld us without, %ld with; pages scanned (ours among them) %ld without, %ld with; in use "
      "%s",
      off.limit_hit, on.limit_hit, off.stall_us, on.stall_us, off.scanned, on.scanned,
      file("memory.current").c_str());
  EXPECT_GT(off.limit_hit, 100);
  EXPECT_LT(on.limit_hit * 5, off.limit_hit) << agent.log();
  agent.stop();
  EXPECT_EQ(agent.exit_status(), 0) << agent.log();
  EXPECT_EQ(file("memory.high"), "max\n");
}

// Below the container one cgroup stalls at its own limit, another grows above the container's mark.
TEST_F(LiveReclaim, ItStopsAtItsOwnPressure) {
  cgroups_.make(container() + "/still");
  cgroups_.make(container() + "/stalled");
  std::ofstream(path("memory.max", "/stalled")) << 4 * kMiB << std::flush;
  const MemoryHog grows = reader(path("cgroup.procs", "/still"), files_, 8 * kMiB, true);
  LiveAgent agent(args());
  ASSERT_TRUE(agent.logged("event=reclaim ", std::chrono::seconds(60)))
      << agent.log() << file("memory.current");
  const MemoryHog stalls = reader(path("cgroup.procs", "/stalled"), files_, 0, true);
  EXPECT_TRUE(agent.logged("its tasks were stalled for memory", std::chrono::seconds(60)))
      << agent.log() << file("memory.pressure") << file("memory.current");
  agent.stop();
  EXPECT_EQ(agent.exit_status(), 0);
}

TEST_F(LiveReclaim, SigtermAndSigkillDoNotWaitForIt) {
  const MemoryHog service = reader(path("cgroup.procs"), files_, 20 * kMiB, true);
  for (const bool kill : {false, true}) {
    LiveAgent agent(args());
    ASSERT_TRUE(agent.logged("event=reclaim ", std::chrono::seconds(60))) << agent.log();
    if (kill) {
      agent.kill();
    } else {
      agent.stop();
      EXPECT_EQ(agent.exit_status(), 0) << agent.log();
    }
    EXPECT_EQ(file("memory.high"), "max\n");
  }
}

}  // namespace
}  // namespace evenkeel::test
