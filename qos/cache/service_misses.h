// Counts the last-level cache misses of services per instruction, compares them with each service's best
// times, and computes which share of the cache traffic is best effort's. Fixed memory per container. Does not
// decide anything.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "qos/model/ids.h"
#include "qos/model/task_measurements.h"
#include "qos/model/units.h"

namespace evenkeel::cache {

class ServiceMisses {
 public:
  enum class Whose : std::uint8_t { service, best_effort };

  /// Adds a window that ended now. One without misses (another process used the counter) discards what was
  /// known.
  void take(const CpuCounts& counts, Whose whose, MonoTime now);
  /// Treats values older than `valid` as unknown; a container without values for much longer is removed.
  void age(MonoTime now, Duration valid);

  /// Misses per instruction of all services; absent: not known of any.
  [[nodiscard]] std::optional<double> per_instruction() const;
  /// The same as a multiple of the services' references, none of which counts as less than `least` misses per
  /// instruction. A service weighs as much as its instructions, so which of them run makes no difference.
  [[nodiscard]] std::optional<double> above_reference(double least) const;
  /// Best effort's share of what is loaded into the cache; absent: no misses are known.
  [[nodiscard]] std::optional<double> best_effort_share() const;
  /// Marks the current values as the state before, for change_since().
  void mark();
  /// For the services counted wholly after `since`: their misses as a multiple of those expected from the
  /// marked values. Absent: no service was counted before and after.
  [[nodiscard]] std::optional<double> change_since(MonoTime since) const;

 private:
  struct Container {
    CgroupId cgroup{};
    Whose whose = Whose::service;
    MonoTime began{}, ended{};  ///< of the newest window
    bool known = false;
    double misses = 0, instructions = 0;  ///< per second
    double per_instruction = 0;
    std::optional<double> reference{}, marked{};  ///< misses per instruction
    MonoTime taught{};                            ///< when the reference last changed
  };
  Container& of(CgroupId cgroup, Whose whose);
  static void learn(Container& one, MonoTime now);

  std::vector<Container> containers_{};  ///< ascending by cgroup
};

}  // namespace evenkeel::cache
