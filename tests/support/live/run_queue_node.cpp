#include "tests/support/live/run_queue_node.h"

#include <sys/resource.h>

#include <algorithm>
#include <thread>

#include "collectors/per_cgroup/roster.h"
#include "tests/support/live/guest_kernel.h"

namespace evenkeel::test {
namespace {

/// The row of a cgroup, created if needed.
template <class Row>
Row& row_of(std::vector<Row>& rows, CgroupId id) {
  const auto found = std::ranges::find(rows, id, &Row::cgroup);
  if (found != rows.end()) return *found;
  return rows.emplace_back(Row{.cgroup = id});
}
template <class Row>
Row copy_of(const std::vector<Row>& rows, CgroupId id) {
  const auto found = std::ranges::find(rows, id, &Row::cgroup);
  return found == rows.end() ? Row{} : *found;
}

}  // namespace

RunQueueNode::RunQueueNode(const std::vector<std::string>& pods) {
  if (!cgroups_.why_not().empty()) return;
  ::setpriority(PRIO_PROCESS, 0, -20);  // the observer must not wait for the observed tasks
  for (const auto& pod : pods) cgroups_.make(container(pod));
  tree_.emplace(cgroups_.host(), cgroups_.layout());
  sampler_.emplace(cgroups_.host(), collectors::SamplerOptions{});
  enable(true);
  look();
  tick();
}

std::string RunQueueNode::why_not() {
  if (!cgroups_.why_not().empty()) return cgroups_.why_not();
  if (node_.run_queue.source == RunQueueSource::bpf) return {};
  return no_programs(node_.run_queue.why.empty() ? "it was not even tried" : node_.run_queue.why);
}

void RunQueueNode::enable(bool on) {
  NodeSlo slo;
  slo.evenkeel.interference.enable = on;
  node_.slo = std::make_shared<const NodeSlo>(slo);
}

void RunQueueNode::look() {
  tree_->scan();
  per_cgroup::build_roster(*tree_, nullptr, node_.slo, node_);
  sampler_->follow(*tree_);
}

void RunQueueNode::tick() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  sampler_->collect(node_, MonoTime(std::chrono::duration_cast<Duration>(now)));
}

void RunQueueNode::begin() {
  waits_.clear();
  blame_.clear();
  stalls_.clear();
  tick();
}

void RunQueueNode::watch(std::chrono::milliseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    add();
  }
}

void RunQueueNode::add() {
  tick();
  for (const auto& wait : node_.run_queue.waits) {
    auto& sum = row_of(waits_, wait.cgroup);
    sum.waited += wait.waited;
    sum.waits += wait.waits;
    sum.histogram = wait.histogram;
  }
  for (const auto& stall : node_.stalls) {
    auto& sum = row_of(stalls_, stall.cgroup);
    sum.reclaim = sum.reclaim.value_or(Duration::zero()) + stall.reclaim.value_or(Duration::zero());
    sum.running = stall.running;
    sum.uninterruptible = stall.uninterruptible;
    sum.block_io = sum.block_io.value_or(Duration::zero()) + stall.block_io.value_or(Duration::zero());
  }
  blame_.insert(blame_.end(), node_.run_queue.blame.begin(), node_.run_queue.blame.end());
}

std::string RunQueueNode::container(const std::string& pod) {
  return "kubepods/burstable/pod" + pod + "/" + std::string(64, 'c');
}

CgroupId RunQueueNode::id(const std::string& pod) const { return id_of_path(container(pod)); }

CgroupId RunQueueNode::id_of_path(const std::string& path) const {
  const auto* found = tree_->find_path(cgroups_.top() + '/' + path);
  return found == nullptr ? CgroupId{} : found->id;
}

Duration RunQueueNode::waited(CgroupId cgroup) const { return copy_of(waits_, cgroup).waited; }

Duration RunQueueNode::blamed(CgroupId victim, CgroupId runner) const {
  Duration sum{};
  for (const auto& one : blame_)
    if (one.victim == victim && one.runner == runner && !one.sibling) sum += one.time;
  return sum;
}

Duration RunQueueNode::beside(const std::string& victim, const std::string& runner) const {
  const auto who = id(victim), whom = id(runner);
  Duration sum{};
  for (const auto& one : blame_)
    if (one.victim == who && one.runner == whom && one.sibling) sum += one.time;
  return sum;
}

Duration RunQueueNode::blamed_in_all(const std::string& victim) const {
  const auto who = id(victim);
  Duration sum{};
  for (const auto& one : blame_)
    if (one.victim == who && !one.sibling) sum += one.time;
  return sum;
}

TaskStalls RunQueueNode::stalls(const std::string& pod) const { return copy_of(stalls_, id(pod)); }

std::uint64_t RunQueueNode::waits_above(const std::string& pod, std::chrono::microseconds time) const {
  const auto& histogram = copy_of(waits_, id(pod)).histogram;
  std::uint64_t sum = 0;
  for (std::size_t i = 1; i < histogram.size(); ++i)
    if ((std::int64_t{1} << (i - 1)) >= time.count()) sum += histogram[i];
  return sum;
}

}  // namespace evenkeel::test
