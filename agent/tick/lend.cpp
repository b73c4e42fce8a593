// The agent's side of lending: when it is worked out, and what was learned kept over restarts.
#include "agent/history/prediction_checkpoint.h"
#include "agent/history/workload_checkpoint.h"
#include "agent/tick/agent.h"
#include "qos/interference/interference.h"
#include "qos/interference/steps.h"
#include "qos/interference/workloads.h"

namespace evenkeel::tick {
namespace {

/// What the state was measured by, which the configuration may have left behind.
history::MeasurementMethod measured_by(const NodeSnapshot& node,
                                       const interference::InterferenceState& state) {
  return {.cpu_model = node.topology.model,
          .waits = state.source,
          .counter_period = state.counter_period,
          .stall_window = state.stall_window};
}

}  // namespace

void Agent::lend(MonoTime now) {
  if (!inputs_.slo_known())
    return;  // not to be taken for one that lends nothing and forgets what was learned
  std::optional<std::int64_t> unix_seconds;
  if (wall_) unix_seconds = static_cast<std::int64_t>(wall_->unix_seconds());
  if (!peak_checkpoint_.loaded()) load_peaks(now);
  lending_.update(snapshot_, {now, unix_seconds});
  save_checkpoints(now, false);
}

void Agent::configure_lending() {
  for (const auto& notice : lending_.configure(*inputs_.slo(), snapshot_.object))
    log_.warning("node-strategy").with("problem", notice);
}

void Agent::set_collect_policy(lender::CollectPolicy policy) {
  lending_.measure_as(std::move(policy));
  configure_lending();
}

/// Once, before anything is learned.
void Agent::load_peaks(MonoTime now) {
  const auto text = peak_checkpoint_.load(now);
  if (text)
    peak_checkpoint_.log_loaded(history::read_checkpoint(*text, peak_checkpoint_.moment(now),
                                                         lending_.prediction(), lending_.learned()));
}

/// Before the policy decides for the first time on what was measured since it is on: only then it is known
/// how.
void Agent::load_baselines(MonoTime now) {
  const bool on = inputs_.slo()->evenkeel.interference.enable;
  if (on == detecting_ || (on && !snapshot_.measured)) return;
  detecting_ = on;
  if (!on) return save_baselines(now, true);
  const auto& settings = inputs_.slo()->evenkeel.interference;
  auto& state = policy_state_.of<interference::InterferenceState>();
  // It may have decided between two ticks, when it knew nothing.
  interference::restart(snapshot_, settings, state,
                        interference::InterferencePolicy::Facts(policy_state_.shared));
  const auto text = baseline_checkpoint_.load(now);
  if (text)
    baseline_checkpoint_.log_loaded(history::read_workloads(*text, measured_by(snapshot_, state),
                                                            baseline_checkpoint_.moment(now), state));
}

void Agent::save_checkpoints(MonoTime now, bool last) {
  if (peak_checkpoint_.due(now, lending_.prediction().checkpoint_interval, last))
    peak_checkpoint_.save(history::checkpoint_text(lending_.learned(), peak_checkpoint_.moment(now)), now,
                          last);
  if (detecting_) save_baselines(now, last);
}

void Agent::save_baselines(MonoTime now, bool last) {
  if (!baseline_checkpoint_.due(now, lending_.prediction().checkpoint_interval, last)) return;
  interference::remember_workloads(now, interference::detector_settings(inputs_.slo()->evenkeel.interference),
                                   policy_state_.of<interference::InterferenceState>());
  baseline_checkpoint_.save(
      history::workloads_text(policy_state_.of<interference::InterferenceState>(),
                              measured_by(snapshot_, policy_state_.of<interference::InterferenceState>()),
                              baseline_checkpoint_.moment(now)),
      now, last);
}

}  // namespace evenkeel::tick
