// Policy "objectives": how much CPU best effort may have, by what services say of themselves.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "qos/decide/policy.h"

namespace evenkeel::objectives {

// Gradient control in the manner of Heracles (Lo et al., ISCA 2015, "top-level controller"): while every
// figure is below its target by a margin, best effort grows; with less to spare it holds; at the target it is
// cut at once; far beyond it pauses. Sets no lever itself: cpu-suppress, memory-push-back and blkio do.
//
// What the figures steer is the CPU time of all work together, and best effort has what the rest leaves of
// it. So it makes room in the tick in which services use more, before a figure can tell: figures come every
// few seconds, and are of the past.

enum class Standing : std::uint8_t {
  absent,   ///< none of its pods runs here, nor its host application
  unknown,  ///< no figure, or a stale one
  ample,    ///< better than the target by the margin or more
  near,     ///< better than the target
  missed,
  far,  ///< so far beyond the target that best effort pauses
};
std::string_view name(Standing standing);
std::string_view name(Stall stall);

struct ObjectiveStanding {
  Standing standing = Standing::absent;
  Standing reported = Standing::absent;  ///< as last reported: `near` is no news
  double slack = 0;                      ///< between figure and target, of the target; negative: missed
  Stall stall = Stall::none;             ///< what its pods wait for most (PSI)
  std::optional<MonoTime> unknown_since{};
};

struct ObjectiveEvent {
  std::size_t objective = 0;  ///< its index
  Standing standing{};
};

struct ObjectivesState {
  std::vector<Objective> configured{};    ///< in the last decision
  std::vector<ObjectiveStanding> each{};  ///< of `configured`, in the same order
  /// What best effort and all else may use together. Above the node's capacity: best effort may take CPU time
  /// that others want, too; twice the capacity: as much as it likes. Absent: no objective is in force.
  std::optional<MilliCpu> together{};
  MilliCpu others{};            ///< what all but best effort uses, as last known
  double besteffort_disks = 1;  ///< share of its limits on disks that best effort may have
  std::optional<MonoTime> paused_until{};
  std::optional<MonoTime> missed_since{};  ///< the target, without a pause
  std::optional<MonoTime> acted{};         ///< time of the newest figure that decided
  std::optional<MonoTime> shrunk{};        ///< and of the newest one that shrank anything
  std::vector<ObjectiveEvent> events{};    ///< of this tick
};

/// What best effort may have now, at most the node.
MilliCpu besteffort_part(const ObjectivesState& state, MilliCpu capacity);

/// Per second, of the node, while best effort grows.
inline constexpr Percent kGrowth{2};
/// Of what best effort may have, or uses if that is less, after a cut. One cut for each new figure.
inline constexpr Percent kCutTo{80};
/// Of the node: cuts begin here if best effort uses less.
inline constexpr Percent kLeastCutFrom{10};
/// While the service waits for memory or disks most, and these are taken from best effort, its CPU is not cut
/// before.
inline constexpr Duration kOthersFirst = std::chrono::seconds(10);
/// Of its limits on disks: best effort always keeps so much.
inline constexpr Percent kLeastOfDisks{10};
/// What best effort may have of its limits on disks, in steps: growth does not write them with each figure.
Percent disks_in_steps(double share);

/// The objective that decides in this tick.
struct Tightest {
  std::size_t index = 0;
  const Objective* objective = nullptr;
  Standing standing{};
  MonoTime at{};  ///< of its figure
};
decide::ServiceObjectives::Move next_move(const Tightest& tightest, MonoTime now, ObjectivesState& state);
/// Cuts or raises what best effort may have, once for each new figure; with the same one it has what the
/// others leave now.
void step(const NodeSnapshot& node, const NodeSlo& slo, MilliCpu capacity,
          decide::ServiceObjectives::Move move, const Tightest& tightest, ObjectivesState& state);

using ObjectivesPolicy = decide::Policy<ObjectivesState, decide::Publishes<decide::ServiceObjectives>>;
extern const ObjectivesPolicy objectives_policy;

}  // namespace evenkeel::objectives
