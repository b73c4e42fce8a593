// What services report of themselves, as evidence: a figure counts for a span only if all of the time that it
// speaks of lies in the span.
#include <algorithm>
#include <cmath>
#include <utility>

#include "qos/proof/proof.h"

namespace evenkeel::proof {
namespace {

/// Of a span, beside the figures: one until the lever's effect is there, one until a figure is seen, and one
/// for a figure that is late.
constexpr std::int64_t kSpareTicks = 3;

/// No lever of this node acts on a service elsewhere, whose address may be scraped from here all the same.
bool runs_here(const NodeSnapshot& node, const Objective& objective) {
  return std::ranges::any_of(node.pods,
                             [&](const PodSample& pod) {
                               return pod.cgroup != kNoCgroup && is_meant(objective, *pod.spec);
                             }) ||
         std::ranges::any_of(node.host_applications, [&](const HostApplicationSample& app) {
           return app.cgroup != kNoCgroup && app.spec->name == objective.host_application;
         });
}

/// A figure of which nothing is known is not zero: it is no evidence.
bool is_evidence(const NodeSnapshot& node, const Objective& objective, const ObjectiveFigure& figure) {
  const bool plausible = figure.value && std::isfinite(*figure.value) && *figure.value >= 0;
  const bool dated = figure.since && *figure.since <= figure.until && figure.until <= node.at;
  const bool fresh = figure.at <= node.at && node.at - figure.at <= objective.stale_after;
  return plausible && dated && fresh && runs_here(node, objective);
}

/// Calls `see` for each objective with a figure that is evidence now.
template <class See>
void for_evidence(const NodeSnapshot& node, const NodeSlo& slo, See see) {
  const auto& objectives = slo.evenkeel.objectives;
  for (std::size_t i = 0; i < std::min(objectives.size(), node.objectives.size()); ++i)
    if (is_evidence(node, objectives[i], node.objectives[i])) see(i, objectives[i], node.objectives[i]);
}

/// The longest time from one figure to the next.
Duration between_figures(const Objective& objective, Duration covered) {
  if (objective.prometheus.quantile_percent) return covered;  // one window follows the other
  return objective.prometheus.url.empty() ? objective.stale_after : objective.prometheus.interval;
}

/// Takes the figure if it is a new one. False: it has become unknown.
bool take(const NodeSnapshot& node, const NodeSlo& slo, MonoTime since, ReportedSum& one) {
  if (one.objective >= std::min(node.objectives.size(), slo.evenkeel.objectives.size())) return false;
  const Objective& objective = slo.evenkeel.objectives[one.objective];
  const ObjectiveFigure& figure = node.objectives[one.objective];
  if (!is_evidence(node, objective, figure)) return false;
  const bool is_new = std::exchange(one.until, figure.until) != figure.until;
  if (!is_new || *figure.since < since) return true;
  one.sum += *figure.value / objective.target;
  ++one.figures;
  return true;
}

}  // namespace

bool compares_figures(const NodeSlo& slo) {
  return std::ranges::any_of(slo.evenkeel.objectives, [](const Objective& one) {
    return one.prometheus.quantile_percent || one.figure_covers;
  });
}

double error_rate(const NodeSlo& slo) { return compares_figures(slo) ? kErrorRate / 2 : kErrorRate; }

std::optional<Pace> reported_pace(const NodeSnapshot& node, const NodeSlo& slo) {
  Duration longest{};
  for_evidence(node, slo,
               [&](std::size_t /*index*/, const Objective& objective, const ObjectiveFigure& figure) {
                 // The first figure of a span began before it.
                 const Duration covered = figure.until - *figure.since;
                 longest = std::max(longest, covered + between_figures(objective, covered));
               });
  const Duration tick = node.since_previous.value_or(Duration{});
  if (longest == Duration{} || tick <= Duration{}) return std::nullopt;
  return Pace{kMostSpans, (longest + tick - Duration(1)) / tick + kSpareTicks};
}

void begin_reported(const NodeSnapshot& node, const NodeSlo& slo, std::vector<ReportedSum>& compared) {
  compared.clear();
  for_evidence(node, slo,
               [&](std::size_t index, const Objective& /*objective*/, const ObjectiveFigure& figure) {
                 compared.push_back({.objective = index, .until = figure.until});
               });
}

ReportedStep take_reported(const NodeSnapshot& node, const NodeSlo& slo, MonoTime since,
                           std::vector<ReportedSum>& compared) {
  for (ReportedSum& one : compared)
    if (!take(node, slo, since, one)) return {.lost = true};
  if (std::ranges::any_of(compared, [](const ReportedSum& one) { return one.figures == 0; })) return {};
  double sum = 0;
  for (ReportedSum& one : compared) {
    sum += one.sum / static_cast<double>(one.figures);
    one.sum = 0;
    one.figures = 0;
  }
  return {.value = sum / static_cast<double>(compared.size())};
}

}  // namespace evenkeel::proof
