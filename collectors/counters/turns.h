// Chooses the container to count next: each once per period, evenly spread. Does not open files or counters.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "cgroup/tree/tree.h"
#include "qos/model/units.h"

namespace evenkeel::counters {

struct Countable {
  CgroupId id{};
  std::string dir{};  ///< in the hierarchy of perf_event, relative to the host's root; empty if there is none
  std::size_t position = 0;             ///< in the tree, and in NodeSnapshot::cgroups
  std::optional<MonoTime> last_turn{};  ///< absent: had none yet
};

class CounterRotation {
 public:
  /// Takes containers and host applications from the tree. Those that stay keep their place in the queue.
  void follow(const tree::CgroupTree& tree);
  /// Advances the time: turns become due at an even rate.
  void pass(std::optional<Duration> since_previous, Duration period);
  /// Takes the turn of the container that has waited longest, new ones first; `may` says which can be counted
  /// now. Null: no turn is due, or no container can take it.
  template <class May>
  const Countable* take_due(MonoTime now, Duration period, May may) {
    if (due_ < 1) return nullptr;
    Countable* next = nullptr;
    for (Countable& one : all_) {
      const bool early = one.last_turn && now - *one.last_turn < period;
      if (!early && (next == nullptr || one.last_turn < next->last_turn) && may(one)) next = &one;
    }
    if (next == nullptr) return nullptr;
    next->last_turn = now;
    due_ -= 1;
    return next;
  }
  [[nodiscard]] const std::vector<Countable>& all() const { return all_; }

 private:
  std::vector<Countable> all_{};
  double due_ = 1;  ///< turns that may begin now
};

}  // namespace evenkeel::counters
