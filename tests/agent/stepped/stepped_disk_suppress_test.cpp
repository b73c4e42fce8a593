// Tests the program as a black box: best effort on a disk for which a service waits.
#include <gtest/gtest.h>

#include "tests/support/agents/stepped_node.h"

namespace evenkeel::test {
namespace {

/// A node whose disk vda is busy; `tick` lets a second pass.
class SteppedDiskSuppress : public testing::Test {
 protected:
  SteppedDiskSuppress() {
    node.host.file("sys/block/vda/dev", "253:0\n").file("sys/block/vdb/dev", "253:16\n");
    node.host.pod(KubeQos::besteffort, "22222222-2222-2222-2222-222222222222", {"bbb"});
  }
  /// `waits` of the service, in milliseconds of each second.
  Step tick(SteppedAgent& agent, int waits) {
    ++seconds_;
    service_ms_ += waits;
    const auto n = [](std::int64_t number) { return std::to_string(number); };
    node.host.file("proc/diskstats", " 253 0 vda 0 0 0 0 " + n(seconds_ * 3000) + ' ' + n(seconds_ * 1000) +
                                         ' ' + n(seconds_ * 204'800) + " 9 1 " + n(seconds_ * 900) + " 9\n" +
                                         " 253 16 vdb 0 0 0 0 0 0 0 0 0 0 0\n");
    node.host.write(
        Controller::blkio, node.besteffort(), "io.stat",
        "253:0 rbytes=0 wbytes=" + n(seconds_ * 104'857'600) + " rios=0 wios=" + n(seconds_ * 3000) + "\n");
    stalled(pod, service_ms_);
    stalled(node.besteffort(), seconds_ * 900);
    return agent.advance();
  }
  void stalled(const std::string& cgroup, std::int64_t total_ms) {
    const std::string line =
        " avg10=0.00 avg60=0.00 avg300=0.00 total=" + std::to_string(total_ms * 1000) + "\n";
    node.host.write(Controller::blkio, cgroup, "io.pressure", "some" + line + "full" + line);
  }
  [[nodiscard]] std::string limits() const {
    return node.host.read(Controller::blkio, node.besteffort(), "io.max");
  }
  SteppedNode node{4, FakeNode::Kernel::v2, "extensions: {evenkeel: {diskSuppress: {enable: true}}}\n"};
  std::string pod = node.host.pod(KubeQos::burstable, "11111111-1111-1111-1111-111111111111", {"aaa"});
  std::int64_t seconds_ = 0, service_ms_ = 0;
};

TEST_F(SteppedDiskSuppress, LimitsBestEffortSaysWhyAndRestores) {
  SteppedAgent agent(node.args());
  for (int i = 0; i < 25 && limits().empty(); ++i) tick(agent, 300);
  EXPECT_EQ(limits(), "253:0 rbps=4194304 wbps=4194304 riops=80 wiops=80\n")
      << "2 % of 100 MiB/s is less than what it always keeps; 2 % of 4000 requests";
  EXPECT_NE(agent.explain().find("best effort has 2 % of what this disk carried, in bytes and in requests: a "
                                 "service waited for disks or a CPU 30 % of the time beside it"),
            std::string::npos)
      << agent.explain();
  EXPECT_NE(agent.metrics().find("\nevenkeel_disk_suppress_besteffort_ratio{disk=\"253:0\"} 0.02\n"),
            std::string::npos);
  for (int i = 0; i < 60; ++i) tick(agent, 10);
  EXPECT_NE(limits(), "");
  node.configure("{}\n");
  agent.advance();
  EXPECT_EQ(limits(), "") << "off is undone";
  agent.quit();
}

TEST_F(SteppedDiskSuppress, IsLiftedIfTheServiceWaitsAsMuchWithIt) {
  SteppedAgent agent(node.args());
  bool limited = false;
  for (int i = 0; i < 60; ++i) {
    tick(agent, 300);
    limited |= !limits().empty();
  }
  EXPECT_TRUE(limited);
  EXPECT_EQ(limits(), "");
  const auto metrics = agent.metrics();
  EXPECT_NE(metrics.find("\nevenkeel_disk_suppress_resting{disk=\"253:0\"} 1\n"), std::string::npos);
  EXPECT_EQ(metrics.find("evenkeel_disk_suppress_besteffort_ratio"), std::string::npos);
  agent.quit();
}

TEST_F(SteppedDiskSuppress, WritesNothingWhileTheDiskIsShared) {
  SteppedAgent agent(node.args());
  for (int i = 0; i < 60; ++i) EXPECT_TRUE(tick(agent, 50).writes.empty());
  agent.quit();
}

}  // namespace
}  // namespace evenkeel::test
