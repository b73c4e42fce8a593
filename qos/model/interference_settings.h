// The signals that show a victim's slowdown, and the settings of interference in a NodeSLO. Does not measure.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "qos/model/units.h"

namespace evenkeel {

// The signals that show a victim's slowdown, and the scale on which they are compared: logarithms, so that
// "one and a half times as slow" is the same distance everywhere. Does not measure.

enum class Signal : std::uint8_t { cpi, reference_cpi, run_queue_wait, reclaim_stall, block_io_stall };
inline constexpr std::size_t kSignals = 5;

struct SignalTraits {
  const char* name;  ///< name in metrics and texts
  const char* unit;  ///< of one sample
  /// What is added before the logarithm, and the least rise above normal that matters, in the signal's unit:
  /// for signals whose normal value is close to zero.
  double floor;
  /// By hardware counters, a sample in each counting period; the others have one in each stall window. Its
  /// normal level depends on the CPU model.
  bool counts_cycles;
};

/// Indexed by Signal. Stalls may exceed one second per second: several tasks can wait at the same time.
inline constexpr std::array<SignalTraits, kSignals> kSignalTraits = {{
    {"cpi", "cycles per instruction", 0, true},
    {"reference-cpi", "reference cycles per instruction", 0, true},
    {"run-queue-wait", "seconds per second", 0.01, false},
    {"reclaim-stall", "seconds per second", 0.01, false},
    {"block-io-stall", "seconds per second", 0.01, false},
}};
constexpr const SignalTraits& traits_of(Signal signal) {
  return kSignalTraits[static_cast<std::size_t>(signal)];
}
constexpr bool counts_cycles(Signal signal) { return traits_of(signal).counts_cycles; }

/// The place of a sample on the logarithmic scale; a sample below zero counts as zero.
double level_of(double value, const SignalTraits& signal);
/// The inverse.
double value_of(double level, const SignalTraits& signal);

// extensions.evenkeel.interference of the NodeSLO: how antagonists are found, and what is done about them.
// Does not know where it is read from.

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
