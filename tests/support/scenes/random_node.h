// Random nodes and configurations, for properties that hold on every node.
#pragma once

#include <random>

#include "qos/model/nodeslo.h"
#include "qos/model/snapshot.h"

namespace evenkeel::test {

class Dice {
 public:
  explicit Dice(unsigned seed) : random_(seed) {}
  std::int64_t roll(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random_);
  }
  bool chance(int percent) { return roll(1, 100) <= percent; }

 private:
  std::mt19937 random_;
};

/// Pods of every class, host applications, settings of v1 or v2; anything may be unknown.
NodeSnapshot random_node(Dice& dice);
/// Each section on or off, its numbers anywhere in their ranges.
NodeSlo random_slo(Dice& dice);

}  // namespace evenkeel::test
