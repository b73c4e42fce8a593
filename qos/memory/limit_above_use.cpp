#include "qos/memory/limit_above_use.h"

#include <algorithm>

namespace evenkeel::memory {

Bytes with_room(Bytes used) {
  constexpr std::int64_t kRoomPercent = 2, kRoomStep = std::int64_t{1} << 20;
  const auto roomy = scaled_up(used.count(), 100 + kRoomPercent, 100);
  return Bytes(scaled(scaled_up(roomy, 1, kRoomStep), kRoomStep, 1));
}

Bytes gentle_limit(Bytes wanted, Bytes used, Bytes now) {
  const Bytes least = with_room(used);
  if (wanted >= least) return wanted;
  return now > least ? least : std::max(now, wanted);
}

}  // namespace evenkeel::memory
