// The sampler on the real kernel: cgroups of our own with real load, and the resulting measurements.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <functional>
#include <thread>

#include "collectors/per_cgroup/roster.h"
#include "collectors/sampler.h"
#include "tests/support/alloc_guard.h"
#include "tests/support/live/live_cgroups.h"

namespace evenkeel {
namespace {

using namespace literals;
using namespace std::chrono_literals;

bool put(const std::string& path, const std::string& text) {
  std::ofstream out(path);
  out << text;
  out.close();
  return !out.fail();
}

/// A child process that does `work` once it is in its cgroup; killed at the end.
class Worker {
 public:
  Worker(const test::LiveCgroups& live, const std::string& path, const std::function<void()>& work) {
    pid_ = ::fork();
    if (pid_ != 0) return;
    for (const auto controller : {Controller::cpu, Controller::cpuacct, Controller::memory})
      if (!live.layout().root(controller).empty()) put(live.file(controller, path, "cgroup.procs"), "0");
    if (!live.layout().unified.empty())
      put(live.host().absolute(live.layout().unified + '/' + live.top() + '/' + path + "/cgroup.procs"), "0");
    work();
    ::_exit(0);
  }
  ~Worker() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

 private:
  pid_t pid_ = -1;
};

void spin() {
  volatile bool go_on = true;
  while (go_on) {
  }
}

struct SamplerLive : testing::Test {
  void SetUp() override {
    if (!live.why_not().empty()) GTEST_SKIP() << live.why_not();
    delegate("");
    for (const char* path : {"kubepods", "kubepods/burstable", "kubepods/burstable/podaa-bb"}) {
      live.make(path);
      delegate(path);
    }
    live.make(kContainer);
    if (::access(live.quota_file(kContainer).c_str(), R_OK) != 0) GTEST_SKIP() << "no cpu controller here";
    tree.emplace(live.host(), live.layout());
    tree->scan();
    per_cgroup::build_roster(*tree, nullptr, nullptr, node);
    sampler.emplace(live.host(), collectors::SamplerOptions{.slow_files_every_tick = true});
    sampler->follow(*tree);
  }
  void delegate(const std::string& path) {
    if (!v2()) return;
    const auto dir = live.host().absolute(live.layout().unified + '/' + live.top() + '/' + path);
    for (const char* controller : {"+cpu", "+memory", "+cpuset"})
      put(dir + "/cgroup.subtree_control", controller);
  }
  [[nodiscard]] bool v2() const { return live.layout().v2(Controller::cpu); }
  [[nodiscard]] bool has(Controller controller, const std::string& name) const {
    return !live.layout().root(controller).empty() &&
           ::access(live.file(controller, kContainer, name).c_str(), R_OK) == 0;
  }
  void limit_to_a_fifth() { ASSERT_TRUE(put(live.quota_file(kContainer), "20000")); }
  void tick() {
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    sampler->collect(node, MonoTime(std::chrono::duration_cast<Duration>(now)));
  }
  [[nodiscard]] const CgroupSample& container() const { return node.cgroups.back(); }

  const std::string kContainer = "kubepods/burstable/podaa-bb/" + std::string(64, 'c');
  test::LiveCgroups live{};
  std::optional<tree::CgroupTree> tree{};
  std::optional<collectors::Sampler> sampler{};
  NodeSnapshot node{};
};

TEST_F(SamplerLive, RealThrottlingIsSeen) {
  limit_to_a_fifth();
  const Worker worker(live, kContainer, spin);
  std::this_thread::sleep_for(200ms);
  tick();
  EXPECT_FALSE(container().cpu_use);
  std::this_thread::sleep_for(1s);
  tick();
  ASSERT_TRUE(container().throttling);
  EXPECT_GE(container().throttling->periods, 5);
  EXPECT_GE(container().throttling->throttled_periods, 5);
  EXPECT_LE(container().throttling->throttled_periods, container().throttling->periods);
  EXPECT_GT(container().throttling->throttled_time, 100ms);
  ASSERT_TRUE(container().cpu_use);
  EXPECT_GT(container().cpu_use, 50_mcpu);
  EXPECT_LT(container().cpu_use, 400_mcpu);  // 20 ms in each 100 ms
  EXPECT_EQ(container().applied.cpu_limit, (CpuLimit{20000_us_cpu, 100ms}));
  // The pod includes its container's use.
  const auto* pod = node.cgroup(container().parent);
  ASSERT_TRUE(pod && pod->cpu_use);
  EXPECT_GT(pod->cpu_use, 50_mcpu);
}

TEST_F(SamplerLive, ThrottlingIsPressureToo) {
  tick();
  if (!container().pressure.cpu) GTEST_SKIP() << "no pressure per cgroup on this kernel";
  limit_to_a_fifth();
  const Worker worker(live, kContainer, spin);
  std::this_thread::sleep_for(700ms);
  for (int i = 0; i < 2; ++i) tick();  // pressure is due every second tick
  ASSERT_TRUE(container().pressure.cpu);
  EXPECT_GT(container().pressure.cpu->some.total, 100ms);
}

TEST_F(SamplerLive, TouchedMemoryIsSeen) {
  if (!has(Controller::memory, "memory.stat")) GTEST_SKIP() << "no memory controller here";
  tick();
  ASSERT_TRUE(container().memory.current);
  EXPECT_LT(container().memory.current, 32_MiB);
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const Worker worker(live, kContainer, [&] {
    constexpr std::size_t kSize = 64 << 20;
    auto* memory = static_cast<char*>(
        ::mmap(nullptr, kSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    for (std::size_t at = 0; at < kSize; at += 4096) memory[at] = 1;
    (void)!::write(ready[1], "x", 1);
    ::pause();
  });
  char touched = 0;
  ASSERT_EQ(::read(ready[0], &touched, 1), 1);
  ::close(ready[0]);
  ::close(ready[1]);
  for (int i = 0; i < 5; ++i) tick();  // memory.stat is due at least once
  EXPECT_GE(container().memory.current, 60_MiB);
  EXPECT_GE(container().memory.working_set, 60_MiB);
  EXPECT_GE(container().memory.anonymous, 60_MiB);
  EXPECT_LT(container().memory.anonymous, 80_MiB);
  ASSERT_TRUE(container().memory.page_cache);
  EXPECT_TRUE(container().memory.events);
}

TEST_F(SamplerLive, ARemovedCgroupIsAbsent) {
  tick();
  tick();
  EXPECT_TRUE(container().cpu_use);
  live.remove(kContainer);
  tick();
  EXPECT_FALSE(container().cpu_use);
  EXPECT_FALSE(container().throttling);
  EXPECT_FALSE(container().memory.current);
  EXPECT_FALSE(container().pressure.cpu);
}

/// The kernel removes the files of a controller and makes new ones; the directory stays.
TEST_F(SamplerLive, AControllerThatIsSwitchedOffAndOnIsReadAgain) {
  if (!v2()) GTEST_SKIP() << "on v1 the files of a controller stay";
  const auto pod =
      live.host().absolute(live.layout().unified + '/' + live.top() + "/kubepods/burstable/podaa-bb");
  const auto switch_to = [&](const char* what) { return put(pod + "/cgroup.subtree_control", what); };
  for (int i = 0; i < 20; ++i) tick();
  const auto shares = container().applied.cpu_shares;
  ASSERT_TRUE(shares && container().memory.current);
  ASSERT_TRUE(switch_to("-cpu") && switch_to("-memory"));
  for (int i = 0; i < 20; ++i) tick();
  EXPECT_FALSE(container().applied.cpu_shares || container().memory.current);
  ASSERT_TRUE(switch_to("+cpu") && switch_to("+memory"));
  for (int i = 0; i < 60; ++i) tick();
  EXPECT_EQ(container().applied.cpu_shares, shares);
  EXPECT_TRUE(container().memory.current);
}

TEST_F(SamplerLive, ThisMachinesValuesArePlausible) {
  tick();
  std::this_thread::sleep_for(300ms);
  tick();
  EXPECT_EQ(node.node.cpu_capacity, MilliCpu(::sysconf(_SC_NPROCESSORS_ONLN) * 1000));
  ASSERT_TRUE(node.node.cpu_use);
  EXPECT_GE(node.node.cpu_use, 0_mcpu);
  EXPECT_LE(node.node.cpu_use->count(), node.node.cpu_capacity.count() * 11 / 10);
  ASSERT_TRUE(node.node.memory);
  EXPECT_GT(node.node.memory->available, 0_B);
  EXPECT_TRUE(node.node.memory->free && node.node.memory->page_cache);
  EXPECT_EQ(node.topology.cpus.size(), node.topology.online.size());
  EXPECT_TRUE(sampler->health().disabled.empty() || !node.node.pressure.cpu);
}

TEST_F(SamplerLive, ASteadyTickOnRealFilesAllocatesNothing) {
  for (int i = 0; i < 30; ++i) tick();
  const test::AllocGuard guard;
  for (int i = 0; i < 100; ++i) tick();
  EXPECT_EQ(guard.allocations(), 0u);
}

}  // namespace
}  // namespace evenkeel
