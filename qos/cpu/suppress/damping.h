// Damps how fast best effort follows its target: down at once, up slowly, and not at all for noise. Does not
// know the lever that enforces the allowance; it counts thousandths of CPUs.
//
// Down: as soon as the target lies 1 % of the capacity below the allowance. Within the dwell time after a
// change only when it lies further below than the node's own noise explains (the spread of the targets of the
// last minute, at most 4 %). More than 4 % is never noise. Up: only to the lowest target of the recovery
// time, at most 10 % of the capacity per second; a rise that the limit cuts short continues within the dwell
// time. Small rises (4 %) wait for the dwell time and go only to its lowest target. A target that leaves a
// quota only its minimum is written at once.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "qos/model/units.h"

namespace evenkeel::suppress {

/// The targets of the last minute, and the last change of the allowance.
struct SuppressDamping {
  /// Targets that lie close together in time share a slot, so that a fixed ring spans any window.
  struct Slot {
    MonoTime first{}, last{};
    MilliCpu lowest{}, highest{};
  };
  std::array<Slot, 64> recent{};  ///< ring, newest at (next - 1)
  std::size_t next = 0, count = 0;
  std::optional<MonoTime> changed{};  ///< when the allowance last changed
  bool climbing = false;              ///< the last change was a rise that the growth limit cut short
};

struct SuppressPace {
  MilliCpu capacity{};
  MilliCpu minimum{};  ///< the least that the lever can express or should be set to
  MilliCpu grain{1};   ///< unit of the lever: a thousandth for a quota, a CPU for a cpuset; rounded up
  Duration recovery{}, dwell{};
  std::optional<Duration> elapsed{};  ///< since the previous decision; absent: the first one
};

enum class SuppressMove : std::uint8_t {
  keep,
  cut,
  raise,       ///< to the target, or to the lowest target of the recovery time
  raise_part,  ///< as far as the growth limit allows
  to_minimum,
};

struct SuppressStep {
  SuppressMove move = SuppressMove::keep;
  MilliCpu allowance{};
};

/// One decision. `current` is what the kernel has in force, absent when that is "unlimited".
SuppressStep next_allowance(SuppressDamping& state, MonoTime now, MilliCpu target,
                            std::optional<MilliCpu> current, const SuppressPace& pace);

/// 1 % of the capacity, in whole CPUs.
MilliCpu suppress_band(MilliCpu capacity);
/// The target of the last decision, if it is recent enough to be remembered for noise.
std::optional<MilliCpu> latest_target(const SuppressDamping& state, MonoTime now);
/// The lowest target seen within `window`, not older.
MilliCpu lowest_target(const SuppressDamping& state, MonoTime now, Duration window, MilliCpu otherwise);

}  // namespace evenkeel::suppress
