// The signals that show a victim's slowdown, and the scale on which they are compared: logarithms, so that
// "one and a half times as slow" is the same distance everywhere. Does not measure.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "qos/model/units.h"

namespace evenkeel {

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

}  // namespace evenkeel
