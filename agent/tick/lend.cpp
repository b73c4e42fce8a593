// The agent's side of lending: when it is worked out, and what was learned kept over restarts.
#include "agent/history/prediction_checkpoint.h"
#include "agent/history/workload_checkpoint.h"
#include "agent/tick/agent.h"
#include "qos/interference/measure.h"
#include "qos/interference/workloads.h"

namespace evenkeel {
namespace {

/// What the state was measured by, which the configuration may have left behind.
MeasuredBy measured_by(const NodeSnapshot& node, const InterferenceState& state) {
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
  if (!peaks_.recalled()) recall_peaks(now);
  lending_.update(snapshot_, {now, unix_seconds});
  keep_learned(now, false);
}

void Agent::configure_lending() {
  for (const auto& notice : lending_.configure(*inputs_.slo(), snapshot_.object))
    log_.warning("node-strategy").with("problem", notice);
}

void Agent::measure_as(CollectPolicy policy) {
  lending_.measure_as(std::move(policy));
  configure_lending();
}

/// Once, before anything is learned.
void Agent::recall_peaks(MonoTime now) {
  const auto text = peaks_.recall(now);
  if (text)
    peaks_.tell(read_checkpoint(*text, peaks_.moment(now), lending_.prediction(), lending_.learned()));
}

/// Before the policy decides for the first time on what was measured since it is on: only then it is known
/// how.
void Agent::recall_normals(MonoTime now) {
  const bool on = inputs_.slo()->evenkeel.interference.enable;
  if (on == detecting_ || (on && !snapshot_.measured)) return;
  detecting_ = on;
  if (!on) return keep_normals(now, true);
  const auto& settings = inputs_.slo()->evenkeel.interference;
  InterferenceState& state = policy_state_.interference;
  state = {};  // it may have looked between two ticks, and knew nothing
  state.source = snapshot_.run_queue.source;
  state.counter_period = settings.counter_period;
  state.stall_window = settings.stall_window;
  const auto text = normals_.recall(now);
  if (text) normals_.tell(read_workloads(*text, measured_by(snapshot_, state), normals_.moment(now), state));
}

void Agent::keep_learned(MonoTime now, bool last) {
  if (peaks_.due(now, lending_.prediction().checkpoint_interval, last))
    peaks_.keep(checkpoint_text(lending_.learned(), peaks_.moment(now)), now, last);
  if (detecting_) keep_normals(now, last);
}

void Agent::keep_normals(MonoTime now, bool last) {
  if (!normals_.due(now, lending_.prediction().checkpoint_interval, last)) return;
  remember_workloads(now, detector_settings(inputs_.slo()->evenkeel.interference),
                     policy_state_.interference);
  normals_.keep(workloads_text(policy_state_.interference, measured_by(snapshot_, policy_state_.interference),
                               normals_.moment(now)),
                now, last);
}

}  // namespace evenkeel
