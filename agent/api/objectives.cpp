#include "qos/objectives/objectives.h"

#include "agent/api/metrics.h"
#include "agent/api/pages.h"
#include "agent/runtime/json.h"
#include "qos/model/capacity.h"

namespace evenkeel::api {
namespace {

/// One objective with everything that is known of it.
struct Row {
  const Objective& objective;
  const objectives::ObjectiveStanding& standing;
  const ObjectiveFigure& figure;
  const figures::FigureState& state;

  /// The figure is in use.
  [[nodiscard]] bool known() const { return standing.standing >= objectives::Standing::ample; }
};

/// Empty between a new configuration and the next decision.
std::vector<Row> rows_of(const AgentView& view) {
  std::vector<Row> rows;
  if (!view.node().slo) return rows;
  const auto& objectives = view.node().slo->evenkeel.objectives;
  const auto& decided = view.policies.of<objectives::ObjectivesState>();
  const auto& each = decided.each;
  const auto& figures = view.node().objectives;
  if (decided.configured != objectives || figures.size() != each.size() ||
      view.observer.figures().size() != each.size())
    return rows;
  for (std::size_t i = 0; i < each.size(); ++i)
    rows.push_back({objectives[i], each[i], figures[i], view.observer.figures().state(i)});
  return rows;
}

std::string service_of(const Objective& objective) {
  if (!objective.host_application.empty()) return "host application " + objective.host_application;
  std::string labels;
  for (const auto& [key, value] : objective.match_labels)
    labels += (labels.empty() ? "" : ",") + key + '=' + value;
  return "pods " + objective.namespace_ + '/' + labels;
}

std::string source_of(const Objective& objective) {
  if (!objective.file.empty()) return "file " + objective.file;
  if (!objective.socket.empty()) return "socket " + objective.socket;
  return objective.prometheus.metric + " of " + objective.prometheus.url;
}

const decide::ServiceObjectives& fact_of(const AgentView& view) {
  return view.policies.shared.of<decide::ServiceObjectives>();
}

const char* name(decide::ServiceObjectives::Move move) {
  using Move = decide::ServiceObjectives::Move;
  switch (move) {
    case Move::grow:
      return "grow";
    case Move::hold:
      return "hold";
    case Move::shrink:
      return "shrink";
    case Move::pause:
      break;
  }
  return "pause";
}

MilliCpu capacity_of(const AgentView& view) { return cpu_capacity(view.node().object, view.node().node); }

}  // namespace

void put_objectives(runtime::Json& json, const AgentView& view) {
  json.begin_array();
  for (const Row& row : rows_of(view)) {
    json.begin_object().member("name", row.objective.name).member("service", service_of(row.objective));
    json.member("source", source_of(row.objective)).member("target", row.objective.target);
    if (row.figure.value) {
      json.member("value", *row.figure.value);
      json.member("age_seconds", runtime::seconds(view.node().at - row.figure.at));
    }
    json.member("standing", std::string(objectives::name(row.standing.standing)));
    if (row.known()) json.member("slack", row.standing.slack);
    json.member("waits_for", std::string(objectives::name(row.standing.stall)));
    if (!row.state.problem.empty()) json.member("problem", row.state.problem);
    json.end_object();
  }
  json.end_array();
}

std::string objectives_json(const AgentView& view) {
  std::string out;
  runtime::Json json(out);
  const auto& fact = fact_of(view);
  json.begin_object().member("in_force", fact.in_force).member("some_unknown", fact.some_unknown);
  if (fact.in_force) {
    const MilliCpu allowed = fact.besteffort_cpu.value_or(capacity_of(view));
    json.member("move", name(fact.move)).member("besteffort_cpu_milli", allowed.count());
    json.member("besteffort_disks_percent", fact.besteffort_disks.count());
  }
  json.key("objectives");
  put_objectives(json, view);
  json.end_object();
  return out;
}

void put_objectives(Exposition& out, const AgentView& view) {
  const auto& fact = fact_of(view);
  const std::vector<Row> rows = rows_of(view);
  const double capacity = static_cast<double>(capacity_of(view).count());
  if (!rows.empty() && fact.in_force && capacity > 0)
    out.gauge(
        "evenkeel_objective_besteffort_cpu_ratio",
        "Share of the node's CPU that best effort may use now by the objectives of the services (0 to 1).",
        fact.besteffort_cpu ? static_cast<double>(fact.besteffort_cpu->count()) / capacity : 1);
  if (!rows.empty() && fact.in_force)
    out.gauge("evenkeel_objective_besteffort_disks_ratio",
              "Share of its limits on disks that best effort may have now by the objectives of the services "
              "(0.1 to 1).",
              static_cast<double>(fact.besteffort_disks.count()) / 100);
  for (const Row& row : rows) {
    const Labels labels = {{"objective", row.objective.name}};
    out.gauge("evenkeel_objective_target", "Target of the objective, in the unit of its figure.",
              row.objective.target, labels);
    if (row.figure.value)
      out.gauge("evenkeel_objective_value",
                "Latest figure that the service reported and the agent accepted, in the unit of its target.",
                *row.figure.value, labels);
    if (row.known())
      out.gauge("evenkeel_objective_slack_ratio",
                "Distance of the figure below its target, as a share of the target; negative while the "
                "target is missed.",
                row.standing.slack, labels);
    out.gauge(
        "evenkeel_objective_stale",
        "1 while the service runs here and its figure is missing or stale: best effort then gets at most "
        "what it would get without objectives.",
        row.standing.standing == objectives::Standing::unknown ? 1 : 0, labels);
    out.counter("evenkeel_objective_figures_accepted_total",
                "Figures of the service that the agent accepted.", static_cast<double>(row.state.accepted),
                labels);
    out.counter("evenkeel_objective_figures_refused_total",
                "Attempts to read the service's figure that found none, or one that the agent refused.",
                static_cast<double>(row.state.refused), labels);
  }
}

}  // namespace evenkeel::api
