// When best effort is limited on a disk, how far, and when it gets it back.
#include "qos/io/disk_suppress.h"

#include <gtest/gtest.h>

#include <functional>

#include "tests/qos/io/disk_suppress_scene.h"
#include "tests/support/alloc_guard.h"

namespace evenkeel {
namespace {

using namespace literals;
using std::chrono::milliseconds;
using std::chrono::seconds;
using test::intended;
using test::kMoves;
using test::kVda;
using test::kVdb;
using test::usual;
using Scene = test::DiskScene;

TEST(DiskSuppress, LimitsBestEffortToASmallPartAtOnce) {
  Scene scene;
  scene.pass(seconds(9));
  EXPECT_EQ(scene.limit(), -1) << "ten seconds are needed";
  scene.pass(seconds(6));
  EXPECT_EQ(scene.limit_mib(), 20) << "2 % of 1000 MiB/s";
  EXPECT_EQ(scene.limit(Knob::io_read_bps), scene.limit());
  EXPECT_EQ(scene.limit(Knob::io_write_iops), 80);
  EXPECT_EQ(scene.limit(Knob::io_read_iops), 80);
  EXPECT_EQ(scene.limit(Knob::io_write_bps, kVdb), -1) << "the other disk is idle";
}

TEST(DiskSuppress, GrowsWhileTheServiceDoesNotWaitLonger) {
  Scene scene;
  scene.pass(seconds(300));
  std::int64_t most = 0, least = INT64_MAX;
  for (int i = 0; i < 1800; ++i) {
    scene.tick();
    most = std::max(most, scene.limit_mib());
    least = std::min(least, scene.limit_mib());
  }
  EXPECT_GE(least, 30) << "more than the first limit of 20 MiB/s";
  EXPECT_LE(most, 96) << "one step beyond the 64 MiB/s that the service bears";
  EXPECT_GT(most, 64) << "and it goes on trying that";
}

// A disk with a bandwidth of its own, as clouds sell them: services wait as soon as it is used up.
TEST(DiskSuppress, LeavesBestEffortNearlyAllOfADiskThatServicesShareUpToItsBandwidth) {
  Scene scene;
  scene.waits = [](std::int64_t moves) { return moves > kMoves * 9 / 10 ? 300 : 20; };
  scene.pass(seconds(900));
  int waits = 0;
  std::int64_t least = INT64_MAX;
  for (int i = 0; i < 3600; ++i) {
    scene.tick();
    const std::int64_t limit = scene.limit_mib() < 0 ? 1000 : scene.limit_mib();
    least = std::min(least, limit);
    waits += limit > 900 ? 1 : 0;
  }
  EXPECT_GE(least, 400);
  EXPECT_LE(waits, 3600 / 20) << "it is never lifted, and a step too far is tried rarely";
}

TEST(DiskSuppress, TriesTheNextStepMoreAndMoreRarely) {
  Scene scene;
  scene.pass(seconds(300));
  const auto seconds_beyond = [&] {
    int beyond = 0;
    for (int i = 0; i < 3600; ++i) {
      scene.tick();
      beyond += scene.limit_mib() > 64 ? 1 : 0;
    }
    return beyond;
  };
  const int first_hour = seconds_beyond();
  EXPECT_LT(first_hour, 3600 / 20);
  EXPECT_LT(seconds_beyond(), 3600 / 40);
}

TEST(DiskSuppress, IsLiftedAndRestsIfNoServiceWaitsLess) {
  Scene scene;
  scene.waits = [](std::int64_t /*moves*/) { return 300; };
  scene.pass(seconds(20));
  EXPECT_EQ(scene.limit_mib(), 20);
  scene.pass(seconds(25));
  EXPECT_EQ(scene.limit(), -1) << "it was of no use";
  int limited = 0;
  const auto an_hour = [&] {
    limited = 0;
    for (int i = 0; i < 3600; ++i) {
      scene.tick();
      limited += scene.limit() >= 0 ? 1 : 0;
    }
    return limited;
  };
  EXPECT_LE(an_hour(), 3 * 25) << "tried again after 10, 20 and 40 minutes";
  EXPECT_LE(an_hour(), 2 * 25) << "later every two hours";
}

TEST(DiskSuppress, TriesTheNextDiskWhereTheBusiestIsNotTheOne) {
  Scene scene;
  scene.waits = [&](std::int64_t /*on_vda*/) {
    const auto limit = scene.limit(Knob::io_write_bps, kVdb);
    const std::int64_t moves = limit < 0 ? kMoves / 2 : limit;
    auto& vdb = scene.node.disk_use[1];
    vdb.moved += Bytes(moves), *vdb.besteffort_moved += Bytes(moves);
    vdb.requests += 1000, vdb.busy += milliseconds(900);
    return moves > 64 << 20 ? 300 : 20;
  };
  scene.pass(seconds(20));
  EXPECT_EQ(scene.limit_mib(), 20) << "best effort moves most there";
  scene.pass(seconds(40));
  EXPECT_EQ(scene.limit(), -1) << "of no use";
  EXPECT_EQ(scene.limit(Knob::io_write_bps, kVdb) >> 20, 10);
  int limited = 0;
  for (int i = 0; i < 3600; ++i) {
    scene.tick();
    EXPECT_EQ(scene.limit(), -1);
    limited += scene.limit(Knob::io_write_bps, kVdb) >= 0 ? 1 : 0;
  }
  EXPECT_EQ(limited, 3600);
}

TEST(DiskSuppress, ServicesThatGoBeforeALimitIsJudgedSayNothingAboutIt) {
  Scene scene;
  scene.pass(seconds(20));
  ASSERT_GE(scene.limit(), 0);
  auto& pressure = scene.node.cgroups[scene.service()].pressure.io;
  pressure.reset();
  scene.pass(seconds(25));
  EXPECT_EQ(scene.limit(), -1);
  pressure = Pressure{};
  scene.pass(seconds(40));
  EXPECT_GE(scene.limit(), 0) << "without a rest";
}

// What the kernel does for a process that writes much keeps a CPU from a service that needs no disk.
TEST(DiskSuppress, CountsWaitsForACpuAsWell) {
  Scene scene;
  scene.waits = [](std::int64_t /*moves*/) { return 0; };
  scene.waits_for_cpu = [](std::int64_t moves) { return moves > 64 << 20 ? 60 : 11; };
  scene.pass(seconds(60));
  EXPECT_GE(scene.limit_mib(), 20);
  scene.waits_for_cpu = [](std::int64_t /*moves*/) { return 60; };
  scene.pass(seconds(300));
  EXPECT_EQ(scene.limit(), -1) << "it waits for other tasks";
}

// Where the CPUs have other work as well, requests are no faster with a limit that takes away half of the
// waits.
TEST(DiskSuppress, AsksMoreOfALimitWhereTheServiceWaitsForACpuOnly) {
  Scene scene;
  scene.waits = [](std::int64_t /*moves*/) { return 0; };
  scene.waits_for_cpu = [](std::int64_t moves) { return moves > 64 << 20 ? 138 : 60; };
  scene.pass(seconds(60));
  EXPECT_EQ(scene.limit(), -1);
  auto& useless = scene.state.of<io::DiskSuppressState>().useless;
  ASSERT_EQ(useless.size(), 1U) << "it was tried";
  useless.clear();
  scene.waits_for_cpu = [](std::int64_t moves) { return moves > 64 << 20 ? 138 : 40; };
  scene.pass(seconds(60));
  EXPECT_GE(scene.limit_mib(), 20);
}

// Below the threshold it waits for the disk mostly for its own requests: no reason to call a limit useless.
TEST(DiskSuppress, LooksAtWaitsForACpuOnlyWhereTheServiceWaitsTooLittleForDisks) {
  Scene scene;
  scene.waits = [](std::int64_t /*moves*/) { return 45; };
  scene.waits_for_cpu = [](std::int64_t moves) { return moves > 64 << 20 ? 136 : 37; };
  scene.pass(seconds(60));
  EXPECT_GE(scene.limit_mib(), 20);
}

TEST(DiskSuppress, GoesByTheServicesThatAreRelieved) {
  Scene scene(usual().pod("backup").ls().container("backup"));
  const auto backup = static_cast<std::size_t>(scene.node.pods[2].cgroup);
  for (int i = 0; i < 60; ++i) {
    scene.stalls[backup] += milliseconds(950);  // it waits for its own requests, whatever best effort does
    scene.tick();
  }
  EXPECT_GE(scene.limit_mib(), 20) << "the database waits less";
}

TEST(DiskSuppress, EndsWhenBestEffortHasDoneItsWork) {
  Scene scene;
  scene.pass(seconds(60));
  EXPECT_GE(scene.limit_mib(), 20);
  scene.besteffort_moves = [](std::int64_t /*allowed*/) { return 0; };
  scene.besteffort_stalls = {};
  scene.pass(seconds(300));
  EXPECT_EQ(scene.limit(), -1);
  scene.pass(seconds(600));
  EXPECT_EQ(scene.limit(), -1);
}

TEST(DiskSuppress, DoesNothingWithoutItsReasons) {
  const auto limited = [](const std::function<void(Scene&)>& change) {
    Scene scene;
    change(scene);
    scene.pass(seconds(60));
    return scene.limit() >= 0;
  };
  EXPECT_TRUE(limited([](Scene&) {}));
  EXPECT_FALSE(limited([](Scene& s) { s.waits = [](std::int64_t) { return 90; }; })) << "less than 10 %";
  EXPECT_FALSE(limited([](Scene& s) { s.besteffort_stalls = milliseconds(50); })) << "it does not use disks";
  EXPECT_FALSE(limited([](Scene& s) { s.disk_busy = milliseconds(400); })) << "no disk is busy";
  EXPECT_FALSE(limited([](Scene& s) {
    s.waits = [&s](std::int64_t) {
      s.node.disk_use[0].moved += Bytes(10 * kMoves);
      return 300;
    };
  })) << "others move ten times as much";
  EXPECT_FALSE(limited([](Scene& s) { s.node.disk_use.clear(), s.node.disk_use.resize(2); }));
  EXPECT_FALSE(limited([](Scene& s) { s.node.cgroups[s.service()].pressure.io.reset(); }))
      << "what services wait is not known";
  EXPECT_FALSE(limited([](Scene& s) { s.node.cgroups[s.besteffort()].hands_off = true; }));
}

TEST(DiskSuppress, TakesTheBusiestDiskWhereBestEffortsPartIsNotKnown) {
  Scene scene;
  for (auto& use : scene.node.disk_use) use.besteffort_moved.reset();
  scene.pass(seconds(30));
  EXPECT_EQ(scene.limit_mib(), 20);
}

TEST(DiskSuppress, NeverStopsBestEffort) {
  Scene scene;
  scene.besteffort_moves = [](std::int64_t allowed) { return std::min<std::int64_t>(allowed, 10 << 20); };
  scene.waits = [](std::int64_t moves) { return moves > 5 << 20 ? 300 : 20; };
  scene.pass(seconds(30));
  EXPECT_EQ(scene.limit_mib(), 4) << "not 2 % of 10 MiB/s";
  EXPECT_EQ(scene.limit(Knob::io_write_iops), 50);
}

TEST(DiskSuppress, WaitsForTheEndOfATrial) {
  Scene scene;
  scene.pass(seconds(60));
  const auto before = scene.limit();
  ASSERT_GE(before, 0);
  scene.on_trial().disk_suppression = true;
  scene.waits = [](std::int64_t /*moves*/) { return 300; };  // proof withholds the limit now and then
  scene.pass(seconds(90));
  EXPECT_EQ(scene.limit(), before) << "neither grown nor lifted";
  scene.on_trial().disk_suppression = false;
  scene.waits = [](std::int64_t /*moves*/) { return 20; };
  scene.pass(seconds(60));
  EXPECT_GT(scene.limit(), before);
}

TEST(DiskSuppress, IsLookedAtAnewWhenItHelpsNoLonger) {
  Scene scene;
  scene.pass(seconds(60));
  ASSERT_GE(scene.limit(), 0);
  scene.waits = [](std::int64_t /*moves*/) { return 400; };  // its own requests have become many
  bool lifted = false, tried = false;
  for (int i = 0; i < 300; ++i) {
    scene.tick();
    lifted |= scene.limit() < 0;
    tried |= lifted && scene.limit() >= 0;
  }
  EXPECT_TRUE(tried) << "with what it waits now as the measure";
  EXPECT_EQ(scene.limit(), -1) << "of no use";
}

TEST(DiskSuppress, EndsWithTheServicesItIsFor) {
  Scene scene;
  scene.pass(seconds(60));
  ASSERT_GE(scene.limit(), 0);
  scene.node.cgroups[scene.service()].pressure.io.reset();
  scene.pass(seconds(30));
  EXPECT_EQ(scene.limit(), -1);
}

TEST(DiskSuppress, AllocatesNothingInASteadyTick) {
  Scene scene;
  scene.pass(seconds(300));
  for (int i = 0; i < 60; ++i) {
    scene.node.at += seconds(1);
    if (i % 5 == 0) scene.read();
    scene.out.clear();
    const test::AllocGuard guard;
    test::decide_one(io::disk_suppress_policy, scene.node, scene.slo, scene.state, scene.out);
    EXPECT_EQ(guard.allocations(), 0U);
  }
}

}  // namespace
}  // namespace evenkeel
