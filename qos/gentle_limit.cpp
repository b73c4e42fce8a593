#include "qos/gentle_limit.h"

#include <algorithm>

namespace evenkeel {
namespace {
constexpr std::int64_t kRoomPercent = 2, kRoomStep = std::int64_t{1} << 20;
}

Bytes gentle_limit(Bytes wanted, Bytes used, Bytes now) {
  const auto roomy = scaled_up(used.count(), 100 + kRoomPercent, 100);
  const Bytes least(scaled(scaled_up(roomy, 1, kRoomStep), kRoomStep, 1));
  if (wanted >= least) return wanted;
  return now > least ? least : std::max(now, wanted);
}

}  // namespace evenkeel
