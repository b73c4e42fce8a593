// What is normal for the workloads of this node, and what others did to them <-> the text of
// STATE_DIR/interference. May not: know files or clocks.
//
// One signal of one workload a line (agent/history/checkpoint_line.h), of which the body is
//
//   1 WORKLOAD IMAGE BY SIGNAL AS_OF LEVEL SPREAD AUTOCORRELATION WEIGHT
//
// WORKLOAD is "namespace/owner/container" or "host/NAME", SIGNAL as metrics name it. BY is how it was
// measured and how long a sample is: the model of the CPUs where the signal counts cycles, "bpf", "schedstat"
// or "psi" where it is a stall, and "@10000ms". Words have their blanks as %20, an empty one is
// "-". AS_OF is seconds since 1970; numbers stand there exactly (qos/detector/normal_model.h says what they
// are).
//
// And one hour of the last day in which others stalled a workload:
//
//   stalled WORKLOAD IMAGE AT CPU MEMORY IO
//
// AT is seconds since 1970, somewhere in that hour; the rest is seconds of stall.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "agent/history/checkpoint_line.h"
#include "qos/interference/state.h"

namespace evenkeel::history {

/// How signals are measured on this node now: other ways give other numbers.
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

/// All that is known of all workloads.
std::string workloads_text(const interference::InterferenceState& state, const MeasurementMethod& by,
                           Moment now);
/// What was measured otherwise is forgotten. Whose pods are gone need not be known: what learns nothing
/// fades.
CheckpointStats read_workloads(std::string_view text, const MeasurementMethod& by, Moment now,
                               interference::InterferenceState& state);

struct HourlyStall {
  std::string workload{}, image{};
  MonoTime at{};
  detector::StallBudget seconds{};
};
std::string stalled_line(const HourlyStall& one, Moment now);
/// Absent for anything that stalled_line did not write.
std::optional<HourlyStall> parse_stalled_line(std::string_view line, Moment now);

/// One line, its end included.
std::string normal_line(const WorkloadBaseline& one, Moment now);
/// Absent for anything that normal_line did not write.
std::optional<WorkloadBaseline> parse_normal_line(std::string_view line, Moment now);

}  // namespace evenkeel::history
