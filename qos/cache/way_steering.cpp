#include "qos/cache/way_steering.h"

#include <algorithm>

namespace evenkeel::cache {
namespace {

// A quarter of the remaining ways at a time, so that a wide range does not need as many trials as it has
// ways.
constexpr std::int64_t kCutOneOf = 4;
// A smaller change is noise.
constexpr double kHelps = 0.95, kHurts = 1.05;
// A cgroup that loads next to nothing into the cache evicts nothing from it.
constexpr double kLeastPart = 0.1;
// Rests after a step that failed, in turns of the counters: some twelve minutes, then twice as long each
// time, but not much more than an hour.
constexpr int kFirstRest = 10, kLongestRest = 60;
constexpr int kCalmTurns = 2;
// Without figures for this long the configuration alone decides.
constexpr Duration kBlind = std::chrono::seconds(30);

void hold_since(std::optional<MonoTime>& since, bool holds, MonoTime now) {
  if (!holds)
    since.reset();
  else if (!since)
    since = now;
}

/// A cgroup that uses no CPU is not counted.
bool runs(const NodeSnapshot& node, const std::vector<CgroupId>& cgroups) {
  return std::ranges::any_of(node.cgroups, [&](const CgroupSample& one) {
    return std::ranges::binary_search(cgroups, one.id) && (!one.cpu_use || *one.cpu_use > MilliCpu{});
  });
}

}  // namespace

void WaySteering::add_counts(const NodeSnapshot& node, const NodeSlo& slo,
                             const decide::WatchedCgroups& watched) {
  const auto& interference = slo.evenkeel.interference;
  for (const CpuCounts& counts : node.cpu_counts) {
    if (!node.measured) break;  // those of the tick before, which are in the averages already
    if (std::ranges::binary_search(watched.services, counts.cgroup))
      counted_.take(counts, ServiceMisses::Whose::service, node.at);
    else if (std::ranges::binary_search(watched.best_effort, counts.cgroup))
      counted_.take(counts, ServiceMisses::Whose::best_effort, node.at);
  }
  counted_.age(node.at, interference.counter_period + interference.counter_window);
  const bool counts = node.counters.backend != CounterBackend::none;
  const double least = static_cast<double>(slo.evenkeel.resctrl_dynamic.least_misses_per_million) / 1e6;
  misses_ = counts ? counted_.per_instruction() : std::nullopt;
  times_usual_ = misses_ ? counted_.above_reference(least) : std::nullopt;
  best_effort_share_ = runs(node, watched.best_effort) ? counted_.best_effort_share() : 0;
}

void WaySteering::steer(const NodeSnapshot& node, const NodeSlo& slo, const decide::WatchedCgroups& watched,
                        Room room) {
  // Also while the misses are unknown: the configuration may grant less than before.
  const std::int64_t most = std::max<std::int64_t>(0, room.ways - room.least);
  taken_ = std::min(taken_, most);
  add_counts(node, slo, watched);
  hold_since(unknown_since_, !times_usual_, node.at);
  const auto& interference = slo.evenkeel.interference;
  if (unknown_since_) {
    high_since_.reset();
    calm_since_.reset();
    if (node.at - *unknown_since_ < kBlind) return;
    taken_ = 0;
    trial_.reset();
    return;
  }
  // In that time every container is counted at least once from beginning to end.
  decide(node.at, slo.evenkeel.resctrl_dynamic, room,
         interference.counter_period + interference.counter_window);
}

void WaySteering::begin(MonoTime now, std::int64_t taken) {
  trial_ = Trial{now, taken_};
  taken_ = taken;
  counted_.mark();
}

void WaySteering::end(MonoTime now, WayStep what, Duration turn) {
  ++steps_[static_cast<std::size_t>(what)];
  const bool failed = what == WayStep::no_help || what == WayStep::hurt;
  const bool cut = what == WayStep::helped || what == WayStep::no_help;
  int& turns = cut ? cut_backoff_turns_ : grow_backoff_turns_;
  turns = failed ? std::clamp(2 * turns, kFirstRest, kLongestRest) : 0;
  (cut ? cut_after_ : grow_after_) = now + turns * turn;
  if (failed) taken_ = trial_->before;
  trial_.reset();
  if (what != WayStep::helped) high_since_.reset();  // the values known now were counted after it: next step
  calm_since_.reset();
}

void WaySteering::judge(MonoTime now, const ResctrlDynamic& settings, Duration turn) {
  if (now - trial_->since < turn) return;
  const auto change = counted_.change_since(trial_->since);
  const bool cut = taken_ > trial_->before;
  if (cut) return end(now, change && *change <= kHelps ? WayStep::helped : WayStep::no_help, turn);
  const bool high = *times_usual_ * 100 > static_cast<double>(settings.low_miss_percent.count());
  end(now, high && (!change || *change > kHurts) ? WayStep::hurt : WayStep::harmless, turn);
}

void WaySteering::decide(MonoTime now, const ResctrlDynamic& settings, Room room, Duration turn) {
  const std::int64_t most = std::max<std::int64_t>(0, room.ways - room.least);
  if (trial_ && trial_->before == taken_) trial_.reset();  // the configuration undid the step
  if (trial_) return judge(now, settings, turn);
  const double percent = *times_usual_ * 100;
  const bool fills = best_effort_share_ && *best_effort_share_ >= kLeastPart;
  hold_since(high_since_, fills && percent > static_cast<double>(settings.high_miss_percent.count()), now);
  hold_since(
      calm_since_,
      best_effort_share_ && (!fills || percent < static_cast<double>(settings.low_miss_percent.count())),
      now);
  if (high_since_ && now - *high_since_ >= turn && now >= cut_after_ && taken_ < most)
    begin(now, std::min(most, taken_ + std::max<std::int64_t>(1, (room.ways - taken_) / kCutOneOf)));
  else if (calm_since_ && now - *calm_since_ >= kCalmTurns * turn && now >= grow_after_ && taken_ > 0)
    begin(now, taken_ - 1);
}

}  // namespace evenkeel::cache
