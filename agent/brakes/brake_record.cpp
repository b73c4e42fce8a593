#include "agent/brakes/brake_record.h"

#include <algorithm>

namespace evenkeel::brakes {

void BrakeRecord::braked_after(Duration took) {
  const auto bucket = std::ranges::lower_bound(kBounds, took) - kBounds.begin();
  ++reactions_[static_cast<std::size_t>(bucket)];
  reaction_time_ += took;
}

BrakeRecord::Change BrakeRecord::follow(const brake::BrakeState& state, MonoTime now) {
  Change moved;
  follow(state.cpu, now, cpu_, moved);
  follow(state.memory, now, memory_, moved);
  return moved;
}

void BrakeRecord::follow(const brake::BrakeLever& lever, MonoTime now, Lever& record, Change& moved) {
  if (lever.on == record.since.has_value()) return;
  (lever.on ? moved.on : moved.off) = true;
  if (lever.on) {
    record.since = now;
    ++record.brakes;
  } else {
    record.on += now - *record.since;
    record.since.reset();
  }
}

}  // namespace evenkeel::brakes
