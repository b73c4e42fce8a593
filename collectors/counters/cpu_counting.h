// Two ways to count what containers do with their CPUs, behind one seam: which one serves is chosen by what
// works on this kernel.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "cgroup/tree/tree.h"
#include "collectors/base/collector.h"
#include "collectors/counters/events.h"

namespace evenkeel::counters {

class CpuCounting {
 public:
  virtual ~CpuCounting() = default;
  /// The tree changed: count who is new, forget who is gone.
  virtual void follow(const tree::CgroupTree& tree) = 0;
  /// Adds the windows that ended to tick.node.cpu_counts and says how it goes in tick.node.counters. Returns
  /// false when it cannot go on: another one has to be begun.
  virtual bool collect(collectors::Tick& tick, const InterferenceSettings& settings) = 0;
};

/// Perf events of a few cgroups at a time: each container for one window in each period, spread evenly, so
/// that descriptors stay few. `events` must have been probed.
std::unique_ptr<CpuCounting> make_rotating_counting(CounterEvents events);

/// Perf events of each CPU, accounted to the containers of the tree by a program in the kernel: all of them
/// all the time, with results as often as by rotation. `events` must have been probed. Opens nothing where
/// the CPUs take more descriptors than the settings allow.
struct PerCpuCounting {
  std::unique_ptr<CpuCounting> counting{};  ///< null: it does not work here
  std::string error{};                      ///< the reason, in words
};
PerCpuCounting make_per_cpu_counting(CounterEvents events, const tree::CgroupTree& tree,
                                     const collectors::Tick& tick, const InterferenceSettings& settings);

/// What can be counted on this machine, together: the events that find no free counter are left out.
struct CounterProbe {
  CounterEvents events{};  ///< empty: nothing can be counted
  std::string error{};     ///< what cannot be counted, in words; empty: all can
  bool busy = false;       ///< of some only because no counter is free at this moment
};
/// 0: these are counted together here. Else errno; EBUSY: they are taken, but no counter is free for them.
int can_open_together(const CounterEvents& events);
CounterProbe probe_counters(const CounterEvents& wanted, const Host& host,
                            const std::function<int(const CounterEvents&)>& attempt = can_open_together);
/// In words, with whoever may have them: the NMI watchdog where it is on, else others.
std::string counters_in_use_reason(const Host& host);

}  // namespace evenkeel::counters
