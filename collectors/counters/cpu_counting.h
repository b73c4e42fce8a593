// The two ways of counting hardware events per container, and how many containers a limit of descriptors
// allows.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "cgroup/tree/tree.h"
#include "collectors/base/collector.h"
#include "collectors/counters/group.h"
#include "qos/model/nodeslo.h"

namespace evenkeel::counters {

// How many containers a limit of descriptors lets be counted in turn. Arithmetic only.

struct RotationBudget {
  std::size_t events = 0, cpus = 0;
  /// Descriptors of one container while it is counted.
  [[nodiscard]] std::size_t descriptors_per_cgroup() const { return events * (cpus == 0 ? 1 : cpus); }
  /// Containers that may be counted at the same time.
  [[nodiscard]] std::size_t concurrent(const InterferenceSettings& settings) const;
  /// Containers that get a turn in each period.
  [[nodiscard]] std::size_t per_period(const InterferenceSettings& settings) const;
};

// The interface to the two ways of counting hardware events per container; which one is used depends on what
// works on this kernel.

class CpuCounting {
 public:
  virtual ~CpuCounting() = default;
  /// The tree changed: start counting new containers, drop removed ones.
  virtual void follow(const tree::CgroupTree& tree) = 0;
  /// Adds the finished windows to tick.node.cpu_counts and its status to tick.node.counters. Returns false
  /// when it cannot continue and must be replaced.
  virtual bool collect(collectors::Tick& tick, const InterferenceSettings& settings) = 0;
};

/// Counts with perf events of a few cgroups at a time: each container for one window per period, spread
/// evenly, so that few descriptors are needed. `events` must have been probed.
std::unique_ptr<CpuCounting> make_rotating_counting(CounterEvents events);

/// Counts with perf events of each CPU, attributed to containers by a BPF program: all containers all the
/// time, with results as often as by rotation. `events` must have been probed. Opens nothing if the CPUs need
/// more descriptors than the settings allow.
struct PerCpuCounting {
  std::unique_ptr<CpuCounting> counting{};  ///< null: it does not work here
  std::string error{};                      ///< the reason, as text
};
PerCpuCounting make_per_cpu_counting(CounterEvents events, const tree::CgroupTree& tree,
                                     const collectors::Tick& tick, const InterferenceSettings& settings);

/// What this machine can count at the same time: events that find no free counter are left out.
struct CounterProbe {
  CounterEvents events{};  ///< empty: nothing can be counted
  std::string error{};     ///< what cannot be counted, as text; empty: everything can
  bool busy = false;       ///< some are missing only because no counter is free right now
};
/// Returns 0 if these events can be counted together here, otherwise errno; EBUSY: the events exist, but no
/// counter is free for them.
int can_open_together(const CounterEvents& events);
CounterProbe probe_counters(const CounterEvents& wanted, const Host& host,
                            const std::function<int(const CounterEvents&)>& attempt = can_open_together);
/// The likely user of the counters, as text: the NMI watchdog if it is on, otherwise other users.
std::string counters_in_use_reason(const Host& host);

}  // namespace evenkeel::counters
