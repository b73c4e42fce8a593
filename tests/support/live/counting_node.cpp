#include "tests/support/live/counting_node.h"

#include <algorithm>
#include <fstream>
#include <thread>

#include "collectors/node/parsers.h"
#include "collectors/per_cgroup/roster.h"
#include "tests/support/live/guest_kernel.h"

namespace evenkeel::test {

using namespace std::chrono_literals;

counters::CounterEvents stand_in() {
  std::uint32_t type = 0;
  std::ifstream("/sys/bus/event_source/devices/msr/type") >> type;
  if (type == 0) return {};
  return {{counters::CounterKind::cycles, type, 0},
          {counters::CounterKind::instructions, 1 /* software */, 0 /* cpu-clock */}};
}

CountingNode::CountingNode(const std::vector<std::string>& pods) {
  if (!why_not().empty()) return;
  for (const auto& pod : pods) cgroups_.make(container(pod));
  tree_.emplace(cgroups_.host(), cgroups_.layout());
  look_at_cpus();
  settings.counter_window = settings.counter_period = 300ms;
  look();
}

std::string CountingNode::begin(CounterBackend way, const counters::CounterEvents& events) {
  counting_.reset();
  if (way == CounterBackend::per_cpu) {
    auto begun = counters::make_per_cpu_counting(events, *tree_, lent(), settings);
    counting_ = std::move(begun.counting);
    return no_programs(begun.error);
  }
  counting_ = counters::make_rotating_counting(events);
  counting_->follow(*tree_);
  return {};
}

void CountingNode::look() {
  tree_->scan();
  per_cgroup::build_roster(*tree_, nullptr, std::make_shared<const NodeSlo>(), node_);
  if (counting_) counting_->follow(*tree_);
}

void CountingNode::look_at_cpus() {
  std::ifstream in("/sys/devices/system/cpu/online");
  std::string online;
  std::getline(in, online);
  node_.topology = node::read_topology(cgroups_.host(), CpuSet::parse(online).value());
}

bool CountingNode::tick() {
  const auto now = MonoTime(std::chrono::steady_clock::now().time_since_epoch());
  node_.since_previous = now - node_.at;
  node_.at = now;
  node_.cpu_counts.clear();
  for (auto& cgroup : node_.cgroups) {
    const auto known = use_.find(cgroup.id);
    cgroup.cpu_use = known == use_.end() ? std::nullopt : std::optional(known->second);
  }
  collectors::Tick tick = lent();
  return counting_->collect(tick, settings);
}

std::optional<CpuCounts> CountingNode::counts_of(const std::string& pod, int ticks) {
  const auto who = id(pod);
  for (int i = 0; i < ticks; ++i) {
    std::this_thread::sleep_for(100ms);
    tick();
    const auto found = std::ranges::find(node_.cpu_counts, who, &CpuCounts::cgroup);
    if (found != node_.cpu_counts.end()) return *found;
  }
  return std::nullopt;
}

std::string CountingNode::container(const std::string& pod) {
  return "kubepods/burstable/pod" + pod + "/" + std::string(64, 'c');
}

CgroupId CountingNode::id(const std::string& pod) const {
  const auto* found = tree_->find_path(cgroups_.top() + '/' + container(pod));
  return found == nullptr ? CgroupId{} : found->id;
}

}  // namespace evenkeel::test
