// Tests weights on a real, busy disk: best effort's share beside a service, with and without the agent.
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

class LiveDiskWeight : public DiskNeighbours {
 protected:
  [[nodiscard]] std::string of_best_effort(const char* name) const {
    return file("kubepods/besteffort", name);
  }
  /// Best effort's share of both, in percent, over this time.
  [[nodiscard]] static double share_of_batch(const DiskUser& batch, const DiskUser& service) {
    std::this_thread::sleep_for(milliseconds(2000));  // let earlier I/O finish
    const auto batch_before = batch.bytes(), service_before = service.bytes();
    std::this_thread::sleep_for(milliseconds(6000));
    const auto of_batch = static_cast<double>(batch.bytes() - batch_before);
    const auto both = of_batch + static_cast<double>(service.bytes() - service_before);
    return both > 0 ? 100 * of_batch / both : -1;
  }
  /// Without the agent, with it writing the disk's weight to `weight`, and after it has stopped. Both always
  /// request twice as much as the disk can do.
  void expect_shared_by(const std::string& weight, const NullDisk& disk) {
    const DiskLoad use{.writes = false, .piece = 4096, .of = std::size_t{64} << 20, .processes = 4};
    const DiskUser batch(procs(kBatch), disk.path(), use), reads(procs(service()), disk.path(), use);
    const auto before = share_of_batch(batch, reads);
    LiveAgent agent(agent_args());
    ASSERT_TRUE(soon([&] { return text_of_file(weight).find(disk.number() + " 10\n") != std::string::npos; }))
        << text_of_file(weight) << agent.log();
    const auto with = share_of_batch(batch, reads);
    agent.stop();
    EXPECT_EQ(text_of_file(weight).find(disk.number()), std::string::npos) << text_of_file(weight);
    const auto after = share_of_batch(batch, reads);
    std::printf("best effort's share of the disk: %.0f %%, with weight 10 %.0f %%, then %.0f %%\n", before,
                with, after);
    EXPECT_GE(with, 0);
    EXPECT_LT(with, 25) << "less than a third of the service's";
    EXPECT_GT(before, 30) << "about as much as the service";
    EXPECT_GT(after, 30) << "the weight has gone with the agent, not only out of the file";
    EXPECT_GT(before, 1.6 * with);
  }
};

TEST_F(LiveDiskWeight, TheCostModelSharesABusyDisk) {
  const auto weight = of_best_effort("io.weight");
  if (!v2() || ::access(weight.c_str(), W_OK) != 0) GTEST_SKIP() << "this kernel has no io.cost";
  const NullDisk disk(kEachOrder, 64);
  if (!disk.why_not().empty()) GTEST_SKIP() << disk.why_not();
  ASSERT_TRUE(disk.set("scheduler", "none"));
  // The disk can never meet its latency target, so the kernel throttles to its minimum, a hundredth of the
  // model: 200 requests a second, for which 2000 queue up.
  configure("cgroupRoot: {blkioQOS: " +
            block(disk,
                  "readLatency: 1000, writeLatency: 1000, enableUserModel: true, modelReadBPS: 1000000000, "
                  "modelReadSeqIOPS: 20000, modelReadRandIOPS: 20000, modelWriteBPS: 1000000000, "
                  "modelWriteSeqIOPS: 20000, modelWriteRandIOPS: 20000") +
            "}, beClass: {blkioQOS: " + block(disk, "ioWeightPercent: 10") + "}");
  expect_shared_by(weight, disk);
}

TEST_F(LiveDiskWeight, BfqSharesABusyDisk) {
  const auto weight = of_best_effort(v2() ? "io.bfq.weight" : "blkio.bfq.weight_device");
  const NullDisk disk(kEachOrder, 1);
  if (!disk.why_not().empty()) GTEST_SKIP() << disk.why_not();
  if (!disk.set("scheduler", "bfq")) GTEST_SKIP() << "this kernel has no BFQ";
  // BFQ favours new processes regardless of weights; this test is not about that.
  ASSERT_TRUE(disk.set("iosched/low_latency", "0"));
  // Queue slots for every request: a process that waits for a slot has no request and no weight.
  ASSERT_TRUE(disk.set("nr_requests", "64"));
  if (::access(weight.c_str(), W_OK) != 0) GTEST_SKIP() << "no weights of BFQ in this hierarchy: " << weight;
  configure("beClass: {blkioQOS: " + block(disk, "ioWeightPercent: 10") + "}");
  expect_shared_by(weight, disk);
}

}  // namespace
}  // namespace evenkeel::test
