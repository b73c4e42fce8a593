// Tests latency targets on a real, busy disk: a service's sequential requests per second beside best effort
// that floods the disk, with and without the agent. Needs a kernel with CONFIG_BLK_CGROUP_IOLATENCY.
#include <unistd.h>

#include <cstdio>
#include <thread>

#include "tests/support/live/disk_neighbours.h"
#include "tests/support/live/disk_user.h"
#include "tests/support/live/live_agent.h"
#include "tests/support/process.h"
#include "tests/support/soon.h"

namespace evenkeel::test {
namespace {

using std::chrono::milliseconds;

class LiveDiskLatency : public DiskNeighbours {
 protected:
  void SetUp() override {
    DiskNeighbours::SetUp();
    if (!IsSkipped() && ::access(target_of("kubepods/burstable").c_str(), W_OK) != 0)
      GTEST_SKIP() << "this kernel has no io.latency";
  }
  [[nodiscard]] std::string target_of(const std::string& cgroup) const { return file(cgroup, "io.latency"); }
  /// Requests per second, after earlier I/O has finished and the kernel has adapted.
  [[nodiscard]] static double served(const DiskUser& service) {
    std::this_thread::sleep_for(milliseconds(4000));
    return service.rate(milliseconds(6000)) / 4096;
  }
};

TEST_F(LiveDiskLatency, BestEffortThatDelaysServicesIsThrottled) {
  const NullDisk disk(kEachOrder, 1);
  if (!disk.why_not().empty()) GTEST_SKIP() << disk.why_not();
  ASSERT_TRUE(disk.set("scheduler", "none"));
  configure("lsClass: {blkioQOS: " + block(disk, "latencyTarget: 12000") + "}");  // three times kEachOrder
  const DiskLoad use{.writes = false, .piece = 4096, .of = std::size_t{64} << 20};
  auto flood = use;
  flood.processes = 16;
  const DiskUser reads(procs(service()), disk.path(), use), floods(procs(kBatch), disk.path(), flood);
  const auto before = served(reads);
  LiveAgent agent(agent_args());
  const auto line = disk.number() + " target=12000\n";
  for (const char* cgroup : {"kubepods/burstable", kServicePod})
    ASSERT_TRUE(soon([&] { return text_of_file(target_of(cgroup)) == line; }))
        << cgroup << ' ' << text_of_file(target_of(cgroup)) << agent.log();
  EXPECT_EQ(text_of_file(target_of("kubepods/besteffort")), "");
  const auto with = served(reads);
  const auto flood_with = floods.rate(milliseconds(2000)) / 4096;
  agent.stop();
  EXPECT_EQ(text_of_file(target_of("kubepods/burstable")), "");
  const auto after = served(reads);
  std::printf("the service's requests a second: %.0f, with a target %.0f (best effort %.0f), then %.0f\n",
              before, with, flood_with, after);
  EXPECT_GT(with, 1.5 * before);
  EXPECT_GT(flood_with, 1) << "held back, not stopped";
  EXPECT_LT(after, with / 1.5) << "the target has gone with the agent";
}

}  // namespace
}  // namespace evenkeel::test
