// Attribution of a CPU's events to cgroups on the real kernel, compared with the kernel's own count of
// running time. The substitute event counts nanoseconds of CPU time, so every container's count is known
// beforehand.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <array>
#include <cstdio>
#include <thread>

#include "collectors/counters/cpu_counters.h"
#include "tests/support/live/counting_node.h"
#include "tests/support/live/guest_kernel.h"
#include "tests/support/live/pinned_task.h"

namespace evenkeel::test {
namespace {

using namespace std::chrono_literals;

std::size_t open_descriptors(const LiveCgroups& cgroups) {
  return cgroups.host().files("proc/self/fd")->size();
}

class LiveCpuCounters : public testing::Test {
 protected:
  void SetUp() override {
    if (!node_.why_not().empty()) GTEST_SKIP() << node_.why_not();
    if (stand_in().empty()) GTEST_SKIP() << "no msr events on this machine";
    auto groups = counters::open_cpu_groups(node_.node().topology, stand_in());
    if (!groups) GTEST_SKIP() << "perf events: " << errno_name(groups.error().code);
    auto counters = counters::CpuCounters::start(
        {.unified = node_.cgroups().layout().v2(Controller::cpu), .cgroups = 8}, std::move(*groups));
    if (!counters) GTEST_SKIP() << no_programs(std::string("BPF: ") + errno_name(counters.error().code));
    counters_.emplace(std::move(*counters));
    watch({"aa", "bb"});
  }
  void watch(const std::vector<std::string>& pods) {
    std::vector<bpf::WatchedCgroup> watched;
    for (const auto* cgroup : node_.tree().all())
      for (const auto& pod : pods)
        if (cgroup->id == node_.id(pod)) watched.push_back({cgroup->id, cgroup->inode});
    ASSERT_EQ(watched.size(), pods.size());
    ASSERT_TRUE(counters_->watch(watched, MonoTime{}));
  }
  [[nodiscard]] PinnedTask task(const std::string& cgroup, int cpu, const std::function<void()>& work) {
    return {node_.cgroups(), cgroup, cpu, work};
  }
  [[nodiscard]] int last_cpu() { return node_.node().topology.cpus.back().id; }
  /// CPU time so far, as the program counted it.
  Duration counted(const std::string& pod) {
    const auto slot = counters_->slot_of(node_.id(pod));
    if (!slot) return Duration(-1);
    counters_->read(*slot, cells_);
    Duration sum{};
    for (const auto& cell : cells_) {
      const auto reading = counters_->difference({}, cell);
      if (!reading) return Duration(-1);
      EXPECT_EQ(reading->enabled_ns, reading->running_ns);
      sum += Duration(static_cast<std::int64_t>(reading->counts[1]));
    }
    return sum;
  }
  /// A pod's count equals its task's running time by the kernel's count, within two bounds, since on a busy
  /// machine much may happen between two readings. Never more, except for steal time, which the substitute's
  /// clock includes; beside other tasks on the CPU a slice is missing now and then (for all events alike, so
  /// that ratios per instruction stay correct).
  bool counted_as_run(const std::string& pod, const PinnedTask& task,
                      const std::function<void()>& meanwhile) {
    const auto stolen_first = stolen(task.cpu());
    const auto ran_first = task.ran();
    const auto before = counted(pod);
    const auto ran_then = task.ran();
    meanwhile();
    const auto ran_at_last = task.ran();
    const auto in_all = counted(pod) - before;
    const auto least = ran_at_last - ran_then, most = task.ran() - ran_first;
    const auto taken = stolen(task.cpu()) - stolen_first;
    std::array<char, 160> line{};
    std::snprintf(line.data(), line.size(), "%s: counted %.3f ms, ran %.3f to %.3f ms, stolen %.0f ms",
                  pod.c_str(), ms(in_all), ms(least), ms(most), ms(taken));
    said_ = line.data();
    std::puts(said_.c_str());
    EXPECT_LT(in_all, most + taken + kTick) << said_;
    return in_all > least - kTick;
  }
  bool counted_as_run(const std::string& pod, const PinnedTask& task) {
    return counted_as_run(pod, task, [] { std::this_thread::sleep_for(500ms); });
  }
  testing::AssertionResult soon(const std::function<bool()>& holds) {
    for (int i = 0; i < 8; ++i)
      if (holds()) return testing::AssertionSuccess();
    return testing::AssertionFailure() << said_;
  }
  /// schedstat of a running task is updated only at its CPU's ticks.
  static constexpr auto kTick = 20ms;
  static double ms(Duration time) { return std::chrono::duration<double, std::milli>(time).count(); }

  CountingNode node_{{"aa", "bb"}};
  std::optional<counters::CpuCounters> counters_{};
  std::vector<CountCell> cells_{};
  std::string said_{};
};

TEST_F(LiveCpuCounters, ATaskAloneOnACpuIsCountedUpToNow) {
  const auto a = task(CountingNode::container("aa"), last_cpu(), spin);
  std::this_thread::sleep_for(50ms);
  EXPECT_TRUE(soon([&] { return counted_as_run("aa", a); }));
  EXPECT_EQ(counted("bb"), Duration::zero());
}

TEST_F(LiveCpuCounters, TwoOnOneCpuAreDistinguished) {
  const auto a = task(CountingNode::container("aa"), 0, spin);
  const auto b = task(CountingNode::container("bb"), 0, [] { work_and_rest(2ms, 1ms); });
  std::this_thread::sleep_for(50ms);
  const auto before_b = counted("bb");
  EXPECT_TRUE(soon([&] {
    bool a_too = false;
    return counted_as_run("bb", b, [&] { a_too = counted_as_run("aa", a); }) && a_too;
  }));
  EXPECT_GT(counted("bb") - before_b, 10ms);
}

TEST_F(LiveCpuCounters, SubCgroupsCountForTheirContainer) {
  const auto nested = CountingNode::container("aa") + "/deeper/still";
  node_.cgroups().make(nested);
  const auto a = task(nested, last_cpu(), spin);
  EXPECT_TRUE(soon([&] { return counted_as_run("aa", a); }));
}

// A task may stay on its CPU for hours; what it did before it was watched must not be counted for any cgroup.
TEST_F(LiveCpuCounters, ARunningTaskIsCountedFromWhenItIsWatched) {
  watch({"bb"});
  const auto a = task(CountingNode::container("aa"), last_cpu(), spin);
  std::this_thread::sleep_for(300ms);
  const auto before = std::chrono::steady_clock::now();
  watch({"aa", "bb"});
  const auto counted_so_far = counted("aa");
  EXPECT_LE(counted_so_far, std::chrono::steady_clock::now() - before);
  EXPECT_TRUE(soon([&] { return counted_as_run("aa", a); }));
}

/// The setting is checked before anything is opened: a process with a very low descriptor limit reports the
/// setting, not its limit.
TEST_F(LiveCpuCounters, MoreDescriptorsThanAllowedAreNeverOpened) {
  counters_.reset();
  const auto cpus = node_.node().topology.cpus.size();
  counters::CounterEvents events;
  for (std::size_t i = 0; i < counters::kCountedKinds; ++i)
    events.push_back({static_cast<counters::CounterKind>(i), 1 /* software */, i});
  if (cpus * events.size() <= 8) GTEST_SKIP() << "one CPU takes no more than 8 descriptors";
  node_.settings.most_counter_descriptors = 8;
  const auto before = open_descriptors(node_.cgroups());
  rlimit limit{}, tight{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &limit), 0);
  tight = {.rlim_cur = before + 4, .rlim_max = limit.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &tight), 0);
  const auto why = counters::make_per_cpu_counting(events, node_.tree(), node_.lent(), node_.settings).error;
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &limit), 0);
  EXPECT_EQ(why, "mostCounterDescriptors is too low: the CPUs take " + std::to_string(cpus * events.size()));
  EXPECT_EQ(open_descriptors(node_.cgroups()), before);
}

TEST_F(LiveCpuCounters, WhenFewerDescriptorsAreAllowedAllAreClosed) {
  counters_.reset();
  const auto before = open_descriptors(node_.cgroups());
  const auto taken = 2 * node_.node().topology.cpus.size();
  node_.settings.most_counter_descriptors = static_cast<std::int64_t>(taken);
  ASSERT_EQ(node_.begin(CounterBackend::per_cpu, stand_in()), "");
  ASSERT_TRUE(node_.tick());
  EXPECT_EQ(node_.node().counters.descriptors, taken) << "as many as are allowed";
  --node_.settings.most_counter_descriptors;
  EXPECT_FALSE(node_.tick()) << "another way has to be found";
  EXPECT_EQ(open_descriptors(node_.cgroups()), before);
}

/// Fifty cgroups per second come and go.
TEST_F(LiveCpuCounters, ChurningCgroupsLeakNothing) {
  counters_.reset();
  ASSERT_EQ(node_.begin(CounterBackend::per_cpu, stand_in()), "");
  node_.tick();
  const auto before = open_descriptors(node_.cgroups());
  for (int round = 0; round < 40; ++round) {
    for (int i = 0; i < 5; ++i) node_.cgroups().make(CountingNode::container(std::to_string(i)));
    node_.look();
    ASSERT_TRUE(node_.tick());
    {
      const auto short_lived = task(CountingNode::container("1"), -1, [] { work_and_rest(1ms, 1ms); });
      std::this_thread::sleep_for(10ms);
    }
    for (int i = 0; i < 5; ++i) node_.cgroups().remove("kubepods/burstable/pod" + std::to_string(i));
    node_.look();
    ASSERT_TRUE(node_.tick());
  }
  EXPECT_EQ(open_descriptors(node_.cgroups()), before);
  EXPECT_EQ(node_.node().counters.descriptors, 2 * node_.node().topology.cpus.size());
  EXPECT_EQ(node_.node().counters.dropped, 0U);
  const auto a = task(CountingNode::container("aa"), 0, spin);
  const auto counts = node_.counts_of("aa", 30);
  ASSERT_TRUE(counts) << node_.node().counters.why;
  EXPECT_GT(counts->instructions, 10'000'000) << "and is counted as before";
  node_.stop();
  EXPECT_LT(open_descriptors(node_.cgroups()), before - 2 * node_.node().topology.cpus.size() - 4)
      << "events, programs and tables are gone";
}

}  // namespace
}  // namespace evenkeel::test
