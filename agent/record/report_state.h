// What became of a report that is made again and again, for whoever shows it.
// May not: hold what was reported.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "qos/model/units.h"

namespace evenkeel::record {

struct ReportState {
  std::uint64_t accepted = 0, failures = 0;
  std::optional<MonoTime> last_accepted{};
  std::string last_error{};  ///< why the last one was not; empty: it was
};

}  // namespace evenkeel::record
