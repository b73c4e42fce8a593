#include "agent/history/workload_checkpoint.h"
#include "qos/interference/roster.h"
#include "qos/interference/steps.h"

namespace evenkeel::history {
namespace {

/// How the state was measured, which may be another way than the configuration asks for now.
MeasurementMethod measured_by(const NodeSnapshot& node, const interference::InterferenceState& state) {
  return {.cpu_model = node.topology.model,
          .waits = state.source,
          .counter_period = state.counter_period,
          .stall_window = state.stall_window};
}

}  // namespace

void Baselines::update(const NodeSnapshot& node, const NodeSlo& slo, MonoTime now,
                       interference::InterferenceState& state,
                       interference::InterferencePolicy::Facts facts) {
  const bool on = slo.evenkeel.interference.enable;
  if (on == on_ || (on && !node.measured)) return;
  on_ = on;
  if (on) return load(node, slo, now, state, facts);
  save_now(node, slo, now, SaveReason::switched_off, state);
}

void Baselines::load(const NodeSnapshot& node, const NodeSlo& slo, MonoTime now,
                     interference::InterferenceState& state, interference::InterferencePolicy::Facts facts) {
  // The policy may have decided between two ticks, before anything was measured.
  interference::restart(node, slo.evenkeel.interference, state, facts);
  const auto text = checkpoint_.load(now);
  if (text)
    checkpoint_.log_loaded(read_workloads(*text, measured_by(node, state), checkpoint_.moment(now), state));
}

void Baselines::save(const NodeSnapshot& node, const NodeSlo& slo, MonoTime now, SaveReason reason,
                     interference::InterferenceState& state) {
  if (on_) save_now(node, slo, now, reason, state);
}

void Baselines::save_now(const NodeSnapshot& node, const NodeSlo& slo, MonoTime now, SaveReason reason,
                         interference::InterferenceState& state) {
  if (!checkpoint_.due(now, slo.evenkeel.prediction.checkpoint_interval, reason)) return;
  interference::remember_workloads(now, interference::detector_settings(slo.evenkeel.interference), state);
  checkpoint_.save(workloads_text(state, measured_by(node, state), checkpoint_.moment(now)), now, reason);
}

}  // namespace evenkeel::history
