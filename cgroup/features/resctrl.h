// What resctrl offers here: part of probe(). Only looks; never mounts anything.
#pragma once

#include <vector>

#include "cgroup/features/features.h"

namespace evenkeel::features {

/// Rows "resctrl", "cache-ways", "memory-bandwidth" and "cache-monitor".
void probe_resctrl(const Host& host, std::vector<Capability>& out);

}  // namespace evenkeel::features
