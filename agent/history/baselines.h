// Keeps the baselines of this node's workloads over restarts in STATE_DIR/interference: loaded when the
// policy "interference" is switched on, saved while it is on. Does not learn.
#pragma once

#include "agent/history/checkpoint.h"
#include "qos/interference/interference.h"
#include "qos/model/nodeslo.h"
#include "qos/model/snapshot.h"

namespace evenkeel::history {

class Baselines {
 public:
  explicit Baselines(Checkpoint checkpoint) : checkpoint_(std::move(checkpoint)) {}

  /// Before each decision. Loads once the policy is on and something has been measured, because only then it
  /// is known how signals are measured; saves when the policy is switched off.
  void update(const NodeSnapshot& node, const NodeSlo& slo, MonoTime now,
              interference::InterferenceState& state, interference::InterferencePolicy::Facts facts);
  /// Saves while the policy is on, if a copy is due, or now because it is the last one.
  void save(const NodeSnapshot& node, const NodeSlo& slo, MonoTime now, bool last,
            interference::InterferenceState& state);

 private:
  void load(const NodeSnapshot& node, const NodeSlo& slo, MonoTime now,
            interference::InterferenceState& state, interference::InterferencePolicy::Facts facts);
  void save_now(const NodeSnapshot& node, const NodeSlo& slo, MonoTime now, bool last,
                interference::InterferenceState& state);

  Checkpoint checkpoint_;
  bool on_ = false;  ///< the policy has what was saved
};

}  // namespace evenkeel::history
