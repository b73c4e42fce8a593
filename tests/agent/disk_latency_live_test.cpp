// Latency targets on a real, busy disk: how many requests a service gets done one after the other beside best
// effort that floods the disk, with the agent and without. Needs a kernel with CONFIG_BLK_CGROUP_IOLATENCY.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <thread>

#include "tests/support/disk_user.h"
#include "tests/support/live_agent.h"
#include "tests/support/live_cgroups.h"
#include "tests/support/null_disk.h"
#include "tests/support/process.h"
#include "tests/support/soon.h"
#include "tests/support/state_dir.h"

namespace evenkeel::test {
namespace {

using std::chrono::milliseconds;

constexpr const char* kBatch = "kubepods/besteffort/podeeeeeeee-0000-0000-0000-000000000001/c1";
constexpr const char* kService = "kubepods/burstable/podeeeeeeee-0000-0000-0000-000000000002/c1";
constexpr milliseconds kEach{4};

class LiveDiskLatency : public testing::Test {
 protected:
  void SetUp() override {
    if (!cgroups_.why_not().empty()) GTEST_SKIP() << cgroups_.why_not();
    cgroups_.make(kBatch);
    cgroups_.make(kService);
    if (::access(file("kubepods/burstable").c_str(), W_OK) != 0)
      GTEST_SKIP() << "this kernel has no io.latency";
  }
  [[nodiscard]] std::string file(const char* cgroup) const {
    return cgroups_.file(Controller::blkio, cgroup, "io.latency");
  }
  [[nodiscard]] std::string procs(const char* cgroup) const {
    return cgroups_.file(Controller::blkio, cgroup, "cgroup.procs");
  }
  /// Requests a second, once what was under way is done and the kernel has found its measure.
  [[nodiscard]] static double served(const DiskUser& service) {
    std::this_thread::sleep_for(milliseconds(4000));
    return service.rate(milliseconds(6000)) / 4096;
  }
  LiveCgroups cgroups_{};
  StateDir dir_{};
};

TEST_F(LiveDiskLatency, WhoeverMakesServicesWaitIsHeldBack) {
  const NullDisk disk(kEach, 1);
  if (!disk.why_not().empty()) GTEST_SKIP() << disk.why_not();
  ASSERT_TRUE(disk.set("scheduler", "none"));
  // The disk is the agent's to know by its name only: 12 ms are three times what one request takes.
  std::ofstream(dir_.path + "/nodeslo.yaml")
      << "resourceQOSStrategy: {lsClass: {blkioQOS: {enable: true, blocks: [{name: " << disk.path()
      << ", type: device, ioCfg: {latencyTarget: 12000}}]}}}\n";
  const std::size_t of = std::size_t{64} << 20;
  const DiskUser service(procs(kService), disk.path(), {.writes = false, .piece = 4096, .of = of});
  const DiskUser batch(procs(kBatch), disk.path(),
                       {.writes = false, .piece = 4096, .of = of, .processes = 16});
  const auto before = served(service);
  LiveAgent agent({"--cgroup-root", cgroups_.top(), "--nodeslo", dir_.path + "/nodeslo.yaml", "--pods",
                   "cgroup", "--state-dir", dir_.path + "/state", "--listen", "none", "--interval", "200ms"});
  const auto line = disk.number() + " target=12000\n";
  for (const char* cgroup :
       {"kubepods/burstable", "kubepods/burstable/podeeeeeeee-0000-0000-0000-000000000002"})
    ASSERT_TRUE(soon([&] { return text_of_file(file(cgroup)) == line; }))
        << cgroup << ' ' << text_of_file(file(cgroup)) << agent.log();
  EXPECT_EQ(text_of_file(file("kubepods/besteffort")), "");
  const auto with = served(service);
  const auto batch_with = batch.rate(milliseconds(2000)) / 4096;
  agent.stop();
  EXPECT_EQ(text_of_file(file("kubepods/burstable")), "");
  const auto after = served(service);
  std::printf("the service's requests a second: %.0f, with a target %.0f (best effort %.0f), then %.0f\n",
              before, with, batch_with, after);
  EXPECT_GT(with, 1.5 * before);
  EXPECT_GT(batch_with, 1) << "held back, not stopped";
  EXPECT_LT(after, with / 1.5) << "the target has gone with the agent";
}

}  // namespace
}  // namespace evenkeel::test
