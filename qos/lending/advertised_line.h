// One of the four resources on its way to the Node: the advertised amount, the wanted amount and why. Does
// not decide whether anything is written, which depends on all four.
#pragma once

#include "qos/lending/advertised.h"

namespace evenkeel::lending {

enum class LentCause : std::uint8_t {
  computed,
  unknown,   ///< it cannot be computed now: the advertised amount stays
  degraded,  ///< it could not be computed for long: only what pods hold
  off,       ///< colocation is disabled: likewise, and nothing at all when they hold nothing
};

enum class LentChange : std::uint8_t { none, small, rise, drop };

struct LentLine {
  std::optional<std::int64_t> standing{}, wanted{}, held{};
  LentCause cause = LentCause::computed;
  LentChange change = LentChange::none;
  Duration age{};         ///< of the data
  std::string unknown{};  ///< why it cannot be computed

  /// A resource that we never advertised does not fall short either.
  [[nodiscard]] bool below_requested(const std::optional<std::int64_t>& amount) const {
    return held && (amount || cause != LentCause::off) && amount.value_or(0) < *held;
  }
};

/// "batch-cpu: 25000 to 21000, less can be lent"; empty when there is nothing to report. `taken`: the wanted
/// amount will be advertised.
std::string lent_text(LentResource resource, const LentLine& line, bool taken);

}  // namespace evenkeel::lending
