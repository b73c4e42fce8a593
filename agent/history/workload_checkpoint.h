// The baselines of this node's workloads over restarts.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "agent/history/checkpoint.h"
#include "qos/interference/interference.h"
#include "qos/model/nodeslo.h"
#include "qos/model/snapshot.h"

namespace evenkeel::history {

// Writes and parses STATE_DIR/interference: the baselines of this node's workloads, and the stalls that
// others caused them. Does not know files or clocks.
//
// One signal of one workload a line (sealed_line(), cgroup/base/text.h), of which the body is
//
//   1 WORKLOAD IMAGE BY SIGNAL AS_OF LEVEL SPREAD AUTOCORRELATION WEIGHT
//
// WORKLOAD is "namespace/owner/container" or "host/NAME", SIGNAL as metrics name it. BY is the measurement
// method and the sample length: the model of the CPUs where the signal counts cycles, "bpf", "schedstat" or
// "psi" where it is a stall, and "@10000ms". Words have blanks as %20, an empty one is "-". AS_OF is seconds
// since 1970; numbers are exact (qos/detector/normal_model.h explains them).
//
// And one line per hour of the last day in which others stalled a workload:
//
//   stalled WORKLOAD IMAGE AT CPU MEMORY IO
//
// AT is seconds since 1970, within that hour; the rest is seconds of stall.

/// How signals are measured on this node now: other methods give other numbers.
struct MeasurementMethod {
  std::string cpu_model{};
  RunQueueSource waits = RunQueueSource::none;
  Duration counter_period{}, stall_window{};  ///< a sample each
};

struct WorkloadBaseline {
  std::string workload{}, image{}, by{};
  Signal signal = Signal::cpi;
  detector::Normal normal{};
};

/// The whole state of all workloads.
std::string workloads_text(const interference::InterferenceState& state, const MeasurementMethod& by,
                           Moment now);
/// Drops what another method measured. Deleted workloads need no removal: a baseline without new samples
/// fades.
CheckpointStats read_workloads(std::string_view text, const MeasurementMethod& by, Moment now,
                               interference::InterferenceState& state);

struct HourlyStall {
  std::string workload{}, image{};
  MonoTime at{};
  detector::StallSeconds seconds{};
};
std::string stalled_line(const HourlyStall& one, Moment now);
/// Absent for text that stalled_line did not write.
std::optional<HourlyStall> parse_stalled_line(std::string_view line, Moment now);

/// One line with its newline.
std::string normal_line(const WorkloadBaseline& one, Moment now);
/// Absent for text that normal_line did not write.
std::optional<WorkloadBaseline> parse_normal_line(std::string_view line, Moment now);

// Keeps the baselines of this node's workloads over restarts in STATE_DIR/interference: loaded when the
// policy "interference" is switched on, saved while it is on. Does not learn.

class Baselines {
 public:
  explicit Baselines(Checkpoint checkpoint) : checkpoint_(std::move(checkpoint)) {}

  /// Before each decision. Loads once the policy is on and something has been measured, because only then it
  /// is known how signals are measured; saves when the policy is switched off.
  void update(const NodeSnapshot& node, const NodeSlo& slo, MonoTime now,
              interference::InterferenceState& state, interference::InterferencePolicy::Facts facts);
  /// Saves while the policy is on, if `reason` asks for a copy.
  void save(const NodeSnapshot& node, const NodeSlo& slo, MonoTime now, SaveReason reason,
            interference::InterferenceState& state);

 private:
  void load(const NodeSnapshot& node, const NodeSlo& slo, MonoTime now,
            interference::InterferenceState& state, interference::InterferencePolicy::Facts facts);
  void save_now(const NodeSnapshot& node, const NodeSlo& slo, MonoTime now, SaveReason reason,
                interference::InterferenceState& state);

  Checkpoint checkpoint_;
  bool on_ = false;  ///< the policy has what was saved
};

}  // namespace evenkeel::history
