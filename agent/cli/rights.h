// Which features of a configuration need more rights than the base installation has.
#pragma once

#include <string>
#include <vector>

#include "qos/model/nodeslo.h"

namespace evenkeel::cli {

/// A line for each: the feature, and the name of the kustomize overlay, Helm value and systemd drop-in that
/// gives the rights (docs/permissions.md). Empty: the base is enough.
std::vector<std::string> needed_rights(const NodeSlo& slo);

}  // namespace evenkeel::cli
