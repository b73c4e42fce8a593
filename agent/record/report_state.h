// The outcome of a periodic report, for the pages and metrics. Does not hold the reported data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "qos/model/units.h"

namespace evenkeel::record {

struct ReportState {
  std::uint64_t accepted = 0, failures = 0;
  std::optional<MonoTime> last_accepted{};
  std::string last_error{};  ///< why the last report was not accepted; empty: it was
};

}  // namespace evenkeel::record
