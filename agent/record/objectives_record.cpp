#include <cmath>

#include "agent/record/recorder.h"

namespace evenkeel::record {
namespace {

struct News {
  std::string_view kind;
  std::string why;
};

News news_of(const objectives::ObjectiveStanding& one) {
  using objectives::Standing;
  const std::string percent = std::to_string(std::llround(std::abs(one.slack) * 100)) + " %";
  switch (one.reported) {
    case Standing::absent:
      return {"objective-absent", "the service does not run here any more"};
    case Standing::unknown:
      return {"objective-unknown",
              "there is no figure, or a stale one: best effort gets at most what it would get without "
              "objectives"};
    case Standing::ample:
    case Standing::near:
      return {"objective-met", percent + " of the target to spare"};
    case Standing::missed:
      return {"objective-missed", "the target is missed by " + percent + " of it: best effort is cut"};
    case Standing::far:
      break;
  }
  return {"objective-far", "the target is missed by " + percent + " of it: best effort pauses"};
}

}  // namespace

void record_objectives(const objectives::ObjectivesState& state, const NodeSlo& slo, Recorder& recorder,
                       MonoTime now) {
  for (const objectives::ObjectiveEvent& event : state.events) {
    const std::string& name = slo.evenkeel.objectives[event.objective].name;
    const News news = news_of(state.each[event.objective]);
    recorder.record_for_operator({.kind = news.kind, .path = name, .by = "objectives", .why = news.why}, now);
    const bool good = news.kind == "objective-met" || news.kind == "objective-absent";
    auto line = good ? recorder.log().info(news.kind) : recorder.log().warning(news.kind);
    line.with("objective", name).with("why", news.why);
  }
}

}  // namespace evenkeel::record
