#include <array>
#include <cstdio>

#include "agent/record/health.h"
#include "agent/record/recorder.h"

namespace evenkeel::record {
namespace {

/// "cpu 42 %, memory 0 %, io unknown"
std::string figures(const contention::StallPercents& stalls) {
  std::string text;
  for (std::size_t i = 0; i < stalls.size(); ++i) {
    std::array<char, 16> figure{};
    if (stalls[i]) std::snprintf(figure.data(), figure.size(), "%.0f %%", *stalls[i]);
    text += (text.empty() ? "" : ", ") + std::string(name(static_cast<Contended>(i))) + ' ' +
            (stalls[i] ? figure.data() : "unknown");
  }
  return text;
}

}  // namespace

void record_contention(const contention::ContentionState& state, Recorder& recorder, MonoTime now) {
  if (!state.changed) return;
  const auto problem = contended(state.contended);
  const std::string_view kind = problem ? "contended" : "contention-over";
  const std::string why = (problem ? problem->message : std::string("services do not wait any longer")) +
                          "; of the last minute the one that waits most: " + figures(state.stalls);
  recorder.record_for_node({.kind = kind, .path = "node", .by = "contention", .why = why}, now);
  auto line = problem ? recorder.log().warning(kind) : recorder.log().info(kind);
  line.with("why", why);
}

}  // namespace evenkeel::record
