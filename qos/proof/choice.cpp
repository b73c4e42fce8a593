// Which lever is tried next, and by which kind of evidence.
#include <algorithm>
#include <utility>

#include "qos/proof/proof.h"

namespace evenkeel::proof {
namespace {

/// A lever whose verdict is known is tried at one of so many moments only: conditions change.
constexpr std::uint64_t kKnownEvery = 50;
/// One that helps is withheld for a 4000th of the time at most, so that services feel it in fewer than one in
/// a thousand of their requests.
constexpr std::int64_t kHelpfulRest = 4000;
/// One that seems to help, before the trials are enough, for a 200th: fewer than one in a hundred.
constexpr std::int64_t kPromisingRest = 200;
/// Wealth of the test for harm above which a lever is suspected: tried before all others, and without a rest.
/// The same wealth of the test for helping makes it seem to help.
constexpr double kSuspected = 2;

const Evidence& evidence_of(const Candidate& one, const ProofState& state) {
  return one.feeling == Feeling::reported ? state.reported[one.lever] : state.evidence[one.lever];
}

/// How far the trials speak against the lever.
double suspicion(const Candidate& one, const ProofState& state) {
  return evidence_of(one, state).harms.wealth();
}

/// By either kind of evidence: a lever is for all services.
bool seems_to_help(std::size_t lever, const ProofState& state) {
  return std::max(state.evidence[lever].helps.wealth(), state.reported[lever].helps.wealth()) > kSuspected;
}

/// From the beginning of a trial to that of the next one of the lever, in spans of the former: services miss
/// what helps them. A suspected one is tried again at once.
std::int64_t rest(const Candidate& one, const ProofState& state) {
  if (suspicion(one, state) > kSuspected) return 0;
  if (verdict(state, one.lever) == Verdict::helps) return kHelpfulRest;
  return seems_to_help(one.lever, state) ? kPromisingRest : 0;
}

/// What has not been decided; what has been at some moments only.
bool may_be_tried(const Candidate& one, const ProofState& state, MonoTime now) {
  if (verdict(state, one.lever) == Verdict::harms) return false;
  const auto tried = state.tried[one.lever];
  if (tried && now < tried->at + rest(one, state) * tried->span) return false;
  return evidence_of(one, state).verdict == Verdict::unknown || state.moments % kKnownEvery == 0;
}

/// The smallest comes first: a lever that is suspected before all others, else the one with the fewest
/// trials. A trial by figures withholds its lever for longer, so its turn comes when the other trials of the
/// lever have taken as much of the budget.
std::pair<double, std::int64_t> rank(const Candidate& one, const ProofState& state) {
  const Evidence& evidence = evidence_of(one, state);
  const std::int64_t turn = one.feeling == Feeling::reported ? (evidence.trials + 1) * one.pace.ticks /
                                                                   pace(levers()[one.lever].feeling).ticks
                                                             : evidence.trials;
  return {-std::max(suspicion(one, state), kSuspected), turn};
}

}  // namespace

std::optional<Candidate> choose(const ProofState& state, MonoTime at, const Felt& now,
                                const std::optional<Pace>& reported) {
  std::optional<Candidate> chosen;
  const auto consider = [&](const Candidate& one) {
    if (may_be_tried(one, state, at) && (!chosen || rank(one, state) < rank(*chosen, state))) chosen = one;
  };
  for (std::size_t i = 0; i < kLevers; ++i) {
    if (state.standing[i] != Standing::testable) continue;
    if (const auto feeling = comparable(levers()[i], now)) consider({i, *feeling, pace(*feeling)});
    if (reported) consider({i, Feeling::reported, *reported});
  }
  return chosen;
}

}  // namespace evenkeel::proof
