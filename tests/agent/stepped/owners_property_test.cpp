// Suppression and CPU burst beside the other owners of their files: a kubelet that resizes pods in place and
// renews weights, systemd that resets its units, runtimes that make containers anew, an agent that is killed.
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <random>

#include "cgroup/executor/executor.h"
#include "collectors/per_cgroup/roster.h"
#include "qos/registry.h"
#include "tests/support/scenes/executor_node.h"

namespace evenkeel::test {
namespace {

using namespace literals;
using std::chrono::seconds;

constexpr const char* kWebSlice = "kubepods.slice/kubepods-burstable.slice/kubepods-burstable-podweb.slice";
constexpr int kMostWritesPerMinute = 80;  // burst moves a quota each second, and its burst with it

/// Eight CPUs; a best-effort pod, and a service of one container with a CPU limit.
class OwnedNode : public ExecutorNode {
 public:
  OwnedNode(bool v2, unsigned seed) : ExecutorNode(v2, {}, false, true), v2_(v2), random_(seed) {
    add(kWebSlice);
    pods_ = {Pod{.uid = "1", .namespace_ = "a", .name = "batch", .phase = PodPhase::running},
             Pod{.uid = "web", .namespace_ = "a", .name = "web", .phase = PodPhase::running}};
    pods_[0].kube_qos = KubeQos::besteffort;
    pods_[0].label_qos = QosClass::be;
    pods_[0].containers = {{.name = "ctr", .id = "ctr", .running = true}};
    pods_[1].kube_qos = KubeQos::burstable;
    pods_[1].label_qos = QosClass::ls;
    slo_->threshold.enable = true;
    slo_->threshold.cpu_suppress_policy = SuppressPolicy::cfs_quota;
    slo_->cpu_burst.policy = BurstPolicy::automatic;
    make_container();
    set_web(kWebSlice, 2000_mcpu);
    set_web(container_, 2000_mcpu);
    limit_ = asked_ = 2000_mcpu;
    list();
  }

  /// What happens to the node in a second that is not the agent's doing.
  void owners_act() {
    if (chance(10)) systemd_resets(kBeSlice);
    if (chance(3))
      for (const char* unit : {kBeSlice, kPodSlice, kWebSlice}) systemd_resets(unit);  // daemon-reload
    // Now and then the new limit happens to be what burst has set.
    if (asked_ == limit_ && chance(4))
      asked_ = chance(50) ? MilliCpu(std::stoll(quota(container_)) / 100) : MilliCpu(100 * (1 + below(40)));
    if (asked_ != limit_) resize();
    waiting_ = asked_ == limit_ ? 0 : waiting_ + 1;
    EXPECT_LE(waiting_, 2) << "the kubelet's resize is refused for so many seconds";
    if (chance(2)) restart_container();
    if (chance(5)) busy_ = below(100) < 50;
    list();
  }

  void pass() {
    now += seconds(1);
    const NodeSnapshot node = observed();
    decide::Intents intents;
    decide::decide_all(node, *slo_, state_, intents);
    decide::arbitrate(node, *slo_, intents, plan);
    const auto report = running_->apply(plan, node, seen);
    seen.clear();
    for (const auto& write : report.writes) writes_[write.path].push_back(now);
  }

  /// The agent is killed, and the next one restores from the journal before it does anything else.
  void crash() {
    executor::restore_from_journal(kernel, journal);
    expect_all_is_the_owners("after kill -9 and restore");
    start_again();
  }
  void stop() {
    running_->restore_all(now);
    expect_all_is_the_owners("after a stop");
    start_again();
  }

  void expect_best_effort_is_limited() {
    EXPECT_NE(quota(kBeSlice), v2_ ? "max" : "-1") << "at " << now.time_since_epoch() / seconds(1) << " s";
  }
  void expect_few_writes() const {
    for (const auto& [path, times] : writes_)
      for (std::size_t i = kMostWritesPerMinute; i < times.size(); ++i)
        ASSERT_GT(times[i] - times[i - kMostWritesPerMinute], seconds(60)) << path;
  }
  [[nodiscard]] std::int64_t resizes() const { return resizes_; }
  [[nodiscard]] std::uint64_t resets() const { return running_->counters().resets; }

 private:
  int below(int limit) { return static_cast<int>(random_() % static_cast<unsigned>(limit)); }
  bool chance(int percent) { return below(100) < percent; }
  [[nodiscard]] const char* quota_file() const { return v2_ ? "cpu.max" : "cpu.cfs_quota_us"; }
  std::string quota(const std::string& path) {
    const auto text = kernel.text(path, quota_file());
    return text.substr(0, text.find(' '));
  }
  static std::string quota_of(MilliCpu limit) { return std::to_string(limit.count() * 100); }
  int set_web(const std::string& path, MilliCpu limit) {
    return kernel.other(path, quota_file(), quota_of(limit) + (v2_ ? " 100000" : ""));
  }

  void make_container() {
    container_ = std::string(kWebSlice) + "/cri-containerd-web" + std::to_string(containers_++) + ".scope";
    add(container_);
    pods_[1].containers = {{.name = "web", .id = "web" + std::to_string(containers_ - 1), .running = true}};
  }
  void restart_container() {
    remove(container_);
    make_container();
    set_web(container_, limit_);
  }
  /// systemd writes what its unit says: the kubelet's quota for a pod, none for the BestEffort slice.
  void systemd_resets(const char* unit) {
    const bool web = unit == kWebSlice;
    if (web && set_web(unit, limit_) != 0) return;  // v1: a container may have more at this moment
    if (!web) kernel.other(unit, quota_file(), v2_ ? "max 100000" : "-1");
    seen.push_back({id(unit), quota_file(), {1, "systemd"}});
  }
  /// The kubelet's order: up, the pod first; down, the container first. What the kernel refuses is repeated.
  void resize() {
    const bool up = asked_ > limit_;
    for (const std::string& path : up ? std::array<std::string, 2>{kWebSlice, container_}
                                      : std::array<std::string, 2>{container_, kWebSlice}) {
      if (set_web(path, asked_) != 0) return;
      seen.push_back({id(path), quota_file(), {77, path == container_ ? "runc" : "kubelet"}});
    }
    limit_ = asked_;
    ++resizes_;
  }
  /// The list says what the kubelet has carried out, and what it is still asked for.
  void list() {
    Container& web = pods_[1].containers[0];
    web.limits.cpu = limit_;
    web.pending_cpu_limit = asked_ == limit_ ? std::nullopt : std::optional(asked_);
    pod_list_ = std::make_shared<const std::vector<Pod>>(pods_);
  }

  NodeSnapshot observed() {
    NodeSnapshot node = observe();
    node.since_previous = seconds(1);
    per_cgroup::build_roster(tree(), pod_list_, slo_, node);
    node.node.cpu_capacity = 8000_mcpu;
    node.node.cpu_use = 3000_mcpu;
    for (CpuId cpu = 0; cpu < 8; ++cpu) node.topology.cpus.push_back({.id = cpu, .core = cpu});
    for (auto& sample : node.cgroups) {
      sample.cpu_use = 500_mcpu;
      sample.throttling = Throttling{.periods = 10, .throttled_periods = busy_ ? 3 : 0};
    }
    return node;
  }

  void expect_all_is_the_owners(const char* when) {
    EXPECT_EQ(quota(kBeSlice), v2_ ? "max" : "-1") << when;
    EXPECT_EQ(quota(kWebSlice), quota_of(limit_)) << when;
    EXPECT_EQ(quota(container_), quota_of(limit_)) << when;
    EXPECT_EQ(kernel.at(container_).burst_us, 0) << when;
    EXPECT_EQ(journal.size(), 0U) << when;
  }
  void start_again() {
    running_holder_.emplace(tree(), kernel, journal, executor::ExecutorOptions{});
    running_ = &*running_holder_;
    state_ = {};
  }

  bool v2_;
  std::mt19937 random_;
  std::shared_ptr<NodeSlo> slo_ = std::make_shared<NodeSlo>();
  std::vector<Pod> pods_{};
  std::shared_ptr<const std::vector<Pod>> pod_list_{};
  std::string container_{};
  int containers_ = 0;
  MilliCpu limit_{}, asked_{};  ///< of the container and its pod: carried out, and in the spec
  bool busy_ = true;
  std::int64_t resizes_ = 0;
  int waiting_ = 0;  ///< seconds since the kernel first refused the kubelet's resize
  std::map<std::string, std::vector<MonoTime>> writes_{};
  decide::PolicyState state_{};
  std::optional<executor::Executor> running_holder_{};
  executor::Executor* running_ = &executor;
};

class Owners : public testing::TestWithParam<bool> {};

TEST_P(Owners, LoseNoValueAndBestEffortStaysLimited) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    OwnedNode node(GetParam(), seed);
    node.pass();
    for (int second = 0; second < 600 && !HasFatalFailure(); ++second) {
      node.owners_act();
      node.pass();
      node.expect_best_effort_is_limited();
      if (second % 97 == 96) node.crash();
      if (second % 151 == 150) node.stop();
    }
    node.expect_few_writes();
    EXPECT_GT(node.resizes(), 5);
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, Owners, testing::Bool(),
                         [](const auto& kernel) { return kernel.param ? "v2" : "v1"; });

}  // namespace
}  // namespace evenkeel::test
