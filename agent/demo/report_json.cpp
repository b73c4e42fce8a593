#include "agent/demo/report.h"
#include "agent/runtime/clock.h"
#include "agent/runtime/json.h"

namespace evenkeel::demo {
namespace {

void phase_json(runtime::Json& json, Phase phase, const Figures& figures, const Figures& alone) {
  json.begin_object().member("phase", name(phase));
  json.member("requests", figures.latency.requests);
  json.member("p50_seconds", runtime::seconds(figures.latency.p50))
      .member("p99_seconds", runtime::seconds(figures.latency.p99));
  json.member("p999_seconds", runtime::seconds(figures.latency.p999))
      .member("max_seconds", runtime::seconds(figures.latency.max));
  json.member("p999_to_alone", ratio(figures.latency.p999, alone.latency.p999));
  json.member("service_cpus", figures.cpu.service).member("batch_cpus", figures.cpu.batch);
  json.member("others_cpus", figures.cpu.others).member("idle_cpus", figures.cpu.idle);
  json.member("batch_keeps", phase == Phase::alone ? std::nullopt : kept_ratio(figures.cpu));
  json.member("batch_work_per_second", figures.work);
  json.end_object();
}

}  // namespace

std::string as_json(const Outcome& outcome) {
  std::string out;
  runtime::Json json(out);
  json.begin_object().member("kernel", outcome.kernel).member("cpus", outcome.cpus);
  json.member("rounds", outcome.rounds).member("phase_seconds", outcome.seconds);
  json.member("goal_p999_to_alone", kGoalLatencyRatio).member("goal_batch_keeps", kGoalKeptRatio);
  json.key("scenarios").begin_array();
  for (const auto& [scenario, phases] : outcome.figures) {
    json.begin_object().member("scenario", name(scenario)).key("phases").begin_array();
    const auto alone = phases.find(Phase::alone);
    for (const auto& [phase, figures] : phases)
      phase_json(json, phase, figures, alone == phases.end() ? Figures{} : alone->second);
    json.end_array().end_object();
  }
  json.end_array();
  json.member("files_written", outcome.restoration.written);
  json.member("files_restored", outcome.restoration.restored);
  json.key("left_behind").begin_array();
  for (const auto& left : outcome.restoration.left) json.value(left);
  json.end_array().end_object();
  return out + '\n';
}

}  // namespace evenkeel::demo
