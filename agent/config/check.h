// What evenkeel check prints, and the example file written from the schema's rows.
#pragma once

#include <string>
#include <vector>

#include "agent/config/nodeslo_config.h"
#include "agent/config/schema_read.h"

namespace evenkeel::config {

// Renders what `evenkeel check` prints. Does not read the file or decide the exit status (problems empty =
// 0).

/// With problems: only those, one line each. Else every effective value with its origin, then the notices.
std::string render_check(const NodeSloConfig& config);

// Renders systemd/nodeslo.yaml from the schema's rows: every key with its default, its unit and one line of
// description.

std::string render_example();

// Lists the effective settings, row by row, for display. Does not check them.

/// Every field of the schema in its order; of lists, every element present.
std::vector<EffectiveSetting> effective_settings(const NodeSlo& slo, const SchemaRead& read);

}  // namespace evenkeel::config
