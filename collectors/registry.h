// The list of node collectors, in the order in which they run.
#pragma once

#include <span>

#include "collectors/base/collector.h"

namespace evenkeel::collectors {

std::span<const CollectorSpec* const> node_collectors();

}  // namespace evenkeel::collectors
