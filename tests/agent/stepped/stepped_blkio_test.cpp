// Tests the program as a black box: limits on disks.
#include <gtest/gtest.h>

#include "tests/support/agents/stepped_node.h"

namespace evenkeel::test {
namespace {

using Kernel = FakeNode::Kernel;

constexpr const char* kUid = "11111111-1111-1111-1111-111111111111";

std::string best_effort(const std::string& blocks, const char* enable = "true") {
  return std::string("resourceQOSStrategy: {beClass: {blkioQOS: {enable: ") + enable + ", blocks: [" +
         blocks + "]}}}\n";
}
const std::string kVdb = "{name: /dev/vdb, type: device, ioCfg: {readIOPS: 2000}}";
const std::string kNope = "{name: /dev/nope, type: device, ioCfg: {readIOPS: 1}}";

/// One service with a volume claim and this text in its annotation.
std::string pods_with(const std::string& blkio) {
  const std::string annotation =
      blkio.empty() ? "" : ", annotations: {koordinator.sh/blkioQOS: '" + blkio + "'}";
  return "items: [{metadata: {uid: " + std::string(kUid) + ", namespace: shop, name: db" + annotation +
         "}, spec: {volumes: [{name: data, persistentVolumeClaim: {claimName: c}}], containers: [{name: "
         "a}]}, "
         "status: {phase: Running, qosClass: Burstable, "
         "containerStatuses: [{name: a, containerID: 'containerd://aaa', state: {running: {}}}]}}]\n";
}
const std::string kData = R"({"blocks":[{"name":"data","type":"podvolume","ioCfg":{"readBPS":1048576}}]})";

class SteppedBlkio : public testing::TestWithParam<Kernel> {
 protected:
  SteppedBlkio() {
    for (const auto& [name, number] : {std::pair("vda", "253:0\n"), std::pair("vdb", "253:16\n")})
      node.host.file(std::string("sys/block/") + name + "/dev", number);
    node.host.file("sys/block/dm-0/dev", "252:0\n").dir("sys/block/dm-0/slaves/vdb");
    node.host.file("proc/1/mountinfo", "40 30 252:0 / /var/lib/kubelet/pods/" + std::string(kUid) +
                                           "/volumes/kubernetes.io~csi/pvc-1/mount rw - ext4 /dev/dm-0 rw\n");
  }
  [[nodiscard]] bool v2() const { return GetParam() == Kernel::v2; }
  [[nodiscard]] std::string of(const std::string& cgroup, const char* v1) const {
    return node.host.read(Controller::blkio, cgroup, v2() ? "io.max" : v1);
  }
  [[nodiscard]] std::string read_iops(KubeQos qos) const {
    return of(node.host.qos_path(qos), "blkio.throttle.read_iops_device");
  }
  [[nodiscard]] std::string limit(const std::string& device, const std::string& number) const {
    return v2() ? device + " rbps=max wbps=max riops=" + number + " wiops=max\n"
                : device + " " + number + "\n";
  }
  SteppedNode node{16, GetParam(), best_effort(kVdb)};
};

TEST_P(SteppedBlkio, BestEffortIsLimitedAndDisablingRestores) {
  SteppedAgent agent(node.args());
  const Step step = agent.advance();
  EXPECT_EQ(step.written(v2() ? "besteffort/io.max" : "besteffort/blkio.throttle.read_iops_device"),
            v2() ? "253:16 riops=2000" : "253:16 2000")
      << step.line;
  EXPECT_EQ(step.writes.size(), 1U) << step.line;
  EXPECT_EQ(read_iops(KubeQos::besteffort), limit("253:16", "2000"));
  EXPECT_TRUE(agent.advance().writes.empty());
  EXPECT_NE(agent.explain().find("best effort may read 2000 times a second"), std::string::npos)
      << agent.explain();
  const auto metrics = agent.metrics();
  EXPECT_NE(metrics.find("evenkeel_disk_read_limit_operations_per_second{cgroup=\"kubepods/besteffort\","
                         "disk=\"253:16\",pod=\"\"} 2000"),
            std::string::npos)
      << metrics;
  node.configure(best_effort(kVdb, "false"));
  agent.advance();
  EXPECT_EQ(read_iops(KubeQos::besteffort), "");
  agent.quit();
}

TEST_P(SteppedBlkio, ServicesGetALatencyTargetWhereSupported) {
  const auto pod = node.host.pod(KubeQos::burstable, kUid, {"aaa"});
  const auto branch = node.host.qos_path(KubeQos::burstable);
  for (const auto& cgroup : {branch, pod, node.host.qos_path(KubeQos::besteffort)})
    if (v2()) node.host.write(Controller::blkio, cgroup, "io.latency", "253:0 target=70\n");
  node.configure(
      "resourceQOSStrategy: {lsClass: {blkioQOS: {enable: true, blocks: [{name: vdb, ioCfg: {latencyTarget: "
      "5000}}]}}}\n");
  SteppedAgent agent(node.args(node.pod_list(pods_with(""))));
  const Step step = agent.advance();
  EXPECT_EQ(step.writes.size(), v2() ? 2U : 0U) << step.line;
  if (v2()) {
    for (const auto& cgroup : {branch, pod})
      EXPECT_EQ(node.host.read(Controller::blkio, cgroup, "io.latency"),
                "253:0 target=70\n253:16 target=5000\n");
    EXPECT_NE(agent.explain().find("take at most 5000 us"), std::string::npos) << agent.explain();
    EXPECT_NE(agent.metrics().find("evenkeel_disk_latency_target_microseconds{"), std::string::npos);
  }
  EXPECT_TRUE(agent.advance().writes.empty());
  agent.quit();
  for (const auto& cgroup : {branch, pod})
    EXPECT_EQ(node.host.read(Controller::blkio, cgroup, "io.latency"),
              v2() ? "253:0 target=70\n" : "<missing>");
}

/// On cgroup v1 a runtime makes the directories of one container one after the other.
TEST_P(SteppedBlkio, ADirectoryThatComesLaterThanTheOthersIsNoRefusal) {
  if (v2()) GTEST_SKIP() << "cgroup v2 has one directory per container";
  const auto container = node.host.pod(KubeQos::burstable, kUid, {"aaa"}) + "/aaa";
  const auto late = node.host.dir_of(Controller::blkio, container);
  const char* file = "blkio.throttle.read_bps_device";
  node.host.remove(late);
  SteppedAgent agent(node.args(node.pod_list(pods_with(kData))));
  for (int i = 0; i < 3; ++i) {
    const Step step = node.second(agent);
    EXPECT_TRUE(step.errors.empty()) << step.line;
    EXPECT_EQ(step.line.find("/aaa/"), std::string::npos) << step.line;
  }
  node.host.dir(late).write(Controller::blkio, container, file, "");
  const Step step = node.seconds(2, agent);
  EXPECT_TRUE(step.errors.empty()) << step.line;
  EXPECT_EQ(node.host.read(Controller::blkio, container, file), "253:16 1048576\n");
  agent.quit();
}

TEST_P(SteppedBlkio, AnUnknownDiskIsReportedOnceAndSkipsOnlyItsBlock) {
  node.configure(best_effort(kNope + ", " + kVdb));
  SteppedAgent agent(node.args());
  const Step step = agent.advance();
  EXPECT_EQ(read_iops(KubeQos::besteffort), limit("253:16", "2000"));
  ASSERT_EQ(step.errors.size(), 1U) << step.line;
  EXPECT_NE(step.errors[0].find("ENODEV /dev/nope"), std::string::npos) << step.errors[0];
  EXPECT_NE(step.line.find("this block alone is left out"), std::string::npos) << step.line;
  EXPECT_TRUE(agent.advance().errors.empty());
  EXPECT_NE(agent.metrics().find("evenkeel_disk_unresolved_blocks 1"), std::string::npos);
  agent.quit();
  EXPECT_EQ(read_iops(KubeQos::besteffort), "");
}

// As many as a pod's annotation may name would be as many lines in the log and in the audit.
TEST_P(SteppedBlkio, ManyUnknownDisksAreReportedAFewAtATime) {
  std::string blocks;
  for (int i = 0; i < 40; ++i)
    blocks += "{name: /dev/no" + std::to_string(i) + ", type: device, ioCfg: {readIOPS: 1}}, ";
  node.configure(best_effort(blocks + kVdb));
  SteppedAgent agent(node.args());
  std::vector<std::size_t> reported;
  for (int i = 0; i < 4; ++i) reported.push_back(agent.advance().errors.size());
  EXPECT_EQ(reported, (std::vector<std::size_t>{16, 16, 8, 0}));
}

TEST_P(SteppedBlkio, OriginalsAreRestoredAndForeignLinesKept) {
  const auto be = node.host.qos_path(KubeQos::besteffort);
  const std::string before = limit("253:0", "500") + limit("253:16", "700") + limit("8:0", "9");
  node.host.write(Controller::blkio, be, v2() ? "io.max" : "blkio.throttle.read_iops_device", before);
  SteppedAgent agent(node.args());
  agent.advance();
  EXPECT_EQ(read_iops(KubeQos::besteffort),
            limit("253:0", "500") + limit("253:16", "2000") + limit("8:0", "9"));
  agent.quit();
  EXPECT_EQ(read_iops(KubeQos::besteffort), before);
}

TEST_P(SteppedBlkio, RestoreUndoesAKilledAgentsWrites) {
  SteppedAgent agent(node.args());
  agent.advance();
  agent.kill();
  ASSERT_EQ(read_iops(KubeQos::besteffort), limit("253:16", "2000"));
  const auto ran = node.restore();
  EXPECT_EQ(ran.exit_status, 0) << ran.err;
  EXPECT_EQ(read_iops(KubeQos::besteffort), "");
}

TEST_P(SteppedBlkio, APodsVolumeIsLimitedWhileItsAnnotationExists) {
  node.configure("");
  const auto pod = node.host.pod(KubeQos::burstable, kUid, {"aaa"});
  const auto pods = node.pod_list(pods_with(kData));
  SteppedAgent agent(node.args(pods));
  const Step step = agent.advance();
  const auto file = "blkio.throttle.read_bps_device";
  EXPECT_EQ(of(pod, file), v2() ? "253:16 rbps=1048576 wbps=max riops=max wiops=max\n" : "253:16 1048576\n")
      << step.line;
  node.pod_list(pods_with(""));
  agent.advance();
  EXPECT_EQ(of(pod, file), "") << "better than there: limits do not outlive the annotation";
  agent.quit();
}

TEST_P(SteppedBlkio, ADryRunLogsWhatItWouldWrite) {
  auto args = node.args();
  args.emplace_back("--dry-run");
  SteppedAgent agent(args);
  const Step step = agent.advance();
  EXPECT_NE(step.line.find("253:16"), std::string::npos) << step.line;
  EXPECT_EQ(read_iops(KubeQos::besteffort), "");
  EXPECT_EQ(agent.advance().line.find("253:16"), std::string::npos) << "once";
  agent.quit();
}

TEST_P(SteppedBlkio, ChangingTheDiskRestoresTheFirst) {
  SteppedAgent agent(node.args());
  agent.advance();
  node.configure(best_effort("{name: vda, type: device, ioCfg: {readIOPS: 30, ioWeightPercent: 40}}"));
  const Step step = agent.advance();
  EXPECT_EQ(read_iops(KubeQos::besteffort), limit("253:0", "30")) << step.line;
  if (v2()) {
    EXPECT_EQ(node.host.read(Controller::blkio, node.host.qos_path(KubeQos::besteffort), "io.weight"),
              "default 100\n253:0 40\n");
  }
  agent.quit();
  EXPECT_EQ(read_iops(KubeQos::besteffort), "");
}

TEST_P(SteppedBlkio, TheRootsCostModelIsSetAndRestored) {
  if (!v2()) GTEST_SKIP() << "mainline's cgroup v1 has no cost model";
  const std::string qos = "sys/fs/cgroup/io.cost.qos", model = "sys/fs/cgroup/io.cost.model";
  node.host.file(qos, "").file(model, "253:16 ctrl=user model=linear rbps=1 rseqiops=2\n");
  node.configure("resourceQOSStrategy: {cgroupRoot: {blkioQOS: {enable: true, blocks: [" + kVdb + "]}}}\n");
  SteppedAgent agent(node.args());
  const Step step = agent.advance();
  EXPECT_EQ(node.host.read(qos), "253:16 enable=1 ctrl=user rpct=95 rlat=3000 wpct=95 wlat=3000\n")
      << step.line;
  EXPECT_EQ(node.host.read(model), "") << "the kernel chooses";
  EXPECT_TRUE(agent.advance().writes.empty());
  EXPECT_NE(agent.explain().find("io.cost.qos"), std::string::npos);
  agent.kill();
  EXPECT_EQ(node.restore().exit_status, 0);
  EXPECT_EQ(node.host.read(qos), "");
  EXPECT_EQ(node.host.read(model), "253:16 ctrl=user model=linear rbps=1 rseqiops=2\n");
}

INSTANTIATE_TEST_SUITE_P(Kernels, SteppedBlkio, testing::Values(Kernel::v1, Kernel::v2), kernel_name);

}  // namespace
}  // namespace evenkeel::test
