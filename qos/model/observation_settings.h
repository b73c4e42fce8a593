// The settings of the policies that observe and set no lever: contention and proof.
#pragma once

#include <chrono>

#include "qos/model/units.h"

namespace evenkeel {

/// extensions.evenkeel.contention: tells schedulers that services wait on this node.
struct ContentionSettings {
  bool enable = false;  ///< the Node condition EvenkeelContended
  bool taint = false;   ///< and a taint of that name
  /// Of the time, stall of a service: at or above one of them the node counts as contended.
  Percent cpu_percent{30}, memory_percent{10}, io_percent{30};
  Duration raise_after{std::chrono::minutes(1)};  ///< of contention, before it is published
  Duration clear_after{std::chrono::minutes(5)};  ///< without contention, before it is withdrawn
};

/// extensions.evenkeel.proof: tests on the node whether levers help services (qos/proof).
struct ProofSettings {
  bool enable = false;
  Percent budget_percent{2};  ///< of the time in which one lever or another is withheld for a test
  bool withdraw = true;       ///< a lever that harms is withheld for good
};

}  // namespace evenkeel
