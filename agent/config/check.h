// What evenkeel check prints, and the example file written from the schema's rows.
#pragma once

#include <string>
#include <vector>

#include "agent/config/nodeslo_config.h"
#include "agent/config/schema_read.h"

namespace evenkeel::config {

// What `evenkeel check` prints. May not: read the file or decide the exit status (problems empty = 0).

/// With problems: only those, one line each. Else every effective value with its origin, then the notices.
std::string render_check(const NodeSloConfig& config);

// systemd/nodeslo.yaml, written from the schema's rows: every key with its default, its unit and one line.

std::string render_example();

// The effective settings, row by row, for people. May not: judge them.

/// Every field of the schema in its order; of lists, every element that is there.
std::vector<EffectiveSetting> effective_settings(const NodeSlo& slo, const SchemaRead& read);

}  // namespace evenkeel::config
