#include "qos/proof/proof.h"

#include <algorithm>
#include <utility>

#include "qos/detector/random.h"

namespace evenkeel::proof {
namespace {

/// A lever whose verdict is known is tried at one of so many moments only: conditions change.
constexpr std::uint64_t kKnownEvery = 50;
/// One that helps is withheld for a 4000th of the time at most, so that services feel it in fewer than one in
/// a thousand of their requests.
constexpr std::int64_t kHelpfulRest = 4000;
/// Wealth of the test for harm above which a lever is suspected: tried before all others, and without a rest.
constexpr double kSuspected = 2;

std::int64_t draw(std::int64_t below, ProofState& state) {
  return static_cast<std::int64_t>(detector::next_random(state.random) % static_cast<std::uint64_t>(below));
}

constexpr Duration kBudgetTime = std::chrono::hours(1);

/// What may be withheld within any hour is the budget: half of it is saved up, the other half comes back
/// during the hour.
void add_budget(const NodeSnapshot& node, const ProofSettings& settings, ProofState& state) {
  const Duration half(scaled(kBudgetTime.count(), settings.budget_percent.count(), 200));
  const Duration elapsed = node.since_previous.value_or(Duration{});
  const Duration gained(scaled(elapsed.count(), half.count(), kBudgetTime.count()));
  state.budget = std::min(half, state.budget ? *state.budget + gained : half);
}

/// The moment of the next trial is drawn, so that no rhythm of the load meets it again and again.
void schedule(const NodeSnapshot& node, ProofState& state) {
  const Duration tick = node.since_previous.value_or(std::chrono::seconds(1));
  state.next = node.at + draw(kMostSpans, state) * tick;
}

/// The lever to try: one that is suspected before all others, else the one with the fewest trials.
std::optional<std::size_t> choose(const ProofState& state, MonoTime now) {
  const bool known_too = state.moments % kKnownEvery == 0;
  std::optional<std::size_t> chosen;
  const auto rank = [&](std::size_t i) {
    const Evidence& one = state.evidence[i];
    return std::pair(-std::max(one.harms.wealth(), kSuspected), one.trials);
  };
  for (std::size_t i = 0; i < kLevers; ++i) {
    const Verdict verdict = state.evidence[i].verdict;
    const bool suspected = state.evidence[i].harms.wealth() > kSuspected;
    if (verdict == Verdict::helps && !suspected && state.rests_until[i] > now) continue;
    if (state.standing[i] != Standing::testable || verdict == Verdict::harms) continue;
    if (verdict != Verdict::unknown && !known_too) continue;
    if (!chosen || rank(i) < rank(*chosen)) chosen = i;
  }
  return chosen;
}

/// One more tick of the trial has been measured. False: the trial is over.
bool go_on(Trial& trial, const InForce& there, const Felt& now, ProofState& state) {
  const std::int64_t ticks = pace(trial.feeling).ticks;
  const auto value = now[static_cast<std::size_t>(trial.feeling)];
  if (!value || !there[trial.lever]) return false;
  // What the span before has left behind is not counted.
  if (trial.tick >= ticks / 5) trial.felt[static_cast<std::size_t>(trial.span)] += *value;
  if (++trial.tick < ticks) return true;
  trial.tick = 0;
  if (++trial.span < trial.spans) return true;
  Evidence& evidence = state.evidence[trial.lever];
  if (conclude(trial, evidence)) state.events.push_back({trial.lever, evidence.verdict});
  return false;
}

void step(const NodeSnapshot& node, const ProofSettings& settings, const InForce& there, bool trouble,
          ProofState& state) {
  const Felt now = felt(node, state.before);
  const Duration tick = node.since_previous.value_or(Duration{});
  for (std::size_t i = 0; i < kLevers; ++i)
    state.standing[i] = !there[i]                      ? Standing::not_in_force
                        : comparable(levers()[i], now) ? Standing::testable
                                                       : Standing::unknown;
  add_budget(node, settings, state);
  if (state.trial) {
    if (state.trial->withholds()) {
      state.withheld += tick;
      *state.budget -= tick;
    }
    if (!trouble && go_on(*state.trial, there, now, state)) return;
    state.trial.reset();
    return schedule(node, state);
  }
  if (!state.next) {
    state.random = static_cast<std::uint64_t>(node.at.time_since_epoch().count());
    return schedule(node, state);
  }
  if (trouble || node.at < *state.next) return;
  ++state.moments;
  const auto lever = choose(state, node.at);
  if (!lever) return schedule(node, state);
  const Feeling feeling = *comparable(levers()[*lever], now);
  const auto [spans, ticks] = pace(feeling);
  if (*state.budget < ticks * tick) return schedule(node, state);
  state.trial = Trial{.lever = *lever, .feeling = feeling, .spans = spans, .withheld = draw(spans, state)};
  state.rests_until[*lever] = node.at + kHelpfulRest * ticks * tick;
  state.begun = true;
}

/// Measuring waits costs a little at every context switch, so it begins with the first lever that needs it.
/// It goes on when that lever leaves: loading the program takes longer than a tick should.
bool acts_on_waits(const InForce& there) {
  for (std::size_t i = 0; i < kLevers; ++i)
    if (there[i] && levers()[i].feeling == Feeling::run_queue_wait) return true;
  return false;
}

/// The brake acts, or a service misses its objective.
bool in_trouble(const ProofPolicy::Facts& facts) {
  const auto& brake = facts.read<decide::BrakeInForce>();
  const auto& objectives = facts.read<decide::ServiceObjectives>();
  return brake.cpu || brake.memory ||
         (objectives.in_force && objectives.move >= decide::ServiceObjectives::Move::shrink);
}

bool enabled(const NodeSlo& slo) { return slo.evenkeel.proof.enable; }

void decide(const NodeSnapshot& node, const NodeSlo& slo, ProofState& state, ProofPolicy::Facts facts,
            decide::Intents& out) {
  state.events.clear();
  state.begun = false;
  // Under another configuration the levers have other values.
  if (std::exchange(state.configuration, slo.fingerprint) != slo.fingerprint) {
    state.evidence = {};
    state.trial.reset();
    state.compares_waits = false;
    facts.withdraw();
  }
  if (slo.evenkeel.hands_off) return;
  // While a service waits too long, nothing is tried.
  const InForce there = in_force(out);
  state.compares_waits |= acts_on_waits(there);
  if (node.measured) step(node, slo.evenkeel.proof, there, in_trouble(facts), state);
  if (state.trial && state.trial->withholds())
    withhold(
        state.trial->lever,
        {.why = because("proof withholds this lever for some seconds, to measure whether it helps services"),
         .for_a_trial = true},
        out);
  if (!slo.evenkeel.proof.withdraw) return facts.withdraw();
  for (std::size_t i = 0; i < kLevers; ++i)
    if (state.evidence[i].verdict == Verdict::harms)
      withhold(i,
               {.why = because("proof withholds this lever, for it was found to harm services on this node")},
               out);
  facts.publish<decide::HarmfulLevers>().besteffort_quota =
      state.evidence[kBesteffortQuota].verdict == Verdict::harms;
}

}  // namespace

constinit const ProofPolicy proof_policy{
    {"proof", "tests on this node whether levers help services, and withholds those that harm", enabled},
    decide};

}  // namespace evenkeel::proof
