// How many last-level cache misses services have for each instruction, held against what each of them had in
// its best times, and who else fills the cache. Fixed memory per container. May not: decide anything.
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

  /// A window that ended now. One without misses (the counter was somebody else's) takes away what was known.
  void take(const CpuCounts& counts, Whose whose, MonoTime now);
  /// What is older than `valid` is not known any more; who was not heard of for much longer is forgotten.
  void age(MonoTime now, Duration valid);

  /// Misses per instruction of all services; absent: not known of any.
  [[nodiscard]] std::optional<double> per_instruction() const;
  /// The same as a multiple of their references, none of which counts as less than `least` misses per
  /// instruction. A service weighs as much as its instructions, so which of them run makes no difference.
  [[nodiscard]] std::optional<double> above_reference(double least) const;
  /// Best effort's part in what is brought into the cache; absent: nobody's misses are known.
  [[nodiscard]] std::optional<double> best_effort_share() const;
  /// For change_since(): what is known now is how it was before.
  void mark();
  /// Of the services counted wholly after `since`: their misses as a multiple of what they would have been
  /// as they were marked. Absent: nobody was counted before and after.
  [[nodiscard]] std::optional<double> change_since(MonoTime since) const;

 private:
  struct Container {
    CgroupId cgroup{};
    Whose whose = Whose::service;
    MonoTime began{}, ended{};  ///< of the newest window
    bool known = false;
    double misses = 0, instructions = 0;  ///< a second
    double per_instruction = 0;
    std::optional<double> reference{}, marked{};  ///< misses per instruction
    MonoTime taught{};                            ///< when the reference last changed
  };
  Container& of(CgroupId cgroup, Whose whose);
  static void learn(Container& one, MonoTime now);

  std::vector<Container> containers_{};  ///< ascending by cgroup
};

}  // namespace evenkeel::cache
