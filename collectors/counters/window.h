// One window in which one container is counted, whatever counts it, and what comes of it.
// May not: read a counter.
#pragma once

#include <array>
#include <optional>

#include "collectors/base/collector.h"
#include "collectors/counters/group.h"
#include "collectors/counters/turns.h"

namespace evenkeel::counters {

/// What it used in the tick before: collectors run before the cgroups are read.
inline std::optional<MilliCpu> use_at(const NodeSnapshot& node, std::size_t position) {
  return position < node.cgroups.size() ? node.cgroups[position].cpu_use : std::nullopt;
}

struct CounterWindow {
  CgroupId cgroup{};  ///< none: free
  std::size_t position = 0;
  MonoTime began{};
  std::size_t events = 0;  ///< that are counted in it
  double used_ns = 0;      ///< CPU time, as far as it is known
  bool use_known = true;   ///< in every tick

  /// Another tick has passed. Returns whether it has lasted long enough.
  bool extend(const NodeSnapshot& node, Duration length);
};

/// What the CPUs counted of one container, each scaled up to the time in which it ran there.
class ScaledCounts {
 public:
  void add(const GroupReading& reading);
  [[nodiscard]] bool counted() const { return enabled_ns_ > 0; }
  /// Of a window that ends now. Absent: the counters were somebody else's for most of the time, and scaling
  /// would be guessing; or they counted nothing.
  [[nodiscard]] std::optional<CpuCounts> in(const CounterWindow& window, MonoTime now,
                                            const CounterEvents& events) const;

 private:
  double enabled_ns_ = 0, running_ns_ = 0;
  std::array<double, kCountedKinds> sums_{};
};

}  // namespace evenkeel::counters
