// Tests the program as a black box: background reclaim, the page cache limit, push-back.
#include <gtest/gtest.h>

#include "tests/support/agents/stepped_node.h"

namespace evenkeel::test {
namespace {

using Kernel = FakeNode::Kernel;

constexpr const char* kUid = "11111111-1111-1111-1111-111111111111";
constexpr const char* kOn = "resourceQOSStrategy: {lsClass: {memoryQOS: {enable: true}}}\n";

/// One service with a limit of 1000 MiB and this text in its annotation.
std::string pods_with(const std::string& memory_qos = {}) {
  const std::string annotation =
      memory_qos.empty() ? "" : ", annotations: {koordinator.sh/memoryQOS: '" + memory_qos + "'}";
  return "items: [{metadata: {uid: " + std::string(kUid) + ", namespace: shop, name: cart" + annotation +
         "}, spec: {containers: [{name: a, resources: {limits: {memory: 1000Mi}}}]}, "
         "status: {phase: Running, qosClass: Burstable, "
         "containerStatuses: [{name: a, containerID: 'containerd://aaa', state: {running: {}}}]}}]\n";
}

class SteppedReclaim : public testing::Test {
 protected:
  explicit SteppedReclaim(Kernel kernel = Kernel::v2) : node(16, kernel, kOn) {
    pod = node.host.pod(KubeQos::burstable, kUid, {"aaa"});
  }
  void uses(const std::string& cgroup, std::int64_t mib) {
    node.host.write(Controller::memory, cgroup, "memory.current", std::to_string(mib << 20) + "\n");
  }
  void stalled(const std::string& cgroup, const std::string& avg10, const std::string& total) {
    const std::string line = " avg10=" + avg10 + " avg60=0.00 avg300=0.00 total=" + total + "\n";
    node.host.write(Controller::memory, cgroup, "memory.pressure", "some" + line + "full" + line);
  }
  void no_swap() {
    node.host.file("proc/meminfo", node.host.read("proc/meminfo") + "SwapTotal:             0 kB\n");
  }
  [[nodiscard]] std::string asked(const std::string& cgroup) const {
    return node.setting(Controller::memory, cgroup, "memory.reclaim");
  }
  SteppedNode node;
  std::string pod;
};

TEST_F(SteppedReclaim, WritesMemoryReclaimAboveTheMark) {
  SteppedAgent agent(node.args(node.pod_list(pods_with())));
  uses(pod + "/aaa", 960);
  agent.advance();
  const Step step = agent.advance();
  EXPECT_EQ(asked(pod + "/aaa"), std::to_string(std::int64_t{30} << 20)) << step.line;
  ASSERT_EQ(step.writes.size(), 1U) << step.line;
  EXPECT_EQ(step.writes[0].path, "sys/fs/cgroup/" + pod + "/aaa/memory.reclaim");
  EXPECT_EQ(step.writes[0].new_text, "31457280");
  EXPECT_EQ(step.writes[0].by, "memory-watermark");
  EXPECT_EQ(step.writes[0].why,
            "960 MiB are in use; above 950 MiB of 1000 MiB it is brought down to 930 MiB");
  EXPECT_NE(agent.explain().find("it is brought down to 930 MiB"), std::string::npos);
  EXPECT_NE(agent.metrics().find("evenkeel_reclaim_asked_bytes_total 31457280"), std::string::npos);
  uses(pod + "/aaa", 925);
  EXPECT_TRUE(agent.advance().writes.empty());
  EXPECT_TRUE(agent.quit().writes.empty()) << "nothing has to be put back";
}

TEST_F(SteppedReclaim, AStalledContainerIsNotReclaimed) {
  SteppedAgent agent(node.args(node.pod_list(pods_with())));
  uses(pod + "/aaa", 960);
  agent.advance();
  EXPECT_EQ(agent.advance().writes.size(), 1U);
  stalled(pod + "/aaa", "2.00", "30000");
  EXPECT_TRUE(agent.advance().writes.empty()) << "30 ms in a second";
  EXPECT_TRUE(agent.advance().writes.empty());
  EXPECT_TRUE(agent.advance("9s").writes.empty());
  EXPECT_EQ(agent.advance("2s").writes.size(), 1U) << "after ten seconds it is tried again";
  EXPECT_NE(agent.metrics().find("evenkeel_reclaim_stopped_by_pressure_total 1"), std::string::npos);
  agent.quit();
  EXPECT_NE(agent.stderr_text().find("reclaim-stopped"), std::string::npos) << agent.stderr_text();
}

TEST_F(SteppedReclaim, AnAnnotationCountsWhileTheFeatureIsEnabled) {
  SteppedAgent agent(node.args(node.pod_list(pods_with(R"({"wmarkRatio":80,"wmarkScalePermill":100})"))));
  uses(pod + "/aaa", 810);
  agent.advance();
  EXPECT_EQ(agent.advance().written("memory.reclaim"), std::to_string(std::int64_t{110} << 20));
  node.pod_list(pods_with(R"({"policy":"none"})"));
  EXPECT_TRUE(agent.advance().writes.empty());
  node.pod_list(pods_with());
  uses(pod + "/aaa", 960);
  EXPECT_EQ(agent.advance().writes.size(), 1U);
  node.configure("resourceQOSStrategy: {lsClass: {memoryQOS: {enable: false}}}\n");
  EXPECT_TRUE(agent.advance().writes.empty());
  node.configure(std::string(kOn) + "extensions: {evenkeel: {reclaimBytesPerSecond: 8Mi}}\n");
  EXPECT_EQ(agent.advance().written("memory.reclaim"), "8388608") << "the node's budget";
  agent.quit();
}

TEST_F(SteppedReclaim, DryRunOnlyLogs) {
  auto args = node.args(node.pod_list(pods_with()));
  args.emplace_back("--dry-run");
  SteppedAgent agent(args);
  uses(pod + "/aaa", 960);
  agent.advance();
  const Step step = agent.advance();
  EXPECT_TRUE(step.writes.empty());
  EXPECT_NE(step.line.find("\"would_write\":[{\"path\":\"sys/fs/cgroup/" + pod + "/aaa/memory.reclaim\""),
            std::string::npos)
      << step.line;
  EXPECT_EQ(asked(pod + "/aaa"), "");
  agent.quit();
}

TEST_F(SteppedReclaim, APodsPageCacheIsLimitedWithoutSwap) {
  const auto cache = [&](std::int64_t mib) {
    node.host.write(Controller::memory, pod, "memory.stat",
                    "inactive_anon 0\nactive_anon 0\ninactive_file " + std::to_string(mib << 20) +
                        "\nactive_file 0\nunevictable 0\n");
    uses(pod, mib + 10);
  };
  SteppedAgent agent(node.args(node.pod_list(pods_with(R"({"pageCacheLimitPercent":50})"))));
  cache(700);
  agent.advance();
  EXPECT_TRUE(agent.advance().writes.empty()) << "it is not known whether the node can swap";
  no_swap();
  const Step step = agent.advance();
  EXPECT_EQ(asked(pod), std::to_string(std::int64_t{200} << 20)) << step.line;
  ASSERT_EQ(step.writes.size(), 1U);
  EXPECT_EQ(step.writes[0].by, "page-cache-limit");
  EXPECT_TRUE(agent.advance().writes.empty()) << "the same reading";
  cache(500);
  EXPECT_TRUE(agent.advance().writes.empty());
  agent.quit();
}

TEST_F(SteppedReclaim, BestEffortMemoryIsPushedBackWhileServicesWaitAndRestored) {
  const auto besteffort = node.besteffort();
  node.host.pod(KubeQos::besteffort, "22222222-2222-2222-2222-222222222222", {"bbb"});
  node.configure("extensions: {evenkeel: {memoryPushBack: {enable: true}}}\n");
  const auto meminfo = [&](std::int64_t free_mib) {
    node.host.file("proc/meminfo", "MemTotal: 16777216 kB\nMemFree: " + std::to_string(free_mib << 10) +
                                       " kB\nMemAvailable: 8388608 kB\nSwapTotal: 0 kB\n");
  };
  node.host.write(Controller::memory, besteffort, "memory.stat",
                  "inactive_anon 1073741824\nactive_anon 0\ninactive_file 0\nactive_file 0\nunevictable 0\n");
  const auto high = [&] { return node.setting(Controller::memory, besteffort, "memory.high"); };
  uses(besteffort, 4000);
  meminfo(500);
  SteppedAgent agent(node.args(node.pod_list(pods_with())));
  agent.advance();
  EXPECT_EQ(high(), "max") << "no task waits";
  stalled(pod, "15.00", "1000");
  Step step = agent.advance();
  EXPECT_EQ(high(), std::to_string(std::int64_t{4080} << 20)) << "no more growth: " << step.line;
  EXPECT_EQ(asked(besteffort), std::to_string(std::int64_t{200} << 20)) << "a twentieth: " << step.line;
  for (int i = 0; i < 200; ++i) {
    agent.advance("2s");
    const auto at = std::max<std::int64_t>(std::stoll(high()) >> 20, 1100) * 100 / 103;
    uses(besteffort, at);
  }
  const auto lowest = std::stoll(high()) >> 20;
  EXPECT_GE(lowest, 1024) << "what it could only swap stays";
  EXPECT_LE(lowest, 1200);
  stalled(pod, "0.00", "2000");
  meminfo(6000);
  uses(besteffort, 1020);
  agent.advance("9s");
  EXPECT_NE(high(), "max") << "not at once";
  for (int i = 0; i < 12; ++i) step = agent.advance("6s");
  EXPECT_EQ(high(), "max") << "released: " << step.line;
  stalled(pod, "50.00", "3000");
  agent.advance("2s");
  EXPECT_EQ(high(), "max") << "with so much free it waits for other reasons";
  meminfo(500);
  agent.advance("2s");
  EXPECT_NE(high(), "max");
  node.configure("{}\n");
  agent.advance();
  EXPECT_EQ(high(), "max") << "off is undone";
  agent.quit();
}

class SteppedReclaimV1 : public SteppedReclaim {
 protected:
  SteppedReclaimV1() : SteppedReclaim(Kernel::v1) {}
};
TEST_F(SteppedReclaimV1, MissingFilesOnV1AreNoError) {
  node.configure(std::string(kOn) + "extensions: {evenkeel: {memoryPushBack: {enable: true}}}\n");
  SteppedAgent agent(node.args(node.pod_list(pods_with())));
  node.host.write(Controller::memory, pod + "/aaa", "memory.usage_in_bytes", "1040000000\n");
  for (int i = 0; i < 3; ++i) {
    const Step step = agent.advance();
    EXPECT_TRUE(step.writes.empty()) << step.line;
    EXPECT_TRUE(step.errors.empty()) << step.line;
  }
  agent.quit();
}

/// A vendor kernel (Anolis) with files for what the agent otherwise does by memory.reclaim.
TEST_F(SteppedReclaim, OnVendorKernelsTheirFilesReplaceReclaim) {
  const auto files = [&](const std::string& cgroup) {
    std::string out;
    for (const char* file : {"memory.wmark_ratio", "memory.wmark_scale_factor", "memory.wmark_min_adj",
                             "memory.pagecache_limit.enable", "memory.pagecache_limit.size"})
      out += node.setting(Controller::memory, cgroup, file) + ' ';
    return out;
  };
  for (const auto& cgroup : {pod, pod + "/aaa"})
    for (const char* file : {"wmark_ratio 0", "wmark_scale_factor 50", "wmark_min_adj 0",
                             "pagecache_limit.enable 0", "pagecache_limit.size 0"}) {
      const std::string text = file;
      const auto cut = text.find(' ');
      node.host.write(Controller::memory, cgroup, "memory." + text.substr(0, cut),
                      text.substr(cut + 1) + "\n");
    }
  no_swap();
  uses(pod, 990);
  uses(pod + "/aaa", 990);
  SteppedAgent agent(node.args(node.pod_list(pods_with(R"({"pageCacheLimitPercent":10})"))));
  const Step first = agent.advance();
  EXPECT_EQ(files(pod), "95 20 -25 1 104857600 ") << first.line;
  EXPECT_EQ(files(pod + "/aaa"), "95 20 -25 0 0 ");
  EXPECT_NE(agent.explain().find("reclaims in the background above 95 hundredths"), std::string::npos);
  const Step second = agent.advance();
  EXPECT_NE(second.line.find("\"writes\":[]"), std::string::npos) << second.line;
  EXPECT_EQ(asked(pod + "/aaa"), "");
  node.configure("{}\n");
  node.pod_list(pods_with());
  agent.advance();
  EXPECT_EQ(files(pod), "0 50 0 0 0 ");
  EXPECT_EQ(files(pod + "/aaa"), "0 50 0 0 0 ");
  agent.quit();
}

}  // namespace
}  // namespace evenkeel::test
