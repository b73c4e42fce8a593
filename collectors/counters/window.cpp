#include "collectors/counters/window.h"

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

namespace {

/// With a smaller share of the tasks' time counted, scaling would be guessing.
constexpr double kLeastShare = 0.5;

}  // namespace

bool CounterWindow::extend(const NodeSnapshot& node, Duration length) {
  const auto use = use_at(node, position);
  if (use && node.since_previous)
    used_ns += static_cast<double>(use->count()) / 1000 * static_cast<double>(node.since_previous->count());
  else
    use_known = false;
  return node.at - began >= length;
}

void ScaledCounts::add(const GroupReading& reading) {
  enabled_ns_ += static_cast<double>(reading.enabled_ns);
  running_ns_ += static_cast<double>(reading.running_ns);
  if (reading.running_ns == 0) return;
  const double scale = static_cast<double>(reading.enabled_ns) / static_cast<double>(reading.running_ns);
  for (std::size_t i = 0; i < sums_.size(); ++i) sums_[i] += static_cast<double>(reading.counts[i]) * scale;
}

std::optional<CpuCounts> ScaledCounts::in(const CounterWindow& window, MonoTime now,
                                          const CounterEvents& events) const {
  const auto sum = [&](CounterKind what) {
    return static_cast<std::int64_t>(sums_[static_cast<std::size_t>(what)]);
  };
  const Duration length = now - window.began;
  CpuCounts counts{.cgroup = window.cgroup, .window = length};
  counts.counted_share = counted() ? running_ns_ / enabled_ns_ : 0;
  counts.cycles = sum(CounterKind::cycles);
  counts.instructions = sum(CounterKind::instructions);
  if (counts.counted_share < kLeastShare || counts.cycles <= 0 || counts.instructions <= 0)
    return std::nullopt;
  if (window.use_known)
    counts.cpu_use =
        MilliCpu(static_cast<std::int64_t>(1000 * window.used_ns / static_cast<double>(length.count())));
  for (const CounterEvent& event : events) {
    if (event.kind == CounterKind::reference_cycles) counts.reference_cycles = sum(event.kind);
    if (event.kind == CounterKind::cache_misses) counts.cache_misses = sum(event.kind);
    if (event.kind == CounterKind::stalled_cycles) counts.stalled_cycles = sum(event.kind);
  }
  return counts;
}

}  // namespace evenkeel::counters
