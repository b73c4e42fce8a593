// How the CPU that is left for best effort is shared among its pods, and how fast their quotas follow.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "qos/model/snapshot.h"
#include "qos/model/units.h"

namespace evenkeel::suppress {

// Divides one allowance among the places where best effort runs: the kubelet's BestEffort directory, and host
// applications outside of it, as services on a plain machine. Does not decide how large the allowance is
// (qos/cpu/suppress/target.cpp) or when parts change (qos/cpu/suppress/shared.cpp).
//
// Each place gets its minimum. Of the rest each gets its demand, smallest demand first, or an even part of
// what is left; what no place demands is spread evenly, so that a place that wakes up finds room. A place
// demands at most a quarter more than it lately used, plus a little to wake up with; one that uses nearly all
// of its part demands twice that. The parts never sum to more than the allowance, and no part exceeds the
// place's own limit. A place that is not held to its part (the kernel refused, or another process wrote) is
// served first with what it uses, because the others cannot have that.

inline constexpr MilliCpu kWholeCpu{1000};

/// One place where best effort runs: the BestEffort directory, or a host application outside.
struct SuppressShare {
  CgroupId place{};
  bool directory = false;
  CpuLimit own{};       ///< the limit that its owner set; its part is never more
  CpuLimit in_force{};  ///< what the kernel held when last seen
  std::optional<QuotaTime> requested{};
  MilliCpu granted{};  ///< its part of the allowance
  MonoTime created{}, seen{};
  bool measured = false;            ///< its use was known at least once
  MilliCpu peak{}, earlier_peak{};  ///< of its use, since `watched` and in the time before
  MonoTime watched{};

  // For this decision:
  std::optional<MilliCpu> use{};
  MilliCpu least{}, most{};
  MilliCpu taken{};  ///< its use while the kernel does not hold it to its part
  MilliCpu demand{};
  MilliCpu next{};  ///< its part, if the allowance is divided now
  bool hungry = false;
};

/// How best-effort host applications outside of the BestEffort directory are limited.
enum class AppLever : std::uint8_t {
  quota,   ///< each by its own, to its part of the allowance
  cpuset,  ///< together with the BestEffort directory, to the same CPUs; where a quota would do harm
};

/// Whether this application is limited by itself: a best-effort one outside of the BestEffort directory whose
/// quota, or CPU set, can be read, with no other workload below it (that would be limited as well), no second
/// name, and not inside of another one that is limited.
bool has_share(const NodeSnapshot& node, const HostApplicationSample& app, AppLever lever);

/// Whether suppression limits this application: it has a share, lies inside of one that has, or in the
/// BestEffort directory.
bool is_suppressed(const NodeSnapshot& node, const HostApplicationSample& app, AppLever lever);

/// Sets least and most, from the limits.
void bound(SuppressShare& share);

/// Updates the peak with the current use. A peak is forgotten after one to two times `memory`.
void update_peak_use(SuppressShare& share, std::optional<MilliCpu> use, MonoTime now, Duration memory);

/// Sets what each place takes and demands of this allowance. Call after bound() and update_peak_use().
void rate(std::span<SuppressShare> shares, MilliCpu allowance, MilliCpu capacity);

/// Sets `next` of each place, in any order of the places. No place gets less than `least`, so an allowance
/// below their sum is exceeded.
void divide(std::span<SuppressShare> shares, MilliCpu allowance);

// Damps how fast best effort follows its target: down at once, up slowly, and not at all for noise. Does not
// know the lever that enforces the allowance; it counts thousandths of CPUs.
//
// Down: as soon as the target lies 1 % of the capacity below the allowance. Within the dwell time after a
// change only when it lies further below than the node's own noise explains (the spread of the targets of the
// last minute, at most 4 %). More than 4 % is never noise. Up: only to the lowest target of the recovery
// time, at most 10 % of the capacity per second; a rise that the limit cuts short continues within the dwell
// time. Small rises (4 %) wait for the dwell time and go only to its lowest target. A target that leaves a
// quota only its minimum is written at once.

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
  std::optional<Duration> elapsed{};  ///< growth_time(); less than a second counts as one
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

/// One decision. `current` is the allowance from which the step starts, absent when that is "unlimited": the
/// last one that was wanted while the brake, a reset or a trial hides it (quota_before()).
SuppressStep next_allowance(SuppressDamping& state, MonoTime now, MilliCpu target,
                            std::optional<MilliCpu> current, const SuppressPace& pace);

/// 1 % of the capacity, in whole CPUs.
MilliCpu suppress_band(MilliCpu capacity);
/// The target of the last decision, if it is recent enough to be remembered for noise.
std::optional<MilliCpu> latest_target(const SuppressDamping& state, MonoTime now);
/// The lowest target seen within `window`, not older.
MilliCpu lowest_target(const SuppressDamping& state, MonoTime now, Duration window, MilliCpu otherwise);

}  // namespace evenkeel::suppress
