// The hardware events that containers are counted by, encoded for perf_event_open(2). The only user of
// libpfm.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "cgroup/base/result.h"

namespace evenkeel::counters {

/// What may be counted, required events first. The members of CpuCounts have the same names.
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
/// Counted together or not at all, so that their ratios are meaningful. The first leads.
using CounterEvents = std::vector<CounterEvent>;

/// The events as libpfm encodes them, in the order of CounterKind; a kind may have two, the better first.
/// Does not check whether this machine has them. An event unknown to libpfm is left out; if it is one of the
/// first two, that is an error.
Result<CounterEvents> encode_counter_events();

/// Its perf name ("cycles").
std::string_view name(CounterKind what);

}  // namespace evenkeel::counters
