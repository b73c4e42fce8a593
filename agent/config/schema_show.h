// Lists the effective settings, row by row, for display. Does not check them.
#pragma once

#include <vector>

#include "agent/config/nodeslo_config.h"
#include "agent/config/schema_read.h"

namespace evenkeel::config {

/// Every field of the schema in its order; of lists, every element present.
std::vector<EffectiveSetting> effective_settings(const NodeSlo& slo, const SchemaRead& read);

}  // namespace evenkeel::config
