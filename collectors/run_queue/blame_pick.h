// Chooses which blame of a tick is reported pair by pair when there are too many pairs: the longest, but some
// of every victim. The rest is summed for each victim. Arithmetic only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "qos/model/task_measurements.h"

namespace evenkeel::run_queue {

class BlameSelection {
 public:
  /// The most pairs reported per tick.
  static constexpr std::size_t kMaxPairs = 1024;
  /// The minimum for each victim, waits and shared cores separately, if there is room for all victims;
  /// otherwise every victim's longest pairs come first, then the second longest, and so on.
  static constexpr std::uint32_t kMinPerVictim = 3;
  /// The size of the kernel's table; beyond it, the shortest are summed early.
  static constexpr std::size_t kMaxCandidates = 4096;

  BlameSelection();
  /// Adds one pair of this tick.
  void add(const WaitBlame& blame);
  /// Adds blame of this tick that is not known pair by pair.
  void add_rest(const BlameRest& rest);
  /// Reports what was added since the last call. Allocates only when `into` needs more capacity than ever.
  void emit(RunQueue& into);

 private:
  struct Candidate {
    WaitBlame blame{};
    std::uint32_t place = 0;  ///< rank within its victim, 0 is the longest; never above kOfEach
  };
  void cut();
  void add_up_rests();
  std::vector<Candidate> candidates_{};
  std::vector<BlameRest> rests_{};
  std::uint64_t cut_ = 0;
};

}  // namespace evenkeel::run_queue
