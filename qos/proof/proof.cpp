#include "qos/proof/proof.h"

#include <algorithm>
#include <utility>

#include "qos/detector/random.h"

namespace evenkeel::proof {
namespace {

/// A lever that harms may be what keeps services in trouble, and then only a trial can find it. So trouble
/// postpones trials for so long at most. To withhold a lever that causes the trouble does no harm; one that
/// eases it is missed for no more than the budget.
constexpr Duration kPatience = std::chrono::minutes(10);

std::int64_t draw(std::int64_t below, ProofState& state) {
  return static_cast<std::int64_t>(detector::next_random(state.random) % static_cast<std::uint64_t>(below));
}

constexpr Duration kBudgetTime = std::chrono::hours(1);

/// What may be withheld within any hour is the budget: half of it is saved up, the other half comes back
/// during the hour.
Duration half_budget(const ProofSettings& settings) {
  return Duration(scaled(kBudgetTime.count(), settings.budget_percent.count(), 200));
}
void add_budget(const NodeSnapshot& node, const ProofSettings& settings, ProofState& state) {
  const Duration half = half_budget(settings);
  const Duration elapsed = node.since_previous.value_or(Duration{});
  const Duration gained(scaled(elapsed.count(), half.count(), kBudgetTime.count()));
  state.budget = std::min(half, state.budget ? *state.budget + gained : half);
}

/// The moment of the next trial is drawn, so that no rhythm of the load meets it again and again.
void schedule(const NodeSnapshot& node, ProofState& state) {
  const Duration tick = node.since_previous.value_or(std::chrono::seconds(1));
  state.next = node.at + draw(kMostSpans, state) * tick;
}

void add_outcome(const Trial& trial, ProofState& state) {
  const Verdict before = verdict(state, trial.lever);
  conclude(trial,
           trial.feeling == Feeling::reported ? state.reported[trial.lever] : state.evidence[trial.lever]);
  const Verdict after = verdict(state, trial.lever);
  if (after != before) state.events.push_back({trial.lever, after});
}

/// The span has been measured. False: it was the last one.
bool next_span(Trial& trial, ProofState& state) {
  trial.tick = 0;
  if (++trial.span < trial.spans) return true;
  add_outcome(trial, state);
  if (!trial.met_trouble) state.postponed_since.reset();
  return false;
}

/// One more tick of the trial has been measured. False: the trial is over.
bool go_on_by_feeling(Trial& trial, const Felt& now, ProofState& state) {
  const auto value = now[static_cast<std::size_t>(trial.feeling)];
  if (!value) return false;
  // What the span before has left behind is not counted.
  if (trial.tick >= trial.ticks / 5) trial.felt[static_cast<std::size_t>(trial.span)] += *value;
  return ++trial.tick < trial.ticks || next_span(trial, state);
}

/// The same if figures are compared.
bool go_on_by_figures(const NodeSnapshot& node, const NodeSlo& slo, Trial& trial, ProofState& state) {
  // The lever was withheld, or came back, at the end of a tick; what was measured in the next one may still
  // be of before.
  const Duration tick = node.since_previous.value_or(Duration{});
  const auto [lost, value] = take_reported(node, slo, *state.span_began + tick, state.compared);
  if (lost) return false;
  if (!value) return ++trial.tick < trial.ticks;
  state.span_began = node.at;
  trial.felt[static_cast<std::size_t>(trial.span)] = *value;
  return next_span(trial, state);
}

/// The trial after one more tick. False: it is over.
bool go_on(const NodeSnapshot& node, const NodeSlo& slo, const Felt& now, ProofState& state) {
  Trial& trial = *state.trial;
  if (!state.trouble.empty()) {
    trial.met_trouble = true;
    if (!trial.despite_trouble) {
      if (!state.postponed_since) state.postponed_since = node.at;
      if (cut_short(trial)) add_outcome(trial, state);
      return false;
    }
  }
  return trial.feeling == Feeling::reported ? go_on_by_figures(node, slo, trial, state)
                                            : go_on_by_feeling(trial, now, state);
}

/// Whether trouble keeps a trial from beginning that is due now.
bool is_postponed(const NodeSnapshot& node, ProofState& state) {
  if (state.trouble.empty()) return false;
  const bool waits = std::ranges::find(state.standing, Standing::testable) != state.standing.end();
  if (!waits || !state.postponed_since) state.postponed_since = node.at;
  return node.at - *state.postponed_since < kPatience;
}

void begin(const NodeSnapshot& node, const NodeSlo& slo, const Candidate& chosen, ProofState& state) {
  state.trial = Trial{.lever = chosen.lever,
                      .feeling = chosen.feeling,
                      .spans = chosen.pace.spans,
                      .ticks = chosen.pace.ticks,
                      .error_rate = error_rate(slo),
                      .withheld = draw(chosen.pace.spans, state)};
  state.trial->despite_trouble = state.postponed_since && node.at - *state.postponed_since >= kPatience;
  state.tried[chosen.lever] = {node.at, chosen.pace.ticks * node.since_previous.value_or(Duration{})};
  state.begun = true;
  if (chosen.feeling != Feeling::reported) return;
  state.span_began = node.at;
  begin_reported(node, slo, state.compared);
}

/// Absent: no figure is known, or a span would take more than may ever be withheld.
std::optional<Pace> affordable_reported_pace(const NodeSnapshot& node, const NodeSlo& slo) {
  const auto needed = reported_pace(node, slo);
  const Duration tick = node.since_previous.value_or(Duration{});
  return needed && needed->ticks * tick <= half_budget(slo.evenkeel.proof) ? needed : std::nullopt;
}

/// What the other policies want and know in this tick.
struct Others {
  InForce there{};
  std::string_view trouble{};  ///< of services; empty: none
};

void step(const NodeSnapshot& node, const NodeSlo& slo, const Others& others, ProofState& state) {
  const Felt now = felt(node, state.before);
  const auto feels = unusual(now, state.usual);
  const InForce& there = others.there;
  state.trouble = others.trouble.empty() && feels ? name(*feels) : others.trouble;
  state.compared.reserve(slo.evenkeel.objectives.size());  // not when a trial begins
  const auto reported = affordable_reported_pace(node, slo);
  const Duration tick = node.since_previous.value_or(Duration{});
  for (std::size_t i = 0; i < kLevers; ++i) {
    const bool known = comparable(levers()[i], now) || reported;
    state.standing[i] = !there[i] ? Standing::not_in_force : known ? Standing::testable : Standing::unknown;
  }
  add_budget(node, slo.evenkeel.proof, state);
  if (state.trial) {
    if (state.trial->withholds()) {
      state.withheld += tick;
      *state.budget -= tick;
    }
    if (there[state.trial->lever] && go_on(node, slo, now, state)) return;
    state.trial.reset();
    return schedule(node, state);
  }
  if (!state.next) {
    state.random = static_cast<std::uint64_t>(node.at.time_since_epoch().count());
    return schedule(node, state);
  }
  if (node.at < *state.next || is_learning(now, state.usual) || is_postponed(node, state)) return;
  ++state.moments;
  const auto chosen = choose(state, node.at, now, reported);
  if (!chosen && state.trouble.empty()) state.postponed_since.reset();
  if (!chosen || *state.budget < chosen->pace.ticks * tick) return schedule(node, state);
  begin(node, slo, *chosen, state);
}

/// Measuring waits costs a little at every context switch, so it begins with the first lever that needs it.
/// It goes on when that lever leaves: loading the program takes longer than a tick should.
bool acts_on_waits(const InForce& there) {
  for (std::size_t i = 0; i < kLevers; ++i)
    if (there[i] && levers()[i].feeling == Feeling::run_queue_wait) return true;
  return false;
}

/// What other policies know of. Empty: nothing.
std::string_view known_trouble(const ProofPolicy::Facts& facts) {
  const auto& brake = facts.read<decide::BrakeInForce>();
  const auto& objectives = facts.read<decide::ServiceObjectives>();
  if (brake.cpu || brake.memory) return "brake";
  const bool missed = objectives.in_force && objectives.move >= decide::ServiceObjectives::Move::shrink;
  return missed ? "objective" : "";
}

bool enabled(const NodeSlo& slo) { return slo.evenkeel.proof.enable; }

void begin_tick(const NodeSlo& slo, ProofState& state, ProofPolicy::Facts facts) {
  state.events.clear();
  state.begun = false;
  state.trouble = {};
  // Under another configuration the levers have other values.
  if (std::exchange(state.configuration, slo.fingerprint) == slo.fingerprint) return;
  state.evidence = state.reported = {};
  state.trial.reset();
  state.compares_waits = false;
  facts.withdraw();
}

void decide(const NodeSnapshot& node, const NodeSlo& slo, ProofState& state, ProofPolicy::Facts facts,
            decide::Intents& out) {
  begin_tick(slo, state, facts);
  if (slo.evenkeel.hands_off) {
    state.before = {};  // else the first tick afterwards would count all the time in between as its own
    return;
  }
  const Others others{in_force(out), known_trouble(facts)};
  state.compares_waits |= acts_on_waits(others.there);
  if (node.measured) step(node, slo, others, state);
  withhold_all(slo.evenkeel.proof, state, out);
  facts.publish<decide::LeversOnTrial>().disk_suppression =
      state.trial && state.trial->lever == kDiskSuppression;
  // A quota whose request sizes are withheld would harm, too: it is not tried first.
  facts.publish<decide::HarmfulLevers>().besteffort_quota =
      slo.evenkeel.proof.withdraw &&
      (verdict(state, kBesteffortQuota) == Verdict::harms || verdict(state, kRequestSizes) == Verdict::harms);
}

}  // namespace

constinit const ProofPolicy proof_policy{
    {"proof", "tests on this node whether levers help services, and withholds those that harm", enabled},
    decide};

}  // namespace evenkeel::proof
