// Checks what no single schema row can: settings that contradict each other, missing partners, sections whose
// loop this version does not have. Does not change settings, except for a host application's default
// directory.
#pragma once

#include "agent/config/schema_read.h"
#include "qos/model/nodeslo.h"

namespace evenkeel::config {

/// Contradictions become problems.
void check_rules(NodeSlo& slo, SchemaRead& read);
/// rules_host.cpp: names and directories of hostApplications.
void check_host_applications(NodeSlo& slo, SchemaRead& read);
/// rules_interference.cpp: models given in the configuration.
void check_given_normals(const InterferenceSettings& settings, SchemaRead& read);
/// rules_notices.cpp: legal settings that have no effect (yet).
void add_notices(const NodeSlo& slo, SchemaRead& read);

}  // namespace evenkeel::config
