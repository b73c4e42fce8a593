// Whether services feel far more than they usually do, on any node, also where nothing is configured that
// would know trouble.
#include <algorithm>

#include "qos/proof/proof.h"

namespace evenkeel::proof {
namespace {

/// What is read every second to fifth tick only still has a level in the ticks between.
constexpr double kForgotten = 0.2;
/// The level settles first, since levers may not have been in force yet. Its mean in the ticks after that is
/// the first high level.
constexpr std::int64_t kSettling = 30, kLearning = 30;
constexpr double kUnusual = 3;
/// Of the high level, with each tick above and below it. They balance if a tenth of the ticks are above. A
/// lasting load of ten times as much is usual after two minutes, and a short one does not move it much.
constexpr double kRise = 1.009, kFall = 0.999;

/// The high level is never less, so that a little is no trouble, however unusual: seconds in a tick.
double harmless(std::size_t feeling) {
  return feeling == static_cast<std::size_t>(Feeling::run_queue_wait) ? 100e-6 : 10e-3;
}

bool learn(double value, double least, Usual& usual) {
  usual.level = usual.ticks == 0 ? value : usual.level + kForgotten * (value - usual.level);
  if (usual.ticks < kSettling + kLearning) {
    const std::int64_t learned = ++usual.ticks - kSettling;
    if (learned > 0) usual.high += (usual.level - usual.high) / static_cast<double>(learned);
    return false;
  }
  usual.high = std::max(usual.high, least);
  const bool is_unusual = usual.level > kUnusual * usual.high;
  usual.high *= usual.level > usual.high ? kRise : kFall;
  return is_unusual;
}

}  // namespace

std::optional<Feeling> unusual(const Felt& now, std::array<Usual, kFeelings>& usual) {
  std::optional<Feeling> found;
  for (std::size_t i = 0; i < kFeelings; ++i)
    if (now[i] && learn(*now[i], harmless(i), usual[i]) && !found) found = static_cast<Feeling>(i);
  return found;
}

bool is_learning(const Felt& now, const std::array<Usual, kFeelings>& usual) {
  for (std::size_t i = 0; i < kFeelings; ++i)
    if (now[i] && usual[i].ticks < kSettling + kLearning) return true;
  return false;
}

}  // namespace evenkeel::proof
