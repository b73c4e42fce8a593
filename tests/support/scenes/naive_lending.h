// A second implementation of the lendable amounts, written directly from Koordinator with plain numbers and
// no code from qos/lending. Deliberately slow and verbose.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "qos/lending/lendable.h"

namespace evenkeel::test {

using NaiveAmount = std::optional<std::int64_t>;
using NaivePair = std::array<NaiveAmount, 2>;  ///< thousandths of a CPU, bytes

struct NaiveLending {
  NaivePair batch{}, mid{};
  std::vector<NaivePair> zones{};
};
NaiveLending naive_lending(const lending::LendInput& input, const std::vector<lending::Zone>& zones);

}  // namespace evenkeel::test
