#include "qos/proof/proof.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "qos/detector/random.h"

namespace evenkeel::proof {
namespace {

constexpr std::array<Lever, kLevers> kTable = {{
    {"besteffort-quota", "cpu-suppress", Feeling::run_queue_wait,
     [](const decide::Intent& intent) { return intent.knob == Knob::cpu_quota; }},
    {"besteffort-cpuset", "cpu-suppress", Feeling::run_queue_wait,
     [](const decide::Intent& intent) { return intent.knob == Knob::cpuset_cpus; }},
    {"request-size", "request-size", Feeling::run_queue_wait, nullptr},
    {"cpu-idle", "cpu-identity", Feeling::run_queue_wait,
     [](const decide::Intent& intent) { return intent.knob == Knob::cpu_idle; }},
    {"cpu-burst", "cpu-burst", Feeling::throttling, [](const decide::Intent&) { return true; }},
}};

/// Smaller differences are not worth a verdict.
constexpr double kWorthNaming = 1.1;
constexpr double kFloorSeconds = 10e-6;
/// A lever whose verdict is known is tried in one of so many pairs only: conditions change.
constexpr std::uint64_t kKnownEvery = 10;

using InForce = std::array<bool, kLevers>;

bool is_intent_of(const Lever& lever, const decide::Intent& intent) {
  return lever.is_one != nullptr && decide::policy_name(intent.by) == lever.policy && lever.is_one(intent);
}

InForce in_force(const decide::Intents& out) {
  InForce found{};
  for (std::size_t i = 0; i < kLevers; ++i)
    found[i] = kTable[i].is_one == nullptr ? !out.request_sizes().members.empty()
                                           : std::ranges::any_of(out.all(), [&](const auto& intent) {
                                               return is_intent_of(kTable[i], intent);
                                             });
  return found;
}

void withhold(const Lever& lever, decide::Intents& out) {
  if (lever.is_one == nullptr) return out.request_sizes().members.clear();
  std::erase_if(out.all(), [&](const auto& intent) { return is_intent_of(lever, intent); });
}

/// One tick of each such span is withheld; the moment in it is drawn, so that no rhythm of the load meets it
/// again and again.
void schedule(const NodeSnapshot& node, const ProofSettings& settings, ProofState& state) {
  const Duration tick = node.since_previous.value_or(std::chrono::seconds(1));
  const auto mean = scaled(tick.count(), 100, std::max<std::int64_t>(settings.budget_percent.count(), 1));
  const auto drawn =
      static_cast<std::int64_t>(detector::next_random(state.random) % static_cast<std::uint64_t>(mean));
  state.next = node.at + Duration(mean / 2 + drawn) - 2 * tick;
}

/// The lever to try: one that is suspected before all others, else the one with the fewest pairs.
std::optional<std::size_t> choose(const InForce& there, const Felt& now, const ProofState& state) {
  const bool known_too = state.moments % kKnownEvery == 0;
  std::optional<std::size_t> chosen;
  const auto rank = [&](std::size_t i) {
    const Evidence& one = state.evidence[i];
    return std::pair(-std::max(one.harms.wealth(), 2.0), one.pairs);
  };
  for (std::size_t i = 0; i < kLevers; ++i) {
    const Verdict verdict = state.evidence[i].verdict;
    if (!there[i] || !now[static_cast<std::size_t>(kTable[i].feeling)] || verdict == Verdict::harms) continue;
    if (verdict != Verdict::unknown && !known_too) continue;
    if (!chosen || rank(i) < rank(*chosen)) chosen = i;
  }
  return chosen;
}

void decide_verdict(std::size_t lever, ProofState& state) {
  Evidence& one = state.evidence[lever];
  const Verdict before = one.verdict;
  if (one.harms.wealth() >= one.decisive()) one.verdict = Verdict::harms;
  if (one.helps.wealth() >= one.decisive()) one.verdict = Verdict::helps;
  if (one.pairs_of_run >= kPairsPerRun) {
    if (one.verdict == Verdict::unknown) one.verdict = Verdict::no_difference;
    one.harms = one.helps = {};
    one.pairs_of_run = 0;
    ++one.run;
  }
  if (one.verdict != before) state.events.push_back({lever, one.verdict});
}

void conclude(const Pair& pair, double second, ProofState& state) {
  Evidence& one = state.evidence[pair.lever];
  const double with = pair.withheld_first ? second : pair.first;
  const double without = pair.withheld_first ? pair.first : second;
  ++one.pairs;
  ++one.pairs_of_run;
  if (with > 0 && without > 0) {
    const double ratio = std::log(with / without);
    one.log_sum += ratio;
    one.log_squares += ratio * ratio;
    ++one.logs;
  }
  const bool worse = with > without * kWorthNaming + kFloorSeconds;
  const bool better = without > with * kWorthNaming + kFloorSeconds;
  if (worse || better) {
    one.harms.add(worse);
    one.helps.add(better);
  }
  decide_verdict(pair.lever, state);
}

/// One more tick of the pair has been measured. False: the pair is over.
bool go_on(Pair& pair, const InForce& there, const Felt& now, ProofState& state) {
  const auto value = now[static_cast<std::size_t>(kTable[pair.lever].feeling)];
  if (!value || !there[pair.lever]) return false;
  if (pair.second) {
    conclude(pair, *value, state);
    return false;
  }
  pair.first = *value;
  pair.second = true;
  return true;
}

void step(const NodeSnapshot& node, const ProofSettings& settings, const InForce& there, bool trouble,
          ProofState& state) {
  const Felt now = felt(node, state);
  if (state.pair) {
    if (state.pair->withholds()) state.withheld += node.since_previous.value_or(Duration{});
    if (!trouble && go_on(*state.pair, there, now, state)) return;
    state.pair.reset();
    return schedule(node, settings, state);
  }
  if (!state.next) {
    state.random = static_cast<std::uint64_t>(node.at.time_since_epoch().count());
    return schedule(node, settings, state);
  }
  if (trouble || node.at < *state.next) return;
  ++state.moments;
  const auto lever = choose(there, now, state);
  if (!lever) return schedule(node, settings, state);
  state.pair = Pair{.lever = *lever, .withheld_first = (detector::next_random(state.random) & 1) != 0};
}

bool enabled(const NodeSlo& slo) { return slo.evenkeel.proof.enable; }

void decide(const NodeSnapshot& node, const NodeSlo& slo, ProofState& state, ProofPolicy::Facts facts,
            decide::Intents& out) {
  state.events.clear();
  // Under another configuration the levers have other values.
  if (std::exchange(state.configuration, slo.fingerprint) != slo.fingerprint) {
    state.evidence = {};
    state.pair.reset();
    facts.withdraw();
  }
  if (slo.evenkeel.hands_off) return;
  // While a service waits too long, nothing is tried.
  if (node.measured)
    step(node, slo.evenkeel.proof, in_force(out), facts.read<decide::BrakeInForce>().cpu, state);
  if (state.pair && state.pair->withholds()) withhold(kTable[state.pair->lever], out);
  if (!slo.evenkeel.proof.withdraw) return facts.withdraw();
  for (std::size_t i = 0; i < kLevers; ++i)
    if (state.evidence[i].verdict == Verdict::harms) withhold(kTable[i], out);
  facts.publish<decide::HarmfulLevers>().besteffort_quota = state.evidence[0].verdict == Verdict::harms;
}

}  // namespace

std::span<const Lever, kLevers> levers() { return kTable; }

double Evidence::decisive() const {
  constexpr double kSumOfInverseSquares = std::numbers::pi * std::numbers::pi / 6;
  return kSumOfInverseSquares * static_cast<double>(run * run) / kErrorRate;
}

std::optional<Evidence::Effect> Evidence::effect() const {
  if (logs < 2) return std::nullopt;
  const auto n = static_cast<double>(logs);
  const double mean = log_sum / n;
  const double variance = std::max(0.0, (log_squares - n * mean * mean) / (n - 1));
  constexpr double kNormal95 = 1.96;
  const double half = kNormal95 * std::sqrt(variance / n);
  return Effect{std::exp(mean), std::exp(mean - half), std::exp(mean + half)};
}

std::string_view name(Verdict verdict) {
  constexpr std::array<std::string_view, 4> kNames = {"unknown", "helps", "no difference", "harms"};
  return kNames[static_cast<std::size_t>(verdict)];
}

std::string_view name(Feeling feeling) {
  return feeling == Feeling::run_queue_wait ? "run-queue wait" : "throttling";
}

constinit const ProofPolicy proof_policy{
    {"proof", "tests on this node whether levers help services, and withholds those that harm", enabled},
    decide};

}  // namespace evenkeel::proof
