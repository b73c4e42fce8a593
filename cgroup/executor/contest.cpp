#include "cgroup/executor/contest.h"

#include <algorithm>

namespace evenkeel::executor {

Contest::Step Contest::look(const Sighting& seen, MonoTime now, ForeignCounts& counts) {
  if (yielded()) return look_at_yielded(seen, now);
  if (seen.value == Sighting::Value::ours) return look_at_ours(seen.written, now);
  if (seen.value == Sighting::Value::reset && !is_insistent(seen, now)) return look_at_reset(seen, counts);
  if (ours()) ++counts.foreign;
  if (seen.value == Sighting::Value::as_intended) return Step::release;
  if (seen.restoring) return Step::yield;  // nothing is restored over a foreign value
  if (seen.owner_is_back || (ours() && rounds_ >= kMaxRounds)) return yield_to_owner(now, counts);
  if (ownership_ == Ownership::contested) return now - foreign_since_ < kPause ? Step::wait : Step::write;
  ownership_ = Ownership::contested;
  foreign_since_ = now;
  return Step::report;
}

Contest::Step Contest::look_at_ours(bool written, MonoTime now) {
  ownership_ = Ownership::ours;
  is_reset_ = false;
  if (!written && rounds_ > 0 && now - overwritten_at_ > kQuietPeriod) {
    rounds_ = 0;
    quiet_required_ = {};
  }
  return Step::keep;
}

Contest::Step Contest::look_at_yielded(const Sighting& seen, MonoTime now) {
  if (seen.value != Sighting::Value::before_us || seen.written) foreign_since_ = now;
  return seen.value == Sighting::Value::before_us && now - foreign_since_ >= quiet_required_ ? Step::write
                                                                                             : Step::wait;
}

bool Contest::is_insistent(const Sighting& seen, MonoTime now) {
  if (seen.by_systemd || seen.restoring) return false;
  if (insistent_ || is_reset_) return insistent_;
  if (now - resets_from_ > kPause) {
    resets_from_ = now;
    resets_ = 0;
  }
  insistent_ = ++resets_ > kMostResets;
  return insistent_;
}

Contest::Step Contest::look_at_reset(const Sighting& seen, ForeignCounts& counts) {
  if (!is_reset_) ++counts.resets;
  is_reset_ = true;
  if (seen.restoring) return Step::release;
  ownership_ = Ownership::ours;
  return Step::put_back;
}

Contest::Step Contest::yield_to_owner(MonoTime now, ForeignCounts& counts) {
  ++counts.yielded;
  ownership_ = Ownership::yielded;
  foreign_since_ = now;
  quiet_required_ = std::clamp(quiet_required_ * 2, kQuietPeriod, kMaxQuietPeriod);
  return Step::yield;
}

void Contest::written(MonoTime now) {
  is_reset_ = false;
  if (ours()) return;
  insistent_ = false;
  resets_ = 0;
  ownership_ = Ownership::ours;
  overwritten_at_ = now;
  ++rounds_;
}

Foreign Contest::describe(Step step, Foreign foreign) const {
  foreign.round = rounds_;
  foreign.yielded = step == Step::yield;
  return foreign;
}

}  // namespace evenkeel::executor
