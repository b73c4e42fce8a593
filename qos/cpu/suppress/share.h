// Best effort may live in several places: the kubelet's BestEffort directory, and host applications outside
// of it, as services on a plain machine. They have one allowance together; here is who has a part of it, and
// how it is divided. May not: decide how much there is (qos/cpu/suppress/target.cpp) or when parts change
// (qos/cpu/suppress/shared.cpp).
//
// Everybody has his least. Of the rest each gets what he demands, from the smallest demand up, or an even
// part of what is left; what nobody demands is spread evenly, so that whoever wakes finds room. A place
// demands a quarter more than it lately used at most, and a little to wake up with; one that uses nearly all
// of its part, twice that. The parts are never more than the allowance together, and no part is more than its
// owner's own limit. Who is not held to his part (the kernel refused, somebody else has written) comes first
// with what he uses: that the others cannot have.
#pragma once

#include <optional>
#include <span>

#include "qos/model/snapshot.h"

namespace evenkeel::suppress {

/// One of the places in which best effort lives: the BestEffort directory, or a host application outside.
struct SuppressShare {
  CgroupId place{};
  bool directory = false;
  CpuLimit own{};       ///< what the application's owner set; its part is never more
  CpuLimit in_force{};  ///< what the kernel held when last seen
  std::optional<QuotaTime> asked{};
  MilliCpu granted{};  ///< its part of the allowance
  MonoTime born{}, seen{};
  bool measured = false;            ///< its use was known at least once
  MilliCpu peak{}, earlier_peak{};  ///< of its use, since `watched` and in the time before
  MonoTime watched{};

  // Of this decision:
  std::optional<MilliCpu> use{};
  MilliCpu least{}, most{};
  MilliCpu taken{};  ///< what it uses while the kernel does not hold it to its part
  MilliCpu demand{};
  MilliCpu next{};  ///< its part, if the allowance is divided now
  bool hungry = false;
};

/// Whether this application has a part of the allowance for itself, held by its own quota: a best-effort one
/// outside of the BestEffort directory whose quota can be read, with nobody else's work below it (a quota
/// would hold that as well), no second name, and not inside of another one that has a part.
bool has_share(const NodeSnapshot& node, const HostApplicationSample& app);

/// Whether suppression holds this application: it has a share, lies inside of one that has, or in the
/// BestEffort directory.
bool is_suppressed(const NodeSnapshot& node, const HostApplicationSample& app);

/// Sets least and most, from the limits.
void bound(SuppressShare& share);

/// Takes in what it uses now. A peak is forgotten after one to two times `memory`.
void update_peak_use(SuppressShare& share, std::optional<MilliCpu> use, MonoTime now, Duration memory);

/// Sets what everybody takes and demands of this allowance. After bound() and update_peak_use().
void rate(std::span<SuppressShare> shares, MilliCpu allowance, MilliCpu capacity);

/// Sets `next` of everybody, in any order of the places. Nobody gets less than `least`, so an allowance below
/// the sum of those is exceeded.
void divide(std::span<SuppressShare> shares, MilliCpu allowance);

}  // namespace evenkeel::suppress
