// Whatever alarms come and whatever the node looks like: the brake lets go, and keeps to its share of time.
#include <gtest/gtest.h>

#include <deque>

#include "qos/brake/brake.h"
#include "tests/support/scenes/one_policy.h"
#include "tests/support/scenes/random_node.h"
#include "tests/support/scenes/snapshot_builder.h"

namespace evenkeel {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using test::Dice;

Alarm random_alarm(Dice& dice, const NodeSnapshot& node) {
  Alarm alarm{.what = static_cast<Contended>(dice.roll(0, 2)),
              .at = node.at - milliseconds(dice.chance(90) ? 0 : dice.roll(1, 2000)),
              .waited = milliseconds(dice.roll(0, 400))};
  if (!node.cgroups.empty() && dice.chance(90))
    alarm.victim = node.cgroups[static_cast<std::size_t>(
                                    dice.roll(0, static_cast<std::int64_t>(node.cgroups.size()) - 1))]
                       .id;
  if (dice.chance(30)) alarm.source = AlarmSource::run_queue;
  if (dice.chance(90)) alarm.victim_throttled = milliseconds(dice.chance(80) ? 0 : dice.roll(0, 500));
  if (dice.chance(90)) alarm.victim_stalled = milliseconds(dice.roll(0, 1000));
  if (dice.chance(90)) alarm.besteffort_cpu_time = CpuTime(dice.roll(0, 4'000'000'000));
  const auto* besteffort = node.cgroup(node.besteffort);
  if (besteffort != nullptr) alarm.besteffort_memory = besteffort->memory.current;
  return alarm;
}

struct Brakes {
  std::deque<std::pair<MonoTime, MonoTime>> spans{};
  /// The time in it within the minute before `now`.
  [[nodiscard]] Duration in_minute(MonoTime now) const {
    Duration sum{};
    for (const auto& [from, to] : spans)
      sum += std::max(Duration{}, std::min(to, now) - std::max(from, now - brake::DutyCycle::kSpan));
    return sum;
  }
};

TEST(BrakeProperty, AlwaysLetsGoAndKeepsToItsShareOfAnyMinute) {
  int ever = 0;
  for (unsigned seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    Dice dice(seed);
    NodeSnapshot node = test::random_node(dice);
    const auto original = node.cgroups;
    NodeSlo slo;
    auto& settings = slo.evenkeel.brake;
    settings.enable = true;
    settings.lease = milliseconds(dice.roll(100, 30000));
    settings.max_duty_percent = Percent(dice.roll(1, 100));
    slo.evenkeel.memory_push_back.free_percent = Percent(100);
    node.at = MonoTime{} + seconds(1000);
    decide::PolicyState state;
    decide::Intents out;
    Brakes cpu, memory;
    const Duration most(scaled(brake::DutyCycle::kSpan.count(), settings.max_duty_percent.count(), 100));
    const auto round = [&](std::int64_t alarms) {
      const MonoTime before = node.at;
      // The program's timer rings when a lease ends.
      const MonoTime step = node.at + milliseconds(dice.roll(1, 1500));
      node.at = std::min(brake::next_release(state.of<brake::BrakeState>()).value_or(step), step);
      if (state.of<brake::BrakeState>().cpu.on) cpu.spans.emplace_back(before, node.at);
      if (state.of<brake::BrakeState>().memory.on) memory.spans.emplace_back(before, node.at);
      for (; alarms > 0; --alarms) node.alarms.push_back(random_alarm(dice, node));
      out.clear();
      test::decide_one(brake::brake_policy, node, slo, state, out);
      node.alarms.clear();
      EXPECT_EQ(out.all().empty(),
                !state.of<brake::BrakeState>().cpu.on && !state.of<brake::BrakeState>().memory.on);
      test::obey(node, out);
      for (std::size_t i = 0; i < node.cgroups.size(); ++i)  // a value without an intent is restored
        if (test::intent(out, node.cgroups[i].id, Knob::cpu_quota) == nullptr)
          node.cgroups[i].applied = original[i].applied;
      EXPECT_LE(cpu.in_minute(node.at), most + milliseconds(1));
      EXPECT_LE(memory.in_minute(node.at), most + milliseconds(1));
    };
    for (int i = 0; i < 200; ++i) round(dice.roll(0, 3));
    ever += cpu.spans.empty() && memory.spans.empty() ? 0 : 1;
    const MonoTime last = node.at;
    while (state.of<brake::BrakeState>().cpu.on || state.of<brake::BrakeState>().memory.on) {
      round(0);
      ASSERT_LE(node.at, last + settings.lease) << "still on after the last alarm's lease";
    }
    round(0);
    EXPECT_TRUE(out.all().empty());
    if (HasFailure()) return;
  }
  EXPECT_GT(ever, 50) << "too few brakes to prove anything";
}

}  // namespace
}  // namespace evenkeel
