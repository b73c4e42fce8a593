// What can be lent, a second time: written straight from the reference, one plain number after the other,
// sharing nothing with qos/lendable*.cpp. Slow and long-winded on purpose.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "qos/lending/lendable.h"
#include "qos/lending/lendable_zones.h"

namespace evenkeel::test {

using NaiveAmount = std::optional<std::int64_t>;
using NaivePair = std::array<NaiveAmount, 2>;  ///< thousandths of a CPU, bytes

struct NaiveLending {
  NaivePair batch{}, mid{};
  std::vector<NaivePair> zones{};
};
NaiveLending naive_lending(const lending::LendInput& input, const std::vector<lending::Zone>& zones);

}  // namespace evenkeel::test
