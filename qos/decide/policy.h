// What a policy is: a name, a switch and a pure function from what is known to what is wished.
// May not: keep statics, clocks or files. What it must remember between ticks is a member of PolicyState.
#pragma once

#include <span>
#include <string_view>

#include "qos/brake/state.h"
#include "qos/cache/state.h"
#include "qos/cpu/burst/state.h"
#include "qos/cpu/suppress/state.h"
#include "qos/decide/intent.h"
#include "qos/interference/state.h"
#include "qos/io/disk_state.h"
#include "qos/memory/memory_qos_state.h"
#include "qos/memory/push_back_state.h"
#include "qos/memory/reclaim_state.h"
#include "qos/model/nodeslo.h"
#include "qos/model/snapshot.h"

namespace evenkeel::decide {

/// Everything that policies remember from tick to tick; a value, so that a tick can be replayed.
struct PolicyState {
  suppress::CpuSuppressState cpu_suppress{};
  burst::CpuBurstState cpu_burst{};
  memory::MemoryQosState memory_qos{};
  memory::MemoryPushBackState memory_push_back{};
  memory::MemoryReclaimState memory_reclaim{};
  cache::ResctrlState resctrl{};
  io::BlkioState blkio{};
  interference::InterferenceState interference{};
  brake::BrakeState brake{};
  std::string core_sched_name{};  ///< room to put a group's name together
};

struct PolicySpec {
  std::string_view name;
  std::string_view summary;
  /// Whether this configuration turns the policy on. Off: decide is not called, its values go back, its state
  /// is reset.
  bool (*enabled)(const NodeSlo&);
  void (*decide)(const NodeSnapshot&, const NodeSlo&, PolicyState&, Intents&);
  /// Forget: called when the policy is switched off.
  void (*reset)(PolicyState&);
};

/// THE list of policies, in the order of their rank.
std::span<const PolicySpec* const> policies();
/// "restore" for an index that is no policy's: what was put back without one.
std::string_view policy_name(PolicyIndex by);

/// One tick's decisions: every enabled policy in order.
void decide_all(const NodeSnapshot& node, const NodeSlo& slo, PolicyState& state, Intents& out);

}  // namespace evenkeel::decide
