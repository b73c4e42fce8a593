#include "collectors/counters/turns.h"

#include <algorithm>
#include <unordered_map>

namespace evenkeel::counters {

void CounterRotation::follow(const tree::CgroupTree& tree) {
  std::unordered_map<CgroupId, std::optional<MonoTime>> before;
  for (const Countable& one : all_) before.emplace(one.id, one.last_turn);
  all_.clear();
  for (std::size_t position = 0; position < tree.all().size(); ++position) {
    const tree::Cgroup& cgroup = *tree.all()[position];
    if (!is_leaf(cgroup.kind)) continue;
    auto dir = tree.dir(cgroup, Controller::perf_event);
    const auto known = before.find(cgroup.id);
    all_.push_back({.id = cgroup.id,
                    .dir = std::move(dir),
                    .position = position,
                    .last_turn = known == before.end() ? std::nullopt : known->second});
  }
}

void CounterRotation::pass(std::optional<Duration> since_previous, Duration period) {
  if (!since_previous) return;
  const double share = std::chrono::duration<double>(*since_previous) / std::chrono::duration<double>(period);
  // No container gets two turns for time in which none was served.
  due_ = std::min(due_ + share * static_cast<double>(all_.size()), static_cast<double>(all_.size()) + 1);
}

}  // namespace evenkeel::counters
