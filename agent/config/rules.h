// What no single row can know: settings that contradict each other, partners that are missing, sections whose
// loop this version does not have. May not: change a setting, save for a host application's default
// directory.
#pragma once

#include "agent/config/schema_read.h"
#include "qos/model/nodeslo.h"

namespace evenkeel::config {

/// Contradictions become problems.
void check_rules(NodeSlo& slo, SchemaRead& read);
/// rules_host.cpp: names and directories of hostApplications.
void check_host_applications(NodeSlo& slo, SchemaRead& read);
/// rules_interference.cpp: models that are given.
void check_given_normals(const InterferenceSettings& settings, SchemaRead& read);
/// rules_notices.cpp: what is legal, but has no effect (yet).
void add_notices(const NodeSlo& slo, SchemaRead& read);

}  // namespace evenkeel::config
