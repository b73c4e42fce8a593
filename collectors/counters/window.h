// One window in which one container is counted, by either way of counting, and its result. Does not read
// counters.
#pragma once

#include <array>
#include <optional>

#include "collectors/base/collector.h"
#include "collectors/counters/group.h"
#include "collectors/counters/turns.h"

namespace evenkeel::counters {

/// Its use in the previous tick: collectors run before the cgroups are read.
inline std::optional<MilliCpu> use_at(const NodeSnapshot& node, std::size_t position) {
  return position < node.cgroups.size() ? node.cgroups[position].cpu_use : std::nullopt;
}

struct CounterWindow {
  CgroupId cgroup{};  ///< none: free
  std::size_t position = 0;
  MonoTime began{};
  std::size_t events = 0;  ///< counted in this window
  double used_ns = 0;      ///< CPU time, as far as known
  bool use_known = true;   ///< CPU time was known in every tick

  /// Advances by one tick. Returns whether the window has lasted long enough.
  bool extend(const NodeSnapshot& node, Duration length);
};

/// One container's counts on all CPUs, each scaled up to the time in which it ran there.
class ScaledCounts {
 public:
  void add(const GroupReading& reading);
  [[nodiscard]] bool counted() const { return enabled_ns_ > 0; }
  /// The result of a window that ends now. Absent: others used the counters most of the time, so scaling
  /// would be guessing; or nothing was counted.
  [[nodiscard]] std::optional<CpuCounts> in(const CounterWindow& window, MonoTime now,
                                            const CounterEvents& events) const;

 private:
  double enabled_ns_ = 0, running_ns_ = 0;
  std::array<double, kCountedKinds> sums_{};
};

}  // namespace evenkeel::counters
