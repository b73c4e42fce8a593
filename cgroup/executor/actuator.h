// The interface of actuators besides the executor: each applies its part of the intents to something that is
// not a cgroup value, restores it, and reports what happened. Does not decide what is intended.
#pragma once

#include <cstdint>
#include <vector>

#include "cgroup/executor/executor.h"
#include "qos/decide/intent.h"

namespace evenkeel::executor {

/// Counted since the start; held and quarantined are current.
struct ActuatorTotals {
  std::uint64_t writes = 0, restored = 0, refusals = 0, foreign = 0;
  std::size_t held = 0, quarantined = 0;
  ActuatorTotals& operator+=(const ActuatorTotals& other) {
    writes += other.writes;
    restored += other.restored;
    refusals += other.refusals;
    foreign += other.foreign;
    held += other.held;
    quarantined += other.quarantined;
    return *this;
  }
};

class Actuator {
 public:
  virtual ~Actuator() = default;
  /// Applies its part of the intents. Adds what it did to `report`.
  virtual void serve(const decide::Intents& intents, MonoTime now, Report& report) = 0;
  /// Restores everything, for an orderly stop. Ignores back-offs.
  virtual void restore_all(MonoTime now, Report& report) = 0;
  virtual void add_managed(std::vector<Managed>& out) const = 0;
  [[nodiscard]] virtual ActuatorTotals totals() const = 0;
};

}  // namespace evenkeel::executor
