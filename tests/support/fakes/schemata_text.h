// Writes schemata as the kernel prints them, without its blanks and leading zeros.
#pragma once

#include <string>

#include "cgroup/resctrl/text.h"

namespace evenkeel::test {

/// "MB:0=20;1=30\nL3:0=3;1=7ff\n"
std::string schemata_text(const resctrl::Schemata& schemata);

}  // namespace evenkeel::test
