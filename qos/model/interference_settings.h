// extensions.evenkeel.interference of the NodeSLO: how it is found out who hurts whom, and what is done.
// May not: say where it is read from.
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
  std::int64_t samples = 500;       ///< that it is worth
};

/// extensions.evenkeel.interference: who hurts whom.
struct InterferenceSettings {
  bool enable = false;    ///< measure, learn what is normal, report
  bool act = false;       ///< cap who was found out; without it nothing is written
  bool run_queue = true;  ///< waits for a CPU and who had it, by BPF
  bool counters = true;   ///< cycles per instruction, by hardware counters
  CounterChoice counter_backend = CounterChoice::automatic;
  Duration counter_window{std::chrono::seconds(10)};  ///< each container is counted for so long …
  Duration counter_period{std::chrono::seconds(60)};  ///< … once in this time
  std::int64_t most_counter_descriptors = 1024;       ///< held at the same time
  Duration stall_window{std::chrono::seconds(10)};    ///< waits and stalls become one sample in this time
  Percent cap_percent{25};        ///< of the CPU that an antagonist used: what it may use while it is limited
  MilliCpu least_cpu{100};        ///< but never less: its liveness probes must be answered
  Percent cap_cache_percent{10};  ///< of the last-level cache and of the memory bandwidth (resctrl)
  Percent cap_memory_percent{90};               ///< of the memory that it has: its memory.high
  Duration cap_lease{std::chrono::minutes(5)};  ///< a limit lasts so long, if it helps at all
  /// Limits that helped, within a day, after which the pod is asked to go (InterferenceEvict).
  std::int64_t evict_after = 3;
  bool causal_test = false;  ///< where only correlation accuses, or nobody can be told: try it out first
  Percent test_percent{50};  ///< of what a suspect uses: what it may use while the test holds it back
  std::int64_t most_tests_per_day = 24;
  std::vector<ConfiguredNormal> models{};  ///< believed until there is enough of our own
};

}  // namespace evenkeel
