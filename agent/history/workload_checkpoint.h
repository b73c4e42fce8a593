// What is normal for the workloads of this node <-> the text of STATE_DIR/interference. May not: know files
// or clocks.
//
// One signal of one workload a line (agent/history/checkpoint_line.h), of which the body is
//
//   1 WORKLOAD IMAGE CPU SIGNAL AS_OF LEVEL SPREAD AUTOCORRELATION WEIGHT
//
// WORKLOAD is "namespace/owner/container" or "host/NAME", SIGNAL as metrics name it. CPU is the model of the
// CPUs it was counted on, where the signal counts cycles. Words have their blanks as %20, an empty one is
// "-". AS_OF is seconds since 1970; numbers stand there exactly (qos/normal_model.h says what they are).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "agent/history/checkpoint_line.h"
#include "qos/interference_state.h"

namespace evenkeel {

/// How signals are measured on this node now: other ways give other numbers.
struct MeasuredBy {
  std::string cpu_model{};
  RunQueueSource waits = RunQueueSource::none;
};

struct LearnedNormal {
  std::string workload{}, image{}, by{};
  Signal signal = Signal::cpi;
  Normal normal{};
};

/// All that is known of all workloads.
std::string workloads_text(const InterferenceState& state, const MeasuredBy& by, Moment now);
/// What was measured otherwise is forgotten. Whose pods are gone need not be known: what learns nothing
/// fades.
CheckpointRead read_workloads(std::string_view text, const MeasuredBy& by, Moment now,
                              InterferenceState& state);

/// One line, its end included.
std::string normal_line(const LearnedNormal& one, Moment now);
/// Absent for anything that normal_line did not write.
std::optional<LearnedNormal> parse_normal_line(std::string_view line, Moment now);

}  // namespace evenkeel
