// extensions.evenkeel.interference of the NodeSLO: how antagonists are found, and what is done about them.
// Does not know where it is read from.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "qos/model/units.h"
#include "qos/model/victim_signal.h"

namespace evenkeel {

enum class CounterChoice : std::uint8_t { automatic, rotating, per_cpu };  ///< see CounterBackend

/// One entry of extensions.evenkeel.interference.models: what is normal, as other nodes have learned it.
struct ConfiguredNormal {
  std::string workload{};   ///< "namespace/owner/container", "host/NAME" of a host application
  std::string cpu_model{};  ///< of the hardware counters' signals: empty, any
  Signal signal = Signal::cpi;
  double usual = 0, deviation = 0;  ///< in the signal's unit
  std::int64_t samples = 500;       ///< how many samples it counts as
};

/// extensions.evenkeel.interference: which pod slows which service.
struct InterferenceSettings {
  bool enable = false;    ///< measure, learn what is normal, report
  bool act = false;       ///< limit antagonists; without it nothing is written
  bool run_queue = true;  ///< waits for a CPU and what ran there, by BPF
  bool counters = true;   ///< cycles per instruction, by hardware counters
  CounterChoice counter_backend = CounterChoice::automatic;
  Duration counter_window{std::chrono::seconds(10)};  ///< each container is counted for this long …
  Duration counter_period{std::chrono::seconds(60)};  ///< … once in this time
  std::int64_t most_counter_descriptors = 1024;       ///< held at the same time
  Duration stall_window{std::chrono::seconds(10)};    ///< waits and stalls become one sample in this time
  Percent cap_percent{25};         ///< limit of an antagonist, in percent of the CPU that it used
  MilliCpu least_cpu{100};         ///< but never less: its liveness probes must be answered
  Percent cap_cache_percent{10};   ///< of the last-level cache and of the memory bandwidth (resctrl)
  Percent cap_memory_percent{90};  ///< of the memory that it has: its memory.high
  Duration cap_lease{std::chrono::minutes(5)};  ///< a limit lasts this long, if it helps at all
  /// Limits that helped, within a day, after which the pod is evicted (InterferenceEvict).
  std::int64_t evict_after = 3;
  bool causal_test = false;  ///< where only correlation accuses, or no suspect stands out: test first
  Percent test_percent{50};  ///< limit during a test, in percent of what the suspect uses
  std::int64_t most_tests_per_day = 24;
  std::vector<ConfiguredNormal> models{};  ///< used until there are enough samples of our own
};

}  // namespace evenkeel
