// Merges many intents into one decision per (cgroup, knob); the rule is a column of the knob table.
#pragma once

#include <vector>

#include "qos/decide/intent.h"
#include "qos/model/snapshot.h"

namespace evenkeel::decide {

/// The winning intents, sorted by (target, knob), one each. A hold loses against any value. Intents for a
/// cgroup whose sample says hands_off, and all of them when the node is hands-off, are dropped: values
/// written there earlier are then restored.
void arbitrate(const NodeSnapshot& node, const NodeSlo& slo, Intents& intents, std::vector<Intent>& plan);

}  // namespace evenkeel::decide
