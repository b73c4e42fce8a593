// Renders what `evenkeel check` prints. Does not read the file or decide the exit status (problems empty =
// 0).
#pragma once

#include <string>

#include "agent/config/nodeslo_config.h"

namespace evenkeel::config {

/// With problems: only those, one line each. Else every effective value with its origin, then the notices.
std::string render_check(const NodeSloConfig& config);

}  // namespace evenkeel::config
