// Which blame of a tick is passed on pair by pair where there are too many pairs: the longest, but some of
// every victim. What is cut is added up for each victim. Arithmetic.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "qos/model/task_measurements.h"

namespace evenkeel::run_queue {

class BlameSelection {
 public:
  /// Pairs that one tick passes on.
  static constexpr std::size_t kMaxPairs = 1024;
  /// Of each victim so many at least, waits and shared cores apart, as long as there is room for all victims:
  /// else the longest of everybody come first, then the second, and so on.
  static constexpr std::uint32_t kMinPerVictim = 3;
  /// As many as the kernel's table has; with more, the shortest are added up early.
  static constexpr std::size_t kMaxCandidates = 4096;

  BlameSelection();
  /// One pair of this tick.
  void add(const WaitBlame& blame);
  /// Of this tick, and not known pair by pair.
  void add_rest(const BlameRest& rest);
  /// Passes on what was noted since the last time. Allocates only for more than `into` ever had.
  void emit(RunQueue& into);

 private:
  struct Candidate {
    WaitBlame blame{};
    std::uint32_t place = 0;  ///< among its victim's own, the longest is 0; never above kOfEach
  };
  void cut();
  void add_up_rests();
  std::vector<Candidate> candidates_{};
  std::vector<BlameRest> rests_{};
  std::uint64_t cut_ = 0;
};

}  // namespace evenkeel::run_queue
