// The task walk over real containers, compared with the BPF program's measurements, and its cost.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <ctime>
#include <memory>
#include <vector>

#include "cgroup/base/result.h"
#include "collectors/per_cgroup/roster.h"
#include "collectors/run_queue/task_walk.h"
#include "tests/support/live/pinned_task.h"
#include "tests/support/live/run_queue_node.h"

namespace evenkeel::test {
namespace {

using namespace std::chrono_literals;

double in_ms(Duration time) { return std::chrono::duration<double, std::milli>(time).count(); }

double own_cpu_us() {
  timespec time{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e6 + static_cast<double>(time.tv_nsec) / 1e3;
}

/// The same containers, without BPF.
class LiveTaskWalk : public testing::Test {
 protected:
  void SetUp() override {
    if (!node_.cgroups().why_not().empty()) GTEST_SKIP() << node_.cgroups().why_not();
    tree_.emplace(node_.cgroups().host(), node_.cgroups().layout());
    tree_->scan();
    per_cgroup::build_roster(*tree_, nullptr, nullptr, seen_);
    walk_.follow(*tree_);
  }
  void look() {
    collectors::Tick tick{node_.cgroups().host(), buffer_, seen_};
    ASSERT_EQ(walk_.scan(tick, true), "");
  }
  [[nodiscard]] run_queue::TaskWalk::Result of(const std::string& pod) const {
    const auto* cgroup = tree_->find_path(node_.cgroups().top() + '/' + RunQueueNode::container(pod));
    for (const auto& one : walk_.seen())
      if (cgroup != nullptr && one.cgroup == cgroup->id) return one;
    return {};
  }
  [[nodiscard]] PinnedTask task(const std::string& pod, int cpu, const std::function<void()>& work) {
    return {node_.cgroups(), RunQueueNode::container(pod), cpu, work};
  }

  RunQueueNode node_{{"aa", "bb"}};
  std::optional<tree::CgroupTree> tree_{};
  NodeSnapshot seen_{};
  run_queue::TaskWalk walk_{};
  std::array<char, 4096> buffer_{};
};

TEST_F(LiveTaskWalk, AgreesWithTheBpfProgramOnTwoHogs) {
  if (const auto why = node_.why_not(); !why.empty()) GTEST_SKIP() << why;
  const auto a = task("aa", 0, spin), b = task("bb", 0, spin);
  ASSERT_TRUE(a.why_not().empty() && b.why_not().empty()) << a.why_not();
  node_.begin();
  look();
  node_.watch(2s);
  for (const auto* one : {&a, &b}) one->hold();
  node_.add();
  look();
  for (const char* pod : {"aa", "bb"}) {
    const auto since = of(pod).since;
    ASSERT_TRUE(since) << pod;
    const auto bpf = node_.waited(pod);
    std::printf("%s: waited %.1f ms by schedstat, %.1f ms by BPF\n", pod, in_ms(since->waited), in_ms(bpf));
    if (bpf < 100ms) GTEST_SKIP() << "they hardly met";
    EXPECT_GT(since->waited, bpf * 8 / 10) << pod;
    EXPECT_LT(since->waited, bpf * 12 / 10) << pod;
  }
}

TEST_F(LiveTaskWalk, CountsRunningTasks) {
  const auto a = task("aa", 0, spin), b = task("aa", 1, spin), asleep = task("aa", 0, [] { ::pause(); });
  ASSERT_TRUE(a.why_not().empty() && b.why_not().empty() && asleep.why_not().empty()) << a.why_not();
  ::usleep(200'000);
  look();
  EXPECT_EQ(of("aa").running, 2);
  EXPECT_EQ(of("aa").uninterruptible, 0);
  EXPECT_EQ(of("bb").running, 0);
}

/// Reads both files of each of these tasks, without using them.
void read_bare(const std::vector<std::unique_ptr<PinnedTask>>& tasks) {
  std::array<char, 512> text{};
  for (const auto& task : tasks)
    for (const char* file : {"/stat", "/schedstat"}) {
      const Fd fd(::open(("/proc/" + std::to_string(task->pid()) + file).c_str(), O_RDONLY | O_CLOEXEC));
      ASSERT_GT(::read(fd.get(), text.data(), text.size()), 0);
    }
}

TEST_F(LiveTaskWalk, CostsLittleMoreThanTheBareReads) {
  std::vector<std::unique_ptr<PinnedTask>> tasks;
  for (int i = 0; i < 40; ++i)
    tasks.push_back(
        std::make_unique<PinnedTask>(node_.cgroups(), RunQueueNode::container("aa"), -1, [] { ::pause(); }));
  ASSERT_TRUE(tasks.back()->why_not().empty()) << tasks.back()->why_not();
  look();
  double walk_us = 1e9, bare_us = 1e9;
  for (int round = 0; round < 20; ++round) {
    const double before = own_cpu_us();
    look();
    const double between = own_cpu_us();
    read_bare(tasks);
    walk_us = std::min(walk_us, between - before);
    bare_us = std::min(bare_us, own_cpu_us() - between);
  }
  std::printf("%.1f us of CPU a task, %.1f by bare reads\n", walk_us / 40, bare_us / 40);
  EXPECT_LT(walk_us, 4 * bare_us);
}

}  // namespace
}  // namespace evenkeel::test
