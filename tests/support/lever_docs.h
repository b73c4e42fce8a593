// The lines of the documentation's two tables that rows of the knob table give.
#pragma once

#include <string>

#include "qos/model/knob.h"

namespace evenkeel::test {

/// "| `cpu-quota` | `cpu.cfs_quota_us` | `cpu.max` | the original text |"
std::string lever_line(const KnobRow& lever);
/// "| `cpu-quota` | CFS quota of a cgroup | shares, and CPU sets by suppression |"; empty: the row describes
/// no capability.
std::string capability_line(const KnobRow& lever);

}  // namespace evenkeel::test
