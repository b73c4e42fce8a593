// What a hand besides the executor is: it brings something that is no value of a cgroup to what is wished,
// and takes it back. Reports what happened. May not: decide what is wished.
#pragma once

#include <cstdint>
#include <vector>

#include "cgroup/executor/executor.h"
#include "qos/decide/intent.h"

namespace evenkeel::executor {

/// Since the start; held and quarantined are of now.
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
  /// Its part of the intents. Adds what it did to `report`.
  virtual void serve(const decide::Intents& intents, MonoTime now, Report& report) = 0;
  /// Everything is as it was: orderly stop. Back-offs do not count here.
  virtual void restore_all(MonoTime now, Report& report) = 0;
  virtual void add_managed(std::vector<Managed>& out) const = 0;
  [[nodiscard]] virtual ActuatorTotals totals() const = 0;
};

}  // namespace evenkeel::executor
