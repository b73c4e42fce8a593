// What a policy is, and the helpers that several policies use.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "qos/decide/intent.h"
#include "qos/decide/shared.h"
#include "qos/model/nodeslo.h"
#include "qos/model/snapshot.h"

namespace evenkeel::decide {

// Sets the CPU quota of the BestEffort directory, for every policy that limits best effort as a whole. On
// cgroup v1 the cgroups inside of it get it as well. Does not decide how much the quota is.

/// No policy limits best effort below this: Koordinator's minimum, 2000 µs of CPU time per 100 ms.
inline constexpr MilliCpu kMinBesteffortCpu{20};

/// Why a CFS quota on best effort would harm services. On EEVDF kernels (Linux 6.6) a throttled group that
/// gets its quota back may keep a waking service off the CPU for up to a scheduler tick, unless its tasks ask
/// for more than a service's tasks do: a waking task with a shorter request preempts one with a longer
/// request at once (PREEMPT_SHORT, Linux 6.12; docs/measured-levers.md).
enum class QuotaHarm : std::uint8_t {
  none,                   ///< it does not
  no_request_sizes,       ///< EEVDF, and best effort's tasks do not ask for more than services' tasks
  refused_request_sizes,  ///< the same, because the kernel refused to set that
  found,                  ///< on this node, by "proof"
};
/// A verdict on this node comes first: a reader need not look for another reason.
QuotaHarm quota_harm(const NodeSnapshot& node, const NodeSlo& slo, const HarmfulLevers& harmful);
/// For people: "a quota …"; empty: it does no harm.
std::string_view sentence(QuotaHarm harm);
/// No policy sets a quota on best effort where this is false.
inline bool quota_is_harmless(const NodeSnapshot& node, const NodeSlo& slo, const HarmfulLevers& harmful) {
  return quota_harm(node, slo, harmful) == QuotaHarm::none;
}

/// Adds an intent for this quota. `limit.quota` is present.
void limit_besteffort(const NodeSnapshot& node, const CpuLimit& limit, const Reason& why,
                      NarrowedChildren& narrowed, Intents& out);
/// Keeps the value in force.
void hold_besteffort_limit(const NodeSnapshot& node, const NarrowedChildren& narrowed, const Reason& why,
                           Intents& out);

// Defines a policy: a name, a switch and a pure function from the snapshot to intents. Does not know any
// policy: each keeps its state in its own folder. No policy keeps statics, clocks or files.

struct PolicySpec {
  std::string_view name;
  std::string_view summary;
  /// Whether this configuration turns the policy on. Off: nothing is decided, its values are restored, and
  /// its state is reset.
  bool (*enabled)(const NodeSlo&);
};

/// The state of a policy that remembers nothing.
struct NoState {};

/// A policy with the type of its state (a plain value, so that a tick can be replayed) and the facts that it
/// publishes and reads.
template <class StateType, class... Uses>
struct Policy : PolicySpec {
  using State = StateType;
  using Facts = FactView<Uses...>;

  void (*decide)(const NodeSnapshot&, const NodeSlo&, State&, Facts, Intents&);

  /// One tick.
  void run(const NodeSnapshot& node, const NodeSlo& slo, State& state, Shared& shared, Intents& out) const {
    if (enabled(slo))
      decide(node, slo, state, Facts(shared), out);
    else
      reset(state, shared);
  }
  /// Resets its state and withdraws the facts it has published.
  static void reset(State& state, Shared& shared) {
    state = State{};
    Facts(shared).withdraw();
  }
};

/// All policies in the order of their rank (qos/registry.h).
std::span<const PolicySpec* const> policies();
/// "restore" for kNoPolicy.
std::string_view policy_name(PolicyIndex by);

}  // namespace evenkeel::decide
