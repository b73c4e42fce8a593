// The running program on the real kernel while the disk of its state directory is full or read-only: no value
// is written whose original is not on record, and all values are restored.
#include <gtest/gtest.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "tests/support/agents/stepped_agent.h"
#include "tests/support/failing_disk.h"
#include "tests/support/live/agent_args.h"
#include "tests/support/live/live_agent.h"
#include "tests/support/live/live_population.h"
#include "tests/support/process.h"
#include "tests/support/small_disk.h"
#include "tests/support/soon.h"
#include "tests/support/state_dir.h"

namespace evenkeel::test {
namespace {

using namespace std::chrono_literals;

constexpr const char* kNotUpToDate = "could not be brought up to date: ";

class LiveFullDisk : public testing::Test {
 protected:
  void SetUp() override {
    if (!cgroups_.why_not().empty()) GTEST_SKIP() << cgroups_.why_not();
    if (!disk_.why_not().empty()) GTEST_SKIP() << disk_.why_not();
    // So many that their records need more than the last page of the journal, which a full disk leaves it.
    constexpr int kPods = 24;
    pods_ = populate(cgroups_, kPods);
    configure(50);
  }
  /// The burst of each container, as a part of its quota of 100 ms.
  void configure(int percent) const {
    const std::string fresh = dir_.path + "/new.yaml";
    std::ofstream(fresh) << "cpuBurstStrategy: {policy: cpuBurstOnly, cpuBurstPercent: " << percent << "}\n"
                         << std::flush;
    std::filesystem::rename(fresh, dir_.path + "/nodeslo.yaml");
  }
  [[nodiscard]] std::vector<std::string> args() const {
    return live_args(cgroups_, dir_, "200ms", kPodsByCgroup);
  }
  [[nodiscard]] Ran restore() const { return run_evenkeel({"restore", "--state-dir", disk_.path()}); }
  /// All values are restored by now, at the latest by a restore, which says that the journal stays as it is
  /// until the disk is mended.
  void expect_journal_waits(const std::string& said, const std::function<bool()>& mend) const {
    const Ran waiting = restore();
    EXPECT_EQ(waiting.exit_status, 1);
    EXPECT_NE(waiting.err.find(said), std::string::npos) << waiting.err;
    EXPECT_EQ(with_burst("0"), containers());
    ASSERT_TRUE(mend());
    const Ran mended = restore();
    EXPECT_EQ(mended.exit_status, 0) << mended.err;
    EXPECT_EQ(with_burst("0"), containers());
  }
  [[nodiscard]] std::size_t containers() const { return 3 * pods_.services.size(); }
  /// How many containers of services have this burst.
  [[nodiscard]] std::size_t with_burst(const std::string& us) const {
    std::size_t count = 0;
    for (const auto& pod : pods_.services)
      for (const char* container : {"/c0", "/c1", "/c2"})
        if (text_of_file(cgroups_.burst_file(pod + container)) == us + "\n") ++count;
    return count;
  }
  [[nodiscard]] bool all_get(const std::string& us) const {
    return soon([&] { return with_burst(us) == containers(); }, 60s);
  }

  LiveCgroups cgroups_{};
  StateDir dir_{};
  SmallDisk disk_{dir_.path + "/state"};
  Population pods_{};
};

TEST_F(LiveFullDisk, AtTheStartNothingIsWrittenUntilThereIsRoom) {
  disk_.fill();
  LiveAgent agent(args());
  ASSERT_TRUE(agent.logged("errno=ENOSPC", 20s)) << agent.log();
  EXPECT_EQ(with_burst("0"), containers());
  disk_.make_room();
  EXPECT_TRUE(all_get("50000")) << agent.log();
  agent.stop();
  EXPECT_EQ(agent.exit_status(), 0) << agent.log();
  EXPECT_EQ(with_burst("0"), containers());
}

TEST_F(LiveFullDisk, InATickAValueWaitsAndAtTheStopAllAreRestored) {
  LiveAgent agent(args());
  ASSERT_TRUE(all_get("50000")) << agent.log();
  disk_.fill();
  configure(80);
  ASSERT_TRUE(agent.logged("errno=ENOSPC", 20s)) << agent.log();
  const auto waiting = with_burst("50000");
  EXPECT_GT(waiting, 0U);
  EXPECT_EQ(waiting + with_burst("80000"), containers());
  agent.stop();
  EXPECT_EQ(agent.exit_status(), 0) << agent.log();
  EXPECT_EQ(with_burst("0"), containers());

  expect_journal_waits(std::string(kNotUpToDate) + "ENOSPC", [&] {
    disk_.make_room();
    return true;
  });
}

class LiveReadOnlyDisk : public LiveFullDisk {};

TEST_F(LiveReadOnlyDisk, AStartIsRefusedAndRestoreWorks) {
  LiveAgent agent(args());
  ASSERT_TRUE(all_get("50000")) << agent.log();
  agent.kill();
  ASSERT_TRUE(disk_.make_read_only());

  LiveAgent next(args());
  ASSERT_TRUE(soon([&] { return !next.alive(); })) << next.log();
  next.stop();
  EXPECT_EQ(next.exit_status(), 1);
  EXPECT_NE(next.log().find("EROFS"), std::string::npos) << next.log();
  EXPECT_EQ(with_burst("50000"), containers());

  expect_journal_waits(std::string(kNotUpToDate) + "EROFS", [&] { return disk_.make_writable(); });
}

class LiveFailingDisk : public LiveFullDisk {
 protected:
  void SetUp() override {
    LiveFullDisk::SetUp();
    if (!IsSkipped() && !failing_.why_not().empty()) GTEST_SKIP() << failing_.why_not();
  }
  FailingDisk failing_{disk_.path()};  // mounted over the other one
};

TEST_F(LiveFailingDisk, ThatIsReadOnlyFromATickOnTakesNoNewValueAndAllAreRestored) {
  LiveAgent agent(args());
  ASSERT_TRUE(all_get("50000")) << agent.log();
  const int refused = failing_.fail();
  if (refused == 0) GTEST_SKIP() << "this kernel still takes writes into open files of a disk with an error";
  const std::string why = ::strerrorname_np(refused);
  configure(80);
  ASSERT_TRUE(agent.logged("errno=" + why, 20s)) << agent.log();
  EXPECT_EQ(with_burst("50000"), containers()) << "80000 could not be put on record";
  EXPECT_TRUE(agent.alive());
  agent.stop();
  EXPECT_EQ(agent.exit_status(), 0) << agent.log();
  EXPECT_EQ(with_burst("0"), containers());

  const bool readable = refused == EROFS;
  expect_journal_waits((readable ? kNotUpToDate : disk_.path() + ": ") + why,
                       [&] { return failing_.mend(); });
}

}  // namespace
}  // namespace evenkeel::test
