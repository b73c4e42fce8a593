// Which cgroups wait for a CPU, and because of which, on the real kernel, compared with the kernel's own
// counts.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <thread>

#include "tests/support/alloc_guard.h"
#include "tests/support/live/pinned_task.h"
#include "tests/support/live/run_queue_node.h"

namespace evenkeel::test {
namespace {

using namespace std::chrono_literals;

constexpr const char* kTooBusy = "another program has the CPU: nothing is seen on a machine this busy";

/// What the kernel counts of a task from now on.
class Before {
 public:
  explicit Before(const PinnedTask& task) : task_(task), waited_(task.waited()), ran_(task.ran()) {}
  [[nodiscard]] Duration waited() const { return task_.waited() - waited_; }
  [[nodiscard]] Duration ran() const { return task_.ran() - ran_; }

 private:
  const PinnedTask& task_;
  Duration waited_, ran_;
};

void say(const char* who, const char* what, Duration ours, const char* against, Duration theirs) {
  const auto ms = [](Duration time) { return std::chrono::duration<double, std::milli>(time).count(); };
  std::printf("%s: %s %.1f ms, %s %.1f ms\n", who, what, ms(ours), against, ms(theirs));
}

class LiveRunQueue : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto why = node_.why_not(); !why.empty()) GTEST_SKIP() << why;
  }
  [[nodiscard]] PinnedTask task(const std::string& pod, int cpu, const std::function<void()>& work) {
    return {node_.cgroups(), RunQueueNode::container(pod), cpu, work};
  }
  [[nodiscard]] std::size_t open_descriptors() {
    return node_.cgroups().host().files("proc/self/fd")->size();
  }
  void limit(const std::string& pod, int percent) {
    std::ofstream(node_.cgroups().quota_file(RunQueueNode::container(pod))) << percent * 1000;
  }
  /// Its throttled time so far, from cpu.stat.
  [[nodiscard]] Duration throttled(const std::string& pod) const {
    std::ifstream in(node_.cgroups().file(Controller::cpu, RunQueueNode::container(pod), "cpu.stat"));
    std::string word;
    for (std::int64_t value = 0; in >> word >> value;) {
      if (word == "throttled_time") return Duration(value);
      if (word == "throttled_usec") return std::chrono::microseconds(value);
    }
    return {};
  }
  RunQueueNode node_{{"aa", "bb", "cc"}};
};

/// Both always want the CPU, so each waits while the other has it: for as long as the kernel says that it
/// ran.
TEST_F(LiveRunQueue, TwoHogsBlameOnlyEachOther) {
  node_.begin();
  const auto a = task("aa", 0, spin), b = task("bb", 0, spin);
  const auto innocent = task("cc", 1, [] { work_and_rest(2ms, 2ms); });
  ASSERT_TRUE(a.why_not().empty() && b.why_not().empty() && innocent.why_not().empty()) << a.why_not();
  const Before before_a(a), before_b(b);
  node_.watch(2s);
  for (const auto* one : {&a, &b, &innocent}) one->hold();
  node_.add();
  // The rest went to other tasks, in slices too short and too many to be recorded one by one.
  if (before_a.ran() + before_b.ran() < 1500ms) GTEST_SKIP() << kTooBusy;
  for (const auto& [pod, other, of_pod, of_other] :
       {std::tuple{"aa", "bb", &before_a, &before_b}, {"bb", "aa", &before_b, &before_a}}) {
    const auto waited = of_pod->waited(), other_ran = of_other->ran();
    say(pod, "waited", node_.waited(pod), "kernel", waited);
    say(pod, "blames the other for", node_.blamed(pod, other), "who ran", other_ran);
    EXPECT_GT(node_.waited(pod), waited * 8 / 10) << pod;
    EXPECT_LT(node_.waited(pod), waited * 12 / 10) << pod;
    EXPECT_GT(node_.blamed(pod, other), other_ran * 8 / 10) << pod << " by " << other;
    EXPECT_LT(node_.blamed(pod, other), other_ran * 12 / 10) << pod << " by " << other;
    EXPECT_GT(node_.blamed_in_all(pod), node_.waited(pod) * 8 / 10) << pod << ": another task ran meanwhile";
    // It started on either CPU, and has stayed on its own since.
    EXPECT_LT(node_.blamed(pod, "cc"), node_.waited(pod) / 100) << pod;
    EXPECT_GT(node_.waits_above(pod, 512us), 10U) << pod << ": slices are longer than that";
  }
}

TEST_F(LiveRunQueue, ATaskThrottledAloneDoesNotWait) {
  limit("aa", 20);
  node_.begin();
  const auto a = task("aa", 0, spin);
  ASSERT_TRUE(a.why_not().empty());
  const Before before(a);
  const auto throttled_before = throttled("aa");
  node_.watch(2s);
  for (const auto* one : {&a}) one->hold();
  node_.add();
  const auto waited = before.waited(), by_quota = throttled("aa") - throttled_before;
  say("throttled alone", "waited", node_.waited("aa"), "kernel", waited);
  say("throttled alone", "by its quota", by_quota, "ran", before.ran());
  if (by_quota < 500ms) GTEST_SKIP() << kTooBusy;
  // Other processes of this machine may want the CPU, too.
  EXPECT_LT(node_.waited("aa"), waited - by_quota * 9 / 10 + 20ms);
}

TEST_F(LiveRunQueue, ThrottledTimeIsNotBlamedOnAHog) {
  limit("aa", 20);
  node_.begin();
  const auto a = task("aa", 0, spin), b = task("bb", 0, spin);
  ASSERT_TRUE(a.why_not().empty() && b.why_not().empty());
  const Before before(a);
  const auto throttled_before = throttled("aa");
  node_.watch(2s);
  for (const auto* one : {&a, &b}) one->hold();
  node_.add();
  const auto waited = before.waited(), by_quota = throttled("aa") - throttled_before;
  say("throttled beside a hog", "waited", node_.waited("aa"), "kernel", waited);
  say("throttled beside a hog", "by its quota", by_quota, "blamed", node_.blamed_in_all("aa"));
  if (by_quota < 300ms) GTEST_SKIP() << kTooBusy;
  EXPECT_LT(node_.waited("aa"), waited - by_quota * 9 / 10 + 20ms);
  EXPECT_LE(node_.blamed_in_all("aa"), node_.waited("aa"));
}

/// Three tasks for two CPUs are migrated while they wait.
TEST_F(LiveRunQueue, AMigratedTaskBlamesTheRunnersOfBothCpus) {
  if (::sysconf(_SC_NPROCESSORS_ONLN) < 2) GTEST_SKIP() << "one CPU";
  node_.begin();
  const auto a = task("aa", -1, spin), b = task("bb", -1, spin), c = task("cc", -1, spin);
  const auto restless = task("aa", -1, [] { work_and_rest(3ms, 1ms); });
  ASSERT_TRUE(a.why_not().empty() && b.why_not().empty() && c.why_not().empty());
  const Before before_a(a), restless_before(restless), before_b(b);
  node_.watch(2s);
  for (const auto* one : {&a, &b, &c, &restless}) one->hold();
  node_.add();
  const auto waited_a = before_a.waited() + restless_before.waited(), waited_b = before_b.waited();
  say("aa moved", "waited", node_.waited("aa"), "kernel", waited_a);
  say("bb moved", "waited", node_.waited("bb"), "kernel", waited_b);
  say("bb moved", "blames all", node_.blamed_in_all("bb"), "waited", node_.waited("bb"));
  if (waited_b < 50ms) GTEST_SKIP() << "there were CPUs for all";
  EXPECT_GT(node_.waited("aa"), waited_a * 8 / 10);
  EXPECT_LT(node_.waited("aa"), waited_a * 12 / 10);
  EXPECT_GT(node_.waited("bb"), waited_b * 8 / 10);
  EXPECT_LT(node_.waited("bb"), waited_b * 12 / 10);
  EXPECT_GT(node_.blamed_in_all("bb"), node_.waited("bb") * 8 / 10) << "another task ran meanwhile";
  EXPECT_LT(node_.blamed_in_all("bb"), node_.waited("bb") * 12 / 10);
}

TEST_F(LiveRunQueue, TheOtherThreadOfTheCoreIsBlamed) {
  const auto& cpus = node_.node().topology.cpus;
  if (cpus.size() < 2 || cpus[0].core != cpus[1].core) GTEST_SKIP() << "the first two CPUs share no core";
  node_.begin();
  const auto a = task("aa", cpus[0].id, spin), b = task("bb", cpus[1].id, spin);
  const Before before_a(a), before_b(b);
  node_.watch(2s);
  for (const auto* one : {&a, &b}) one->hold();
  node_.add();
  const auto least = std::min(before_a.ran(), before_b.ran());
  say("aa beside bb", "shared the core", node_.beside("aa", "bb"), "both ran at least", least);
  EXPECT_GT(node_.beside("aa", "bb"), least * 7 / 10) << "each is told its share of the other's time";
  EXPECT_LT(node_.beside("aa", "bb"), before_a.ran() * 11 / 10);
  EXPECT_GT(node_.beside("bb", "aa"), least * 7 / 10);
}

/// crun puts the tasks of a container into a cgroup inside of the container's, which the tree knows on v2.
TEST_F(LiveRunQueue, TheTasksOfASubgroupAreItsContainers) {
  const std::string scope = "kubepods/burstable/poddd/crio-" + std::string(64, 'd') + ".scope";
  node_.cgroups().make(scope + "/container");
  node_.look();
  const auto container = node_.id_of_path(scope), subgroup = node_.id_of_path(scope + "/container");
  ASSERT_TRUE(container);
  ASSERT_EQ(subgroup != CgroupId{}, node_.cgroups().layout().v2(Controller::cpu));
  node_.begin();
  const PinnedTask inside(node_.cgroups(), scope + "/container", 0, spin);
  const auto a = task("aa", 0, spin);
  ASSERT_TRUE(inside.why_not().empty() && a.why_not().empty()) << inside.why_not();
  const Before before(inside);
  node_.watch(1s);
  for (const auto* one : {&inside, &a}) one->hold();
  node_.add();
  EXPECT_GT(node_.waited(container), before.waited() * 8 / 10);
  EXPECT_GT(node_.blamed(node_.id("aa"), container), 0ms);
  if (subgroup) {
    EXPECT_EQ(node_.waited(subgroup) + node_.blamed(node_.id("aa"), subgroup), 0ms);
  }
}

TEST_F(LiveRunQueue, AfterARemovalTheOthersTasksAreStillCounted) {
  const auto c = task("cc", -1, spin);
  ASSERT_TRUE(c.why_not().empty()) << c.why_not();
  node_.enable(false);
  node_.tick();
  node_.enable(true);
  node_.tick();
  node_.cgroups().remove("kubepods/burstable/podaa");
  node_.look();
  node_.begin();
  node_.add();
  EXPECT_EQ(node_.stalls("bb").running, 0);
  EXPECT_EQ(node_.stalls("cc").running, 1);
}

TEST_F(LiveRunQueue, ASteadyTickAllocatesNothing) {
  const auto a = task("aa", 0, spin), b = task("bb", 0, spin);
  for (int i = 0; i < 30; ++i) node_.tick();
  const AllocGuard guard;
  for (int i = 0; i < 40; ++i) {
    node_.tick();
    std::this_thread::sleep_for(5ms);
  }
  EXPECT_EQ(guard.allocations(), 0U);
}

TEST_F(LiveRunQueue, WhenOffNothingIsLeftInTheKernel) {
  const auto loaded = open_descriptors();
  node_.enable(false);
  node_.tick();
  EXPECT_EQ(node_.node().run_queue.source, RunQueueSource::none);
  EXPECT_EQ(node_.node().run_queue.why, "");
  EXPECT_TRUE(node_.node().run_queue.waits.empty() && node_.node().stalls.empty());
  EXPECT_LT(open_descriptors(), loaded - 8) << "programs, links and tables are gone";
  node_.enable(true);
  node_.tick();
  EXPECT_EQ(node_.node().run_queue.source, RunQueueSource::bpf);
  EXPECT_EQ(open_descriptors(), loaded);
}

/// Fifty cgroups per second come and go.
TEST_F(LiveRunQueue, ChurningCgroupsLeakNothing) {
  const auto before = open_descriptors();
  const auto lost_before = node_.node().run_queue.lost;
  for (int round = 0; round < 40; ++round) {
    for (int i = 0; i < 5; ++i) node_.cgroups().make(RunQueueNode::container(std::to_string(i)));
    node_.look();
    node_.tick();
    {
      const auto short_lived = task("1", -1, [] { work_and_rest(1ms, 1ms); });
    }
    for (int i = 0; i < 5; ++i) node_.cgroups().remove("kubepods/burstable/pod" + std::to_string(i));
    node_.look();
    node_.tick();
    std::this_thread::sleep_for(20ms);
  }
  EXPECT_EQ(open_descriptors(), before);
  EXPECT_EQ(node_.node().run_queue.lost, lost_before);
  EXPECT_EQ(node_.node().run_queue.waits.size(), node_.node().cgroups.size()) << "every cgroup has a row";
  const auto a = task("aa", 0, spin), b = task("bb", 0, spin);
  node_.begin();
  node_.watch(1s);
  EXPECT_GT(node_.waited("aa"), 100ms) << "and is seen as before";
}

}  // namespace
}  // namespace evenkeel::test
