// Which features of a configuration need more rights than the base installation has.
#pragma once

#include <string>
#include <vector>

#include "qos/model/nodeslo.h"

namespace evenkeel::cli {

/// A line for each: the feature, and the name of the kustomize overlay and of the systemd drop-in that give
/// the rights, or of the one of them that is needed (docs/permissions.md). Empty: the base is enough.
std::vector<std::string> needed_rights(const NodeSlo& slo);
/// A line about the right that no feature needs and each configuration may use.
std::string optional_right();

}  // namespace evenkeel::cli
