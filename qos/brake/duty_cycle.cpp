#include "qos/brake/duty_cycle.h"

#include <algorithm>

namespace evenkeel::brake {
namespace {

constexpr Duration kStep = std::chrono::seconds(1);

std::int64_t second_of(MonoTime time) { return time.time_since_epoch() / kStep; }

}  // namespace

void DutyCycle::add(MonoTime from, MonoTime to) {
  from = std::max(from, to - kSpan);
  while (from < to) {
    const std::int64_t number = second_of(from);
    const MonoTime end = std::min(to, MonoTime(kStep * (number + 1)));
    auto& second = seconds_[static_cast<std::size_t>(number) % seconds_.size()];
    if (second.number != number) second = {number, {}};
    second.on += end - from;
    from = end;
  }
}

Duration DutyCycle::spent(MonoTime now) const {
  const std::int64_t oldest = second_of(now) - kSpan / kStep;
  Duration sum{};
  for (const auto& second : seconds_)
    if (second.number >= oldest) sum += second.on;
  return sum;
}

}  // namespace evenkeel::brake
