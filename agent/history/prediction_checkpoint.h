// Writes and parses STATE_DIR/prediction, the checkpoint of the peak predictor. Does not know files or
// clocks.
//
// One model a line (sealed_line(), cgroup/base/text.h), of which the body is
//
//   1 KEY SINCE CPU_AS_OF CPU MEMORY_AS_OF MEMORY
//
// KEY is a pod's uid or one of the predictor's own names. Times are seconds since 1970: the monotonic clock
// restarts with every boot. A histogram is BUCKET:WEIGHT,... in rising order, "-" when it is empty. Weights
// are exact (Koordinator rounds them to ten thousandths of the largest, and keeps a sum that they no longer
// add up to).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "agent/history/checkpoint.h"
#include "qos/lending/peak_predictor.h"
#include "qos/model/nodeslo.h"

namespace evenkeel::history {

std::string checkpoint_text(const lending::PeakPredictor& predictor, Moment now);

/// Models of deleted pods need no removal: a model without new measurements expires. Reads at most
/// kMostModels.
CheckpointStats read_checkpoint(std::string_view text, Moment now, const PredictionSettings& settings,
                                lending::PeakPredictor& predictor);
inline constexpr std::size_t kMostModels = 4096;

/// One line with its newline.
std::string model_line(std::string_view key, const lending::PeakModel& model, Moment now);
struct KeyedModel {
  std::string key{};
  lending::PeakModel model{};
};
/// Absent for text that model_line did not write. A time after `now` becomes now: the wall clock was set
/// back.
std::optional<KeyedModel> parse_model_line(std::string_view line, Moment now);

}  // namespace evenkeel::history
