// The agent's side of the brake: takes alarms in between two ticks, adds what can only be measured at that
// moment, says whether they call for a decision, and records what the brake did. Keeps the PSI triggers in
// step with the roster. Does not decide (qos/brake/brake.h does) or wait (the event loop does).
#pragma once

#include <optional>

#include "agent/brakes/brake_record.h"
#include "agent/inputs/inputs.h"
#include "agent/record/recorder.h"
#include "agent/runtime/clock.h"
#include "collectors/base/alarm_wait.h"
#include "collectors/pressure/triggers.h"
#include "collectors/sampler.h"
#include "qos/brake/brake.h"

namespace evenkeel::brakes {

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

  /// Waits on PSI triggers and BPF alarms and calls its `hear` for each. Without one, or with {}, there are
  /// no alarms.
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
