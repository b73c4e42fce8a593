#include "agent/record/wait_totals.h"

#include <gtest/gtest.h>

#include <optional>

#include "tests/support/alloc_guard.h"
#include "tests/support/fakes/fake_host.h"

namespace evenkeel::test {
namespace {

using namespace std::chrono_literals;

class WaitTotalsTest : public testing::Test {
 protected:
  WaitTotalsTest() {
    fake_.machine().v1().kubepods();
    pod_a_ = fake_.pod(KubeQos::burstable, "aa", {std::string(64, '1'), std::string(64, '2')});
    pod_b_ = fake_.pod(KubeQos::besteffort, "bb", {std::string(64, '3')});
    host_.emplace(*Host::open(fake_.root()));
    tree_.emplace(*host_, *tree::detect_layout(*host_, ""));
    tree_->scan();
  }
  [[nodiscard]] CgroupId id(const std::string& path) const { return tree_->find_path(path)->id; }
  [[nodiscard]] std::vector<CgroupId> containers_of(const std::string& pod) const {
    std::vector<CgroupId> out;
    for (const auto* cgroup : tree_->all())
      if (cgroup->parent == id(pod)) out.push_back(cgroup->id);
    return out;
  }
  void wait(CgroupId who, Duration waited, std::uint64_t waits_of_a_millisecond) {
    RunQueueWait wait{.cgroup = who, .waited = waited, .waits = 1};
    wait.histogram[10] = waits_of_a_millisecond;
    node_.run_queue.waits.push_back(wait);
  }
  FakeHost fake_{};
  std::string pod_a_{}, pod_b_{};
  std::optional<Host> host_{};
  std::optional<tree::CgroupTree> tree_{};
  NodeSnapshot node_{};
  record::WaitTotals totals_{};
};

TEST_F(WaitTotalsTest, ContainersCountForTheirPod) {
  const auto containers = containers_of(pod_a_);
  ASSERT_EQ(containers.size(), 2U);
  for (const auto one : containers) {
    wait(one, 5ms, 7);
    node_.stalls.push_back({.cgroup = one, .reclaim = 2ms, .block_io = 3ms});
  }
  totals_.add(node_, *tree_);
  totals_.add(node_, *tree_);
  const auto& sums = totals_.sums().at(id(pod_a_));
  EXPECT_EQ(sums.waited, 20ms);
  EXPECT_EQ(sums.waits, 4);
  EXPECT_EQ(sums.reclaim, 8ms);
  EXPECT_EQ(sums.block_io, 12ms);
  EXPECT_EQ(sums.histogram[10], 14U) << "histograms are sums already";
}

TEST_F(WaitTotalsTest, ARestartedHistogramContinuesTheTotal) {
  wait(containers_of(pod_a_)[0], 5ms, 7);
  totals_.add(node_, *tree_);
  node_.run_queue.waits[0].histogram[10] = 2;
  totals_.add(node_, *tree_);
  EXPECT_EQ(totals_.sums().at(id(pod_a_)).histogram[10], 9U);
}

TEST_F(WaitTotalsTest, BlameIsBetweenPods) {
  const auto victim = containers_of(pod_a_)[0], runner = containers_of(pod_b_)[0];
  node_.run_queue.blame = {{.victim = victim, .runner = runner, .time = 4ms},
                           {.victim = victim, .runner = {}, .time = 1ms},
                           {.victim = victim, .runner = runner, .sibling = true, .time = 9ms},
                           {.victim = containers_of(pod_a_)[1], .runner = runner, .time = 2ms}};
  totals_.add(node_, *tree_);
  EXPECT_EQ(totals_.blame().shown().at({id(pod_a_), id(pod_b_), false}).shown, 6ms);
  EXPECT_EQ(totals_.blame().shown().at({id(pod_a_), id(pod_b_), true}).shown, 9ms);
  EXPECT_EQ(totals_.blame().shown().at({id(pod_a_), CgroupId{}, false}).shown, 1ms);
  EXPECT_TRUE(totals_.blame().others().empty());
}

TEST_F(WaitTotalsTest, UnattributedWaitsStillCountForTheVictim) {
  const auto containers = containers_of(pod_a_);
  node_.run_queue.blame_remainders = {{.victim = containers[0], .pairs = 3, .time = 4ms},
                                      {.victim = containers[0], .sibling = true, .pairs = 1, .time = 9ms},
                                      {.victim = containers[1], .pairs = 2, .time = 5ms}};
  totals_.add(node_, *tree_);
  totals_.add(node_, *tree_);
  EXPECT_EQ(totals_.blame().others().at({id(pod_a_), false}), 18ms);
  EXPECT_EQ(totals_.blame().others().at({id(pod_a_), true}), 18ms);
}

TEST_F(WaitTotalsTest, ADeletedPodIsDropped) {
  wait(containers_of(pod_a_)[0], 5ms, 7);
  wait(containers_of(pod_b_)[0], 5ms, 7);
  node_.run_queue.blame = {
      {.victim = containers_of(pod_a_)[0], .runner = containers_of(pod_b_)[0], .time = 4ms}};
  node_.run_queue.blame_remainders = {{.victim = containers_of(pod_b_)[0], .pairs = 1, .time = 4ms}};
  totals_.add(node_, *tree_);
  const auto gone = id(pod_b_);
  fake_.remove_cgroup(pod_b_);
  tree_->scan();
  node_.run_queue.waits.pop_back();
  node_.run_queue.blame.clear();
  node_.run_queue.blame_remainders.clear();
  totals_.add(node_, *tree_);
  EXPECT_FALSE(totals_.sums().contains(gone));
  EXPECT_TRUE(totals_.blame().shown().empty() && totals_.blame().others().empty());
  EXPECT_EQ(totals_.sums().at(id(pod_a_)).waited, 10ms);
}

TEST_F(WaitTotalsTest, ASteadyTickAllocatesNothing) {
  wait(containers_of(pod_a_)[0], 5ms, 7);
  node_.run_queue.blame = {{.victim = containers_of(pod_a_)[0], .runner = {}, .time = 4ms}};
  totals_.add(node_, *tree_);
  const AllocGuard guard;
  totals_.add(node_, *tree_);
  EXPECT_EQ(guard.allocations(), 0U);
}

}  // namespace
}  // namespace evenkeel::test
