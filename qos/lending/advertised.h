// What the Node advertises of the lendable resources, and one of them on its way there.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "qos/lending/lendable.h"

namespace evenkeel::lending {

// Computes what the Node should advertise of the lendable resources: steady numbers that follow a drop at
// once, that are never guessed, and that never silently fall below what pods hold. Pure; the state is passed
// in and out. Does not talk to the API server, add jitter or limit a rate (the writer does).

/// As published: whole thousandths of a CPU, bytes. Absent: not advertised, or not known.
using LentAmounts = std::array<std::optional<std::int64_t>, kLentCount>;

/// What pods request of it, running or pending. Unknown when one of them may be a batch pod and is known from
/// its cgroup only.
LentAmounts requested_amounts(const std::vector<Pod>& pods);
/// The part of it that pods request which the kubelet has started. A kubelet that restarts checks them
/// against the Node again, and fails for good those that no longer fit.
LentAmounts started_amounts(const std::vector<Pod>& pods);

struct AdvertiseInput {
  const Lendable& lendable;
  const RecentUsage& usage;  ///< how old the data is
  const NodeObject& object;  ///< CPU normalization, what third parties have taken
  const std::vector<Pod>& pods;
  const ColocationStrategy& strategy;
  MonoTime now{};
  bool pods_known = true;
};

struct AdvertiseState {
  LentAmounts standing{};             ///< what is advertised now: found at the start, then set by written()
  bool ours = false;                  ///< the agent wrote what is advertised now
  std::optional<MonoTime> renewed{};  ///< absent: not since the start; the first computed numbers are taken
  std::array<std::optional<MonoTime>, kLentCount>
      data{};  ///< time of the newest data that each was computed from
};

struct Advertised {
  LentAmounts amounts{};         ///< what should be advertised now
  bool write = false;            ///< it differs from what is advertised; call written() after the write
  bool urgent = false;           ///< a drop: write at once, without the usual delay between writes
  LentAmounts held{};            ///< requested_amounts() of the pods
  LentAmounts computed{};        ///< what can be lent of what the agent advertises, also where it advertises
                                 ///< more because started pods request it
  bool below_requested = false;  ///< less can be lent, or is advertised, than pods request
  std::string why{};             ///< a clause for each resource that is not as computed
};
Advertised advertise(const AdvertiseInput& input, AdvertiseState& state);
void written(const Advertised& advertised, MonoTime now, AdvertiseState& state);

// One of the four resources on its way to the Node: the advertised amount, the wanted amount and why. Does
// not decide whether anything is written, which depends on all four.

enum class LentCause : std::uint8_t {
  computed,
  unknown,   ///< it cannot be computed now: the advertised amount stays
  degraded,  ///< it could not be computed for long: only what pods hold
  off,       ///< colocation is disabled: likewise, and nothing at all when they hold nothing
};

enum class LentChange : std::uint8_t { none, small, rise, drop };

struct LentLine {
  std::optional<std::int64_t> standing{}, wanted{}, held{};
  std::optional<std::int64_t> computed{};  ///< what can be lent
  std::optional<std::int64_t> floor{};     ///< what started pods request of it
  LentCause cause = LentCause::computed;
  LentChange change = LentChange::none;
  Duration age{};         ///< of the data
  std::string unknown{};  ///< why it cannot be computed

  /// The kubelet started pods that request more than can be lent now.
  [[nodiscard]] bool at_floor() const {
    return cause == LentCause::computed && floor && computed && *computed < *floor;
  }
  /// A resource that we never advertised does not fall short either.
  [[nodiscard]] bool below_requested(const std::optional<std::int64_t>& amount) const {
    return held && (amount || cause != LentCause::off) && amount.value_or(0) < *held;
  }
};

/// "batch-cpu: 25000 to 21000, less can be lent"; empty when there is nothing to report. `taken`: the wanted
/// amount will be advertised.
std::string lent_text(LentResource resource, const LentLine& line, bool taken);

}  // namespace evenkeel::lending
