// What the Node should advertise of what can be lent: steady numbers that follow a drop at once, that nobody
// guesses, and that never fall below what pods hold without a word. Pure; the state is passed in and out.
// May not: talk to the API server, draw lots or limit a rate (who writes does).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "qos/lending/lendable.h"

namespace evenkeel::lending {

/// As they are published: whole thousandths of a CPU, bytes. Absent: not advertised, or not known.
using LentAmounts = std::array<std::optional<std::int64_t>, kLentCount>;

/// What pods request of it, running or about to. Unknown when one of them may be a batch pod and is known
/// from its cgroup only.
LentAmounts requested_amounts(const std::vector<Pod>& pods);

struct AdvertiseInput {
  const Lendable& lendable;
  const RecentUsage& usage;  ///< how old the data is
  const NodeObject& object;  ///< CPU normalization, what third parties took
  const std::vector<Pod>& pods;
  const ColocationStrategy& strategy;
  MonoTime now{};
  bool pods_known = true;
};

struct AdvertiseState {
  LentAmounts standing{};             ///< what is advertised now: what was found at first, then written()
  std::optional<MonoTime> renewed{};  ///< absent: not since the start; the first computed numbers are taken
  std::array<std::optional<MonoTime>, kLentCount> data{};  ///< of the newest that each was computed from
};

struct Advertised {
  LentAmounts amounts{};         ///< what should stand now
  bool write = false;            ///< it is not what stands; call written() when it does
  bool urgent = false;           ///< a drop: to be written at once, whatever else spreads writes in time
  LentAmounts held{};            ///< requested_amounts() the pods
  bool below_requested = false;  ///< less is advertised than pods hold: a restarted kubelet would fail them
  std::string why{};             ///< a clause for each resource that is not simply as computed
};
Advertised advertise(const AdvertiseInput& input, AdvertiseState& state);
void written(const Advertised& advertised, MonoTime now, AdvertiseState& state);

}  // namespace evenkeel::lending
