// Orders carried out on a fake host: at once and by the thread; what ends them.
#include "cgroup/reclaim/reclaimer.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <thread>

#include "cgroup/executor/file_writer.h"
#include "tests/support/fakes/fake_host.h"
#include "tests/support/soon.h"

namespace evenkeel {
namespace {

using namespace evenkeel::literals;
using How = reclaim::Reclaimer::How;
using std::chrono::milliseconds;
using test::FakeHost;
using test::soon;

struct Scene {
  Scene() {
    pod = fake.pod(KubeQos::burstable, "11-22", {"c1"});
    container = pod + "/c1";
    tree.scan();
    uses("200000000");
  }
  ~Scene() {
    if (pipe >= 0) ::close(pipe);
  }
  Scene(const Scene&) = delete;
  Scene& operator=(const Scene&) = delete;

  /// In place, since the files are held open.
  void put(const char* file, const std::string& text) const {
    const auto path = fake.root() + '/' + fake.dir_of(Controller::memory, container) + '/' + file;
    const int fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    EXPECT_EQ(::pwrite(fd, text.data(), text.size(), 0), static_cast<ssize_t>(text.size())) << path;
    ::close(fd);
  }
  void uses(const std::string& bytes) const { put("memory.current", bytes + "\n"); }
  void stalled_us(const std::string& total) const {
    put("memory.pressure", "some avg10=0.00 avg60=0.00 avg300=0.00 total=" + total + "\n");
  }
  [[nodiscard]] std::string asked() const {
    return fake.read(Controller::memory, container, reclaim::kReclaimFile);
  }
  [[nodiscard]] CgroupId id() const { return tree.find_path(container)->id; }
  [[nodiscard]] ReclaimOrder order() const {
    return {.target = id(),
            .above = Bytes(100000000),
            .down_to = Bytes(90000000),
            .most = 64_MiB,
            .rationed = true,
            .stall_allowed = milliseconds(20)};
  }
  /// A pipe that is full stands in for a kernel that takes its time.
  void block() {
    const auto path =
        fake.root() + '/' + fake.dir_of(Controller::memory, container) + '/' + reclaim::kReclaimFile;
    ::unlink(path.c_str());
    ::signal(SIGPIPE, SIG_IGN);  // as the program does
    ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
    pipe = ::open(path.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC);
    const std::string much(4096, 'x');
    while (::write(pipe, much.data(), much.size()) > 0) {
    }
  }
  void unblock() const {
    std::string much(4096, 'x');
    while (::read(pipe, much.data(), much.size()) > 0) {
    }
  }

  FakeHost fake{};
  FakeHost& ready = fake.machine().v2().kubepods();  ///< before the reclaimer looks at it
  Host host = std::move(*Host::open(fake.root()));
  tree::CgroupTree tree{host, *tree::detect_layout(host, "")};
  std::string pod{}, container{};
  int pipe = -1;
};

ReclaimOutcome outcome(reclaim::Reclaimer& reclaimer) {
  std::vector<ReclaimOutcome> all;
  reclaimer.report(all);
  return all.empty() ? ReclaimOutcome{} : all.front();
}

TEST(Reclaimer, SaysWhatTheKernelHas) {
  const Scene scene;
  reclaim::Reclaimer reclaimer(scene.tree, How::by_thread);
  EXPECT_TRUE(reclaimer.ability().on_demand);
  EXPECT_FALSE(reclaimer.ability().file_only) << "a plain file is not asked";
  EXPECT_EQ(scene.asked(), "");
  FakeHost old;
  old.machine().v1().kubepods();
  const auto host = std::move(*Host::open(old.root()));
  tree::CgroupTree tree(host, *tree::detect_layout(host, ""));
  tree.scan();
  EXPECT_FALSE(reclaim::Reclaimer(tree, How::by_thread).ability().on_demand);
}

TEST(Reclaimer, AtOnceOneWriteDoesAllThatIsOrdered) {
  const Scene scene;
  reclaim::Reclaimer reclaimer(scene.tree, How::at_once);
  auto order = scene.order();
  reclaimer.follow({order});
  EXPECT_EQ(scene.asked(), "67108864\n") << "its share";
  ASSERT_EQ(reclaimer.done().size(), 1U);
  EXPECT_EQ(reclaimer.done()[0].requested, 64_MiB);
  EXPECT_EQ(outcome(reclaimer).requested, 64_MiB);
  scene.uses("095000000");
  order.file_only = true;
  reclaimer.follow({order});
  EXPECT_EQ(scene.asked(), "5000000 swappiness=0\n") << "below the first mark it goes on to the second";
  scene.uses("089000000");
  reclaimer.follow({order});
  EXPECT_TRUE(reclaimer.done().empty());
  scene.uses("095000000");
  reclaimer.follow({order});
  EXPECT_TRUE(reclaimer.done().empty()) << "not above the first mark again";
  EXPECT_EQ(reclaimer.counters().chunks, 2U);
  EXPECT_EQ(reclaimer.counters().requested_bytes, 72108864U);
}

TEST(Reclaimer, StopsWhenTheTasksAreStalledUnlessTheyAreAtTheirLimit) {
  const Scene scene;
  reclaim::Reclaimer reclaimer(scene.tree, How::at_once);
  auto order = scene.order();
  scene.stalled_us("1000000");
  reclaimer.follow({order});
  EXPECT_EQ(outcome(reclaimer).end, ReclaimEnd::going) << "what was before is none of our making";
  scene.stalled_us("1030000");
  reclaimer.follow({order});
  EXPECT_EQ(outcome(reclaimer).end, ReclaimEnd::pressure);
  EXPECT_TRUE(reclaimer.done().empty());
  EXPECT_EQ(reclaimer.counters().stopped_by_pressure, 1U);
  scene.stalled_us("1090000");
  order.own_stalls_above = Bytes(200000000);
  reclaimer.follow({order});
  EXPECT_EQ(reclaimer.done().size(), 1U);
  scene.stalled_us("1300000");
  order.own_stalls_above = {};
  order.stall_allowed = {};
  reclaimer.follow({order});
  EXPECT_EQ(reclaimer.done().size(), 1U) << "meant to stall";
}

TEST(Reclaimer, WithoutPressureOrUseNothingIsTaken) {
  Scene scene;
  reclaim::Reclaimer reclaimer(scene.tree, How::at_once);
  scene.fake.write(Controller::memory, scene.container, "memory.pressure", "nonsense\n");
  reclaimer.follow({scene.order()});
  EXPECT_EQ(outcome(reclaimer).end, ReclaimEnd::failed);
  scene.put("memory.current", "x");
  reclaimer.follow({scene.order()});
  EXPECT_EQ(outcome(reclaimer).error, EINVAL);
  EXPECT_EQ(scene.asked(), "");
}

TEST(Reclaimer, DryRunTakesNothing) {
  const Scene scene;
  reclaim::Reclaimer reclaimer(scene.tree, How::not_at_all);
  reclaimer.follow({scene.order()});
  EXPECT_EQ(scene.asked(), "");
  EXPECT_EQ(reclaimer.counters().chunks, 0U);
}

TEST(Reclaimer, TheThreadGoesInChunksUntilItsShareIsSpent) {
  const Scene scene;
  reclaim::Reclaimer reclaimer(scene.tree, How::by_thread);
  reclaimer.follow({scene.order()});
  EXPECT_TRUE(soon([&] { return reclaimer.counters().budget_exhausted == 1; }));
  const auto counters = reclaimer.counters();
  EXPECT_EQ(counters.requested_bytes, static_cast<std::uint64_t>((64_MiB).count())) << "not a byte more";
  EXPECT_GT(counters.chunks, 3U);
  EXPECT_EQ(outcome(reclaimer).end, ReclaimEnd::budget);
  EXPECT_EQ(outcome(reclaimer).requested, Bytes{}) << "reported once";
}

TEST(Reclaimer, TheThreadWatchesUntilTheOrderIsTakenBack) {
  const Scene scene;
  scene.uses("095000000");
  reclaim::Reclaimer reclaimer(scene.tree, How::by_thread);
  reclaimer.follow({scene.order()});
  std::this_thread::sleep_for(milliseconds(120));
  EXPECT_EQ(reclaimer.counters().chunks, 0U) << "not above the mark";
  scene.uses("100000001");
  EXPECT_TRUE(soon([&] { return reclaimer.counters().chunks > 0; }));
  reclaimer.follow({});
  EXPECT_TRUE(soon([&] {
    const auto before = reclaimer.counters().chunks;
    std::this_thread::sleep_for(milliseconds(120));
    return reclaimer.counters().chunks == before;
  }));
}

TEST(Reclaimer, StoppingDoesNotWaitForASlowKernel) {
  Scene scene;
  scene.block();
  {
    reclaim::Reclaimer reclaimer(scene.tree, How::by_thread);
    for (int tick = 0; tick < 50; ++tick) {
      reclaimer.follow({scene.order()});
      static_cast<void>(outcome(reclaimer));
      std::this_thread::sleep_for(milliseconds(2));
    }
    EXPECT_EQ(reclaimer.counters().chunks, 0U) << "the first one has not ended";
  }
  scene.unblock();  // and the thread ends without it
}

TEST(Reclaimer, ACgroupThatIsGoneIsNoFailure) {
  Scene scene;
  reclaim::Reclaimer reclaimer(scene.tree, How::at_once);
  const auto order = scene.order();
  scene.fake.remove_cgroup(scene.container);
  reclaimer.follow({order});
  EXPECT_TRUE(reclaimer.done().empty());
  EXPECT_EQ(reclaimer.counters().failures, 0U);
}

}  // namespace
}  // namespace evenkeel
