// NodeSLO texts that several tests read.
#pragma once

#include <string>

namespace evenkeel::test {

/// Every section of the schema in use, as a whole NodeSLO object.
std::string full_nodeslo();

}  // namespace evenkeel::test
