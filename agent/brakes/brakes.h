// Alarms between two ticks: their evidence, the totals for the metrics, and the decision whether to react
// now.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "agent/inputs/inputs.h"
#include "agent/record/recorder.h"
#include "agent/runtime/clock.h"
#include "collectors/base/collector.h"
#include "collectors/pressure/triggers.h"
#include "collectors/sampler.h"
#include "qos/brake/brake.h"
#include "qos/model/snapshot.h"
#include "qos/model/task_measurements.h"

namespace evenkeel::brakes {

// Measures what is only known at the moment of an alarm: how much CPU and memory best effort has used since
// the last tick, and how much of the victim's stall its own CPU quota explains. Does not judge.

/// Completes the alarm of a PSI trigger by reading the cgroups concerned now.
void add_evidence(const NodeSnapshot& node, collectors::Sampler& sampler, Alarm& alarm);

// Totals for the metrics: alarms, how often and how long best effort was braked, and the reaction times.

class BrakeRecord {
 public:
  /// Upper bounds of the histogram of reactions; the last bucket has none.
  static constexpr std::array<Duration, 8> kBounds = {
      std::chrono::microseconds(250), std::chrono::microseconds(500), std::chrono::milliseconds(1),
      std::chrono::milliseconds(2),   std::chrono::milliseconds(5),   std::chrono::milliseconds(10),
      std::chrono::milliseconds(20),  std::chrono::milliseconds(100)};
  struct Lever {
    std::uint64_t brakes = 0;
    Duration on{};  ///< without the brake that is on now
    std::optional<MonoTime> since{};
  };

  void alarm_raised(const Alarm& alarm) { ++alarms_[place(alarm.what, alarm.source)]; }
  /// Time from the alarm to the write.
  void braked_after(Duration took);
  /// Counts the brakes that a decision set or released.
  struct Change {
    bool on = false, off = false;
  };
  Change follow(const brake::BrakeState& state, MonoTime now);

  [[nodiscard]] std::uint64_t alarms(Contended what, AlarmSource source) const {
    return alarms_[place(what, source)];
  }
  [[nodiscard]] const Lever& cpu() const { return cpu_; }
  [[nodiscard]] const Lever& memory() const { return memory_; }
  /// Per bucket, not cumulative.
  [[nodiscard]] const std::array<std::uint64_t, kBounds.size() + 1>& reactions() const { return reactions_; }
  [[nodiscard]] Duration reaction_time() const { return reaction_time_; }

 private:
  static void follow(const brake::BrakeLever& lever, MonoTime now, Lever& record, Change& moved);
  static constexpr std::size_t place(Contended what, AlarmSource source) {
    return static_cast<std::size_t>(what) * kAlarmSourceCount + static_cast<std::size_t>(source);
  }
  std::array<std::uint64_t, kContendedCount * kAlarmSourceCount> alarms_{};
  Lever cpu_{}, memory_{};
  std::array<std::uint64_t, kBounds.size() + 1> reactions_{};
  Duration reaction_time_{};
};

// The agent's side of the brake: takes alarms in between two ticks, adds what can only be measured at that
// moment, says whether they call for a decision, and records what the brake did. Keeps the PSI triggers in
// step with the roster. Does not decide (qos/brake/brake.h does) or wait (the event loop does).

class Brakes {
 public:
  /// All of these must outlive it.
  struct Environment {
    const Host& host;
    const inputs::Inputs& inputs;
    const tree::CgroupTree& tree;
    collectors::Sampler& sampler;
    NodeSnapshot& node;
    brake::BrakeState& state;
    const runtime::Clock& clock;
    record::Recorder& recorder;
  };
  explicit Brakes(const Environment& environment) : in_(environment), triggers_(environment.host) {}

  /// Waits on PSI triggers and BPF alarms and calls its `on_alarm` for each. Without one, or with {}, there
  /// are no alarms.
  void set_alarm_source(collectors::AlarmDescriptors source);
  /// The set of pods changed: triggers are opened and closed after the next decision.
  void roster_changed() { triggers_stale_ = true; }

  /// A service waits too long. Counts the alarm, completes it and keeps it for the next decision.
  void alarm_raised(Alarm alarm);
  /// Whether alarms, or the end of a brake's lease, call for a decision now.
  bool decision_needed(MonoTime now);
  /// When the lease of a brake ends and a decision is needed at the latest; absent: nothing is braked.
  [[nodiscard]] std::optional<MonoTime> due() const { return brake::next_release(in_.state); }

  /// After each decision: records whether the brake was set or released, and how quickly.
  void decided(MonoTime now);
  /// After a tick's last decision, when no write waits for it: reads back what the brake changed, so that the
  /// next alarm finds the values of now in the snapshot, and opens triggers for new services.
  void update(MonoTime now);
  /// Once a tick: opens triggers whose files were missing.
  void retry_triggers() { triggers_.retry(); }

  [[nodiscard]] const BrakeRecord& record() const { return record_; }
  [[nodiscard]] pressure::TriggerHealth trigger_health() const { return triggers_.health(); }

 private:
  void follow_triggers();
  void log_braked(const Alarm& alarm, Duration took);

  Environment in_;
  pressure::PressureTriggers triggers_;
  bool triggers_stale_ = false;  ///< they are not those that the roster calls for
  bool changed_ = false;         ///< the brake wrote values that the snapshot does not show yet
  BrakeRecord record_{};
};

}  // namespace evenkeel::brakes
