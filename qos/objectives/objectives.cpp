#include "qos/objectives/objectives.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "qos/model/capacity.h"

namespace evenkeel::objectives {
namespace {

using Move = decide::ServiceObjectives::Move;

/// A stall that takes less of the time explains nothing.
constexpr double kLeastStallPercent = 1;

/// Adds up what the cgroups that an objective means wait for.
struct Stalls {
  double cpu = 0, memory = 0, io = 0;  ///< percent of the time (PSI some, avg10), the worst of all

  void take(const CgroupSample& sample) {
    const auto worse = [](double& worst, const std::optional<Pressure>& pressure) {
      if (pressure) worst = std::max(worst, pressure->some.avg10_percent);
    };
    worse(cpu, sample.pressure.cpu);
    worse(memory, sample.pressure.memory);
    worse(io, sample.pressure.io);
  }
  [[nodiscard]] Stall most() const {
    const double worst = std::max({cpu, memory, io});
    if (worst < kLeastStallPercent) return Stall::none;
    if (worst == cpu) return Stall::cpu;
    return worst == memory ? Stall::memory : Stall::io;
  }
};

/// Calls `see` for the cgroup of each pod that is meant, or of the application.
template <class See>
void for_meant(const NodeSnapshot& node, const Objective& objective, See see) {
  for (const PodSample& pod : node.pods)
    if (pod.cgroup != kNoCgroup && is_meant(objective, *pod.spec)) see(*node.cgroup(pod.cgroup));
  for (const HostApplicationSample& app : node.host_applications)
    if (app.cgroup != kNoCgroup && app.spec->name == objective.host_application)
      see(*node.cgroup(app.cgroup));
}

Standing standing_of(const Objective& objective, double slack) {
  const double beyond = 1 - slack;  // the figure, of the target
  if (beyond * 100 >= static_cast<double>(objective.pause_percent.count())) return Standing::far;
  if (slack <= 0) return Standing::missed;
  return slack * 100 >= static_cast<double>(objective.margin_percent.count()) ? Standing::ample
                                                                              : Standing::near;
}

void judge(const NodeSnapshot& node, const Objective& objective, const ObjectiveFigure& figure,
           ObjectiveStanding& one) {
  Stalls stalls;
  bool present = false;
  for_meant(node, objective, [&](const CgroupSample& sample) {
    stalls.take(sample);
    present = true;
  });
  one.stall = stalls.most();
  const bool known = figure.value && figure.at <= node.at && node.at - figure.at <= objective.stale_after;
  one.slack = known ? (objective.target - *figure.value) / objective.target : 0;
  one.standing = !present ? Standing::absent : known ? standing_of(objective, one.slack) : Standing::unknown;
}

/// A service that was just found, or the agent's start: its figure may take a moment.
bool may_come(const Objective& objective, MonoTime now, ObjectiveStanding& one) {
  if (one.standing != Standing::unknown) one.unknown_since.reset();
  if (one.standing == Standing::unknown && !one.unknown_since) one.unknown_since = now;
  return one.unknown_since && one.reported == Standing::absent &&
         now - *one.unknown_since < objective.stale_after;
}

/// `near` is no news: an objective that was missed is met again when it has its margin again.
void report(const std::vector<Objective>& objectives, MonoTime at, ObjectivesState& state) {
  for (std::size_t i = 0; i < state.each.size(); ++i) {
    ObjectiveStanding& one = state.each[i];
    if (may_come(objectives[i], at, one)) continue;
    const bool begins = one.reported == Standing::unknown || one.reported == Standing::absent;
    if (one.standing == one.reported || (one.standing == Standing::near && !begins)) continue;
    const Standing now = one.standing == Standing::near ? Standing::ample : one.standing;
    const bool silent = now == Standing::absent && one.reported == Standing::unknown;
    one.reported = now;
    if (!silent) state.events.push_back({i, now});
  }
}

void judge_all(const NodeSnapshot& node, const NodeSlo& slo, ObjectivesState& state) {
  const auto& objectives = slo.evenkeel.objectives;
  if (state.configured != objectives) {
    state.each.assign(objectives.size(), {});
    state.configured = objectives;
  }
  const ObjectiveFigure none;
  for (std::size_t i = 0; i < objectives.size(); ++i)
    judge(node, objectives[i], i < node.objectives.size() ? node.objectives[i] : none, state.each[i]);
  report(objectives, node.at, state);
}

/// The objective that decides: the one that asks best effort for most.
std::optional<Tightest> tightest_of(const NodeSnapshot& node, const NodeSlo& slo,
                                    const ObjectivesState& state) {
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < state.each.size(); ++i) {
    const ObjectiveStanding& one = state.each[i];
    if (one.standing < Standing::ample) continue;
    const bool tighter =
        !found || one.standing > state.each[*found].standing ||
        (one.standing == state.each[*found].standing && one.slack < state.each[*found].slack);
    if (tighter) found = i;
  }
  if (!found) return std::nullopt;
  return Tightest{*found, &slo.evenkeel.objectives[*found], state.each[*found].standing,
                  node.objectives[*found].at};
}

Percent slack_percent(double slack) {
  constexpr double kMost = 1e9;
  return Percent(static_cast<std::int64_t>(std::clamp(std::round(slack * 100), -kMost, kMost)));
}

bool enabled(const NodeSlo& slo) { return !slo.evenkeel.objectives.empty(); }

void decide(const NodeSnapshot& node, const NodeSlo& slo, ObjectivesState& state,
            ObjectivesPolicy::Facts facts, decide::Intents& /*out*/) {
  state.events.clear();
  // The last decision stands, also with new objectives: the figures are still in the order of the old ones.
  if (!node.measured) return;
  judge_all(node, slo, state);
  const auto tightest = tightest_of(node, slo, state);
  const MilliCpu capacity = cpu_capacity(node.object, node.node);
  auto& fact = facts.publish<decide::ServiceObjectives>();
  fact = {};
  if (!tightest || capacity <= MilliCpu{}) {
    state.together.reset();
    state.besteffort_disks = 1;
    state.paused_until.reset();
    state.missed_since.reset();
    return;
  }
  const Move move = next_move(*tightest, node.at, state);
  step(node, slo, capacity, move, *tightest, state);
  const ObjectiveStanding& one = state.each[tightest->index];
  fact.in_force = true;
  fact.some_unknown = std::ranges::any_of(
      state.each, [](const ObjectiveStanding& each) { return each.standing == Standing::unknown; });
  fact.move = move;
  if (const auto allowed = besteffort_part(state, capacity); allowed < capacity)
    fact.besteffort_cpu = allowed;
  fact.besteffort_disks = disks_in_steps(state.besteffort_disks);
  fact.slack = slack_percent(one.slack);
  fact.stall = one.stall;
}

}  // namespace

std::string_view name(Standing standing) {
  constexpr std::array<std::string_view, 6> kNames = {"absent", "unknown", "ample", "near", "missed", "far"};
  return kNames[static_cast<std::size_t>(standing)];
}

std::string_view name(Stall stall) {
  constexpr std::array<std::string_view, 4> kNames = {"none", "cpu", "memory", "io"};
  return kNames[static_cast<std::size_t>(stall)];
}

constinit const ObjectivesPolicy objectives_policy{
    {"objectives", "best effort gets what the services' own latency leaves", enabled}, decide};

}  // namespace evenkeel::objectives
