// The list of node collectors, in the order in which they run.
#pragma once

#include <span>

#include "collectors/base/collector.h"

namespace evenkeel {

std::span<const CollectorSpec* const> node_collectors();

}  // namespace evenkeel
