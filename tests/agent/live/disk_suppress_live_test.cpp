// Tests on a real disk that best effort is limited there while a service waits for it, and gets it back.
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <optional>
#include <thread>

#include "tests/support/live/agent_args.h"
#include "tests/support/live/disk_user.h"
#include "tests/support/live/live_agent.h"
#include "tests/support/live/live_cgroups.h"
#include "tests/support/live/loop_disk.h"
#include "tests/support/live/null_disk.h"
#include "tests/support/soon.h"
#include "tests/support/state_dir.h"

namespace evenkeel::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr const char* kService = "kubepods/burstable/podaaaaaaaa-0000-0000-0000-000000000001/c1";
constexpr const char* kBatch = "kubepods/besteffort/podeeeeeeee-0000-0000-0000-000000000001/c1";
constexpr milliseconds kEachRequest{4};
constexpr std::size_t kDiskSize = std::size_t{64} << 20;

class LiveDiskSuppress : public testing::Test {
 protected:
  void SetUp() override {
    if (!cgroups_.why_not().empty()) GTEST_SKIP() << cgroups_.why_not();
    if (!slow_.why_not().empty()) memory_.emplace(kDiskSize);
    if (memory_ && !memory_->why_not().empty()) GTEST_SKIP() << slow_.why_not() << ", " << memory_->why_not();
    if (cgroups_.layout().unified.empty()) GTEST_SKIP() << "no unified hierarchy, so no pressure of a cgroup";
    cgroups_.make(kService);
    cgroups_.make(kBatch);
    if (::access(limits().c_str(), W_OK) != 0) GTEST_SKIP() << "no hierarchy here can limit a disk";
    if (::access(cgroups_.unified_file(kService, "io.pressure").c_str(), R_OK) != 0)
      GTEST_SKIP() << "the kernel has no pressure files";
    std::ofstream(dir_.path + "/nodeslo.yaml")
        << "extensions: {evenkeel: {diskSuppress: {enable: true, serviceStallPercent: 4}}}\n";
  }
  [[nodiscard]] bool v2() const { return cgroups_.layout().v2(Controller::blkio); }
  /// On cgroup v1 that of the container.
  [[nodiscard]] std::string limits() const {
    return v2() ? cgroups_.file(Controller::blkio, "kubepods/besteffort", "io.max")
                : cgroups_.file(Controller::blkio, kBatch, "blkio.throttle.write_bps_device");
  }
  [[nodiscard]] bool limited() const { return text_of_file(limits()).starts_with(number() + " "); }
  [[nodiscard]] std::string number() const { return memory_ ? memory_->number() : slow_.number(); }
  /// The service's, so long that it hardly waits on a disk of its own.
  [[nodiscard]] milliseconds pause() const { return memory_ ? milliseconds(1) : 10 * kEachRequest; }
  [[nodiscard]] DiskUser user(const char* cgroup, DiskLoad load) const {
    load.also_in = v2() ? "" : cgroups_.unified_file(cgroup, "cgroup.procs");
    load.of = kDiskSize;
    return {cgroups_.file(Controller::blkio, cgroup, "cgroup.procs"),
            memory_ ? memory_->path() : slow_.path(), load};
  }
  LiveCgroups cgroups_{};
  StateDir dir_{};
  /// One request at a time, so a service waits for all that best effort has in flight.
  NullDisk slow_{kEachRequest, 1};
  /// Without null_blk a disk of memory: there the service waits for a worker of the kernel that copies what
  /// best effort writes.
  std::optional<LoopDisk> memory_{};
};

TEST_F(LiveDiskSuppress, BestEffortIsLimitedWhileAServiceWaitsAndGetsTheDiskBack) {
  const auto service = user(kService, {.piece = 4096, .pause = pause()});
  LiveAgent agent(live_args(cgroups_, dir_, "1s", kPodsByCgroup));
  std::this_thread::sleep_for(seconds(15));
  EXPECT_FALSE(limited()) << "nothing disturbs the service";
  {
    const auto batch = user(kBatch, {.piece = std::size_t{1} << 20, .processes = 8});
    ASSERT_TRUE(soon([&] { return batch.bytes() > 0; }));
    const double before = batch.rate(milliseconds(2000));
    ASSERT_TRUE(soon([&] { return limited(); }, seconds(40))) << text_of_file(limits()) << agent.log();
    std::this_thread::sleep_for(milliseconds(500));  // let earlier writes end
    EXPECT_LT(batch.rate(milliseconds(3000)), before / 4);
    std::this_thread::sleep_for(seconds(20));
    EXPECT_TRUE(limited()) << "the service waits less with it: " << agent.log();
    const auto bytes = batch.bytes();
    EXPECT_TRUE(soon([&] { return batch.bytes() > bytes; })) << "held back, not stopped";
  }
  agent.stop();
  EXPECT_EQ(agent.exit_status(), 0) << agent.log();
  EXPECT_EQ(text_of_file(limits()), "");
}

}  // namespace
}  // namespace evenkeel::test
