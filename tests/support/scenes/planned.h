// Prints a plan as text, one step per line.
#pragma once

#include <string>
#include <vector>

#include "cgroup/kernel/rules.h"

namespace evenkeel::test {

std::string say(const std::vector<kernel::PlannedWrite>& steps);

}  // namespace evenkeel::test
