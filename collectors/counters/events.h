// Which hardware events a container is counted by, as the kernel wants to have them named.
// The only door to libpfm.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "cgroup/base/result.h"

namespace evenkeel::counters {

/// What may be counted, the indispensable first. The members of CpuCounts have the same names.
enum class CounterKind : std::uint8_t {
  cycles,
  instructions,
  reference_cycles,
  cache_misses,
  stalled_cycles
};
inline constexpr std::size_t kCountedKinds = 5, kCountedAlways = 2;
using Counts = std::array<std::uint64_t, kCountedKinds>;

/// perf_event_attr's type and config of one event (perf_event_open(2)).
struct CounterEvent {
  CounterKind kind = CounterKind::cycles;
  std::uint32_t type = 0;
  std::uint64_t config = 0;
};
/// Counted together or not at all, so that their ratios mean something. The first leads.
using CounterEvents = std::vector<CounterEvent>;

/// The events as libpfm encodes them, in the order of CounterKind; of one kind there may be two, the better
/// first. Says nothing about whether this machine has them; an event that libpfm does not know is left out,
/// one of the first two is an error.
Result<CounterEvents> encode_counter_events();

/// perf's own name of it ("cycles").
std::string_view name(CounterKind what);

}  // namespace evenkeel::counters
