// Tests limits on a real disk: the contents of the control files, and the resulting write speed.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "tests/support/agents/stepped_agent.h"
#include "tests/support/live/agent_args.h"
#include "tests/support/live/disk_user.h"
#include "tests/support/live/live_agent.h"
#include "tests/support/live/live_cgroups.h"
#include "tests/support/live/loop_disk.h"
#include "tests/support/process.h"
#include "tests/support/soon.h"
#include "tests/support/state_dir.h"

namespace evenkeel::test {
namespace {

using std::chrono::milliseconds;

constexpr const char* kBatch = "kubepods/besteffort/podeeeeeeee-0000-0000-0000-000000000001/c1";
constexpr std::size_t kDiskSize = std::size_t{32} << 20;
constexpr std::int64_t kLimit = 512 << 10;

class LiveDisk : public testing::Test {
 protected:
  void SetUp() override {
    if (!cgroups_.why_not().empty()) GTEST_SKIP() << cgroups_.why_not();
    if (!disk_.why_not().empty()) GTEST_SKIP() << disk_.why_not();
    cgroups_.make(kBatch);
    if (text_of_file(cgroups_.file(Controller::blkio, kBatch, "cgroup.procs")) == "<missing>" ||
        ::access(limits().c_str(), W_OK) != 0)
      GTEST_SKIP() << "no hierarchy here can limit a disk";
    configure("true");
  }
  [[nodiscard]] bool v2() const { return cgroups_.layout().v2(Controller::blkio); }
  [[nodiscard]] std::string limits() const {
    return cgroups_.file(Controller::blkio, "kubepods/besteffort",
                         v2() ? "io.max" : "blkio.throttle.write_bps_device");
  }
  [[nodiscard]] std::string limited() const {
    const auto number = std::to_string(kLimit);
    return disk_.number() +
           (v2() ? " rbps=max wbps=" + number + " riops=max wiops=max\n" : " " + number + "\n");
  }
  void configure(const char* enable) const { configure(enable, disk_.path()); }
  void configure(const char* enable, const std::string& name) const {
    std::ofstream(dir_.path + "/nodeslo.yaml")
        << "resourceQOSStrategy: {beClass: {blkioQOS: {enable: " << enable << ", blocks: [{name: " << name
        << ", type: device, ioCfg: {writeBPS: " << kLimit << "}}]}}}\n";
  }
  [[nodiscard]] std::vector<std::string> args() const {
    return live_args(cgroups_, dir_, "100ms", kPodsByCgroup);
  }
  [[nodiscard]] DiskUser writer(bool through_the_cache) const {
    return {cgroups_.file(Controller::blkio, kBatch, "cgroup.procs"),
            disk_.path(),
            {.through_the_cache = through_the_cache, .of = kDiskSize}};
  }
  /// Three times the limit at some moment within 20 s: then no limit is in force.
  static bool free_soon(const DiskUser& writer) {
    for (int i = 0; i < 40; ++i)
      if (writer.rate(milliseconds(500)) > 3.0 * kLimit) return true;
    return false;
  }
  void expect_held(const DiskUser& writer) const {
    LiveAgent agent(args());
    ASSERT_TRUE(soon([&] { return text_of_file(limits()) == limited(); }))
        << text_of_file(limits()) << agent.log();
    std::this_thread::sleep_for(milliseconds(1500));  // let earlier I/O finish
    const auto before = writer.bytes();
    EXPECT_LT(writer.rate(milliseconds(4000)), 1.5 * kLimit);
    EXPECT_TRUE(soon([&] { return writer.bytes() > before; })) << "held back, not stopped";
    agent.stop();
    EXPECT_EQ(agent.exit_status(), 0) << agent.log();
    EXPECT_EQ(text_of_file(limits()), "");
    EXPECT_TRUE(free_soon(writer)) << "the limit has gone with the agent";
  }
  LiveCgroups cgroups_{};
  StateDir dir_{};
  LoopDisk disk_{kDiskSize};
};

TEST_F(LiveDisk, DirectWritesOfBestEffortKeepToTheLimit) {
  const auto batch = writer(false);
  ASSERT_TRUE(free_soon(batch)) << batch.bytes();
  expect_held(batch);
}

TEST_F(LiveDisk, OnV2PageCacheWritesKeepToTheLimit) {
  if (!v2()) GTEST_SKIP() << "cgroup v1 does not know who dirtied a page";
  const auto batch = writer(true);
  ASSERT_TRUE(free_soon(batch)) << batch.bytes();
  expect_held(batch);
}

TEST_F(LiveDisk, APersistentNameResolvesToTheDisk) {
  const std::filesystem::path link = "/dev/disk/by-id/evenkeel-test-" + std::to_string(::getpid());
  std::error_code failed;
  std::filesystem::create_directories(link.parent_path(), failed);
  std::filesystem::create_symlink("../.." + disk_.path().substr(4), link, failed);  // as udev does
  if (failed) GTEST_SKIP() << "no link can be made: " << failed.message();
  configure("true", link);
  LiveAgent agent(args());
  EXPECT_TRUE(soon([&] { return text_of_file(limits()) == limited(); }))
      << text_of_file(limits()) << agent.log();
  std::filesystem::remove(link);
  configure("true", link.string() + "-none");
  EXPECT_TRUE(
      agent.logged("a container sees them where the host's /dev/disk is mounted", std::chrono::seconds(20)))
      << agent.log();
  agent.stop();
  EXPECT_EQ(text_of_file(limits()), "");
}

TEST_F(LiveDisk, OnV2TheCostModelSharesByWeightAndIsRestored) {
  const std::string qos = "/sys/fs/cgroup/io.cost.qos",
                    weight = cgroups_.file(Controller::blkio, "kubepods/besteffort", "io.weight");
  if (!v2() || ::access(qos.c_str(), W_OK) != 0) GTEST_SKIP() << "this kernel has no io.cost";
  const auto block = "{name: " + disk_.path() + ", type: device, ioCfg: ";
  std::ofstream(dir_.path + "/nodeslo.yaml")
      << "resourceQOSStrategy: {cgroupRoot: {blkioQOS: {enable: true, blocks: [" << block
      << "{readLatency: 5000}}]}}, beClass: {blkioQOS: {enable: true, blocks: [" << block
      << "{ioWeightPercent: 50}}]}}}\n";
  const auto of_disk = [&](const std::string& file) {
    const auto text = text_of_file(file);
    const auto at = text.find(disk_.number() + " ");
    return at == std::string::npos ? std::string() : text.substr(at, text.find('\n', at) - at);
  };
  LiveAgent agent(args());
  EXPECT_TRUE(soon([&] { return of_disk(weight) == disk_.number() + " 50"; }))
      << text_of_file(weight) << agent.log();
  EXPECT_EQ(
      of_disk(qos).find(disk_.number() + " enable=1 ctrl=user rpct=95.00 rlat=5000 wpct=95.00 wlat=3000"), 0U)
      << of_disk(qos);
  EXPECT_EQ(agent.log().find("refused"), std::string::npos) << agent.log();
  agent.stop();
  EXPECT_EQ(of_disk(weight), "");
  EXPECT_EQ(of_disk(qos).find(disk_.number() + " enable=0 ctrl=auto"), 0U) << of_disk(qos);
}

TEST_F(LiveDisk, DisablingAndAKillRestoreTheDisk) {
  std::string original = disk_.number() + (v2() ? " wbps=7340032" : " 7340032");
  std::ofstream(limits()) << original << std::flush;
  original = text_of_file(limits());
  {
    LiveAgent agent(args());
    ASSERT_TRUE(soon([&] { return text_of_file(limits()) == limited(); })) << agent.log();
    configure("false");
    EXPECT_TRUE(soon([&] { return text_of_file(limits()) == original; })) << agent.log();
    configure("true");
    ASSERT_TRUE(soon([&] { return text_of_file(limits()) == limited(); })) << agent.log();
    agent.kill();
  }
  ASSERT_EQ(text_of_file(limits()), limited());
  const auto ran = run_evenkeel({"restore", "--state-dir", dir_.path + "/state"});
  EXPECT_EQ(ran.exit_status, 0) << ran.err;
  EXPECT_EQ(text_of_file(limits()), original);
}

}  // namespace
}  // namespace evenkeel::test
