// Which container is counted next, and the window in which it is counted.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "cgroup/tree/tree.h"
#include "collectors/base/collector.h"
#include "collectors/counters/group.h"
#include "qos/model/units.h"

namespace evenkeel::counters {

// Chooses the container to count next: each once per period, evenly spread. Does not open files or counters.

struct Countable {
  CgroupId id{};
  std::string dir{};  ///< in the hierarchy of perf_event, relative to the host's root; empty if there is none
  std::size_t position = 0;             ///< in the tree, and in NodeSnapshot::cgroups
  std::optional<MonoTime> last_turn{};  ///< absent: had none yet
};

class CounterRotation {
 public:
  /// Takes containers and host applications from the tree. Those that stay keep their place in the queue.
  void follow(const tree::CgroupTree& tree);
  /// Advances the time: turns become due at an even rate.
  void pass(std::optional<Duration> since_previous, Duration period);
  /// Takes the turn of the container that has waited longest, new ones first; `may` says which can be counted
  /// now. Null: no turn is due, or no container can take it.
  template <class May>
  const Countable* take_due(MonoTime now, Duration period, May may) {
    if (due_ < 1) return nullptr;
    Countable* next = nullptr;
    for (Countable& one : all_) {
      const bool early = one.last_turn && now - *one.last_turn < period;
      if (!early && (next == nullptr || one.last_turn < next->last_turn) && may(one)) next = &one;
    }
    if (next == nullptr) return nullptr;
    next->last_turn = now;
    due_ -= 1;
    return next;
  }
  [[nodiscard]] const std::vector<Countable>& all() const { return all_; }

 private:
  std::vector<Countable> all_{};
  double due_ = 1;  ///< turns that may begin now
};

// One window in which one container is counted, by either way of counting, and its result. Does not read
// counters.

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
