#include "collectors/counters/window.h"

namespace evenkeel::counters {
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
