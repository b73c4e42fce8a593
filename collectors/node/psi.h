// Pressure stall information: the same three files for the machine and for each cgroup.
#pragma once

#include <optional>
#include <string_view>

#include "qos/model/snapshot.h"

namespace evenkeel::node {

/// "some avg10=0.00 avg60=0.00 avg300=0.00 total=0" and the same with "full", which old kernels leave out for
/// the CPU. Absent for anything else.
std::optional<Pressure> parse_pressure(std::string_view text);

}  // namespace evenkeel::node
