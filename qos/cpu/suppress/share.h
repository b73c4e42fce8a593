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
#pragma once

#include <optional>
#include <span>

#include "qos/model/snapshot.h"

namespace evenkeel::suppress {

/// One place where best effort runs: the BestEffort directory, or a host application outside.
struct SuppressShare {
  CgroupId place{};
  bool directory = false;
  CpuLimit own{};       ///< the limit that its owner set; its part is never more
  CpuLimit in_force{};  ///< what the kernel held when last seen
  std::optional<QuotaTime> asked{};
  MilliCpu granted{};  ///< its part of the allowance
  MonoTime born{}, seen{};
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

/// Whether this application has its own part of the allowance, held by its own quota: a best-effort one
/// outside of the BestEffort directory whose quota can be read, with no other workload below it (a quota
/// would hold that as well), no second name, and not inside of another one that has a part.
bool has_share(const NodeSnapshot& node, const HostApplicationSample& app);

/// Whether suppression limits this application: it has a share, lies inside of one that has, or in the
/// BestEffort directory.
bool is_suppressed(const NodeSnapshot& node, const HostApplicationSample& app);

/// Sets least and most, from the limits.
void bound(SuppressShare& share);

/// Updates the peak with the current use. A peak is forgotten after one to two times `memory`.
void update_peak_use(SuppressShare& share, std::optional<MilliCpu> use, MonoTime now, Duration memory);

/// Sets what each place takes and demands of this allowance. Call after bound() and update_peak_use().
void rate(std::span<SuppressShare> shares, MilliCpu allowance, MilliCpu capacity);

/// Sets `next` of each place, in any order of the places. No place gets less than `least`, so an allowance
/// below their sum is exceeded.
void divide(std::span<SuppressShare> shares, MilliCpu allowance);

}  // namespace evenkeel::suppress
