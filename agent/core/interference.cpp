// What the detection of interference found goes on record.
#include "agent/core/interference.h"

#include <array>
#include <cstdio>

#include "agent/core/agent.h"

namespace evenkeel {
namespace {

std::string number(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.3g", value);
  return text.data();
}

const char* kind_of(InterferenceNews::What what) {
  constexpr std::array kKinds = {"interference",         "interference-over",  "antagonist-limited",
                                 "antagonist-confirmed", "antagonist-cleared", "antagonist-released"};
  return kKinds[static_cast<std::size_t>(what)];
}

std::string limit_sentence(const InterferenceNews& news, const std::string& victim) {
  using What = InterferenceNews::What;
  const std::string cores = number(static_cast<double>(news.limit.count()) / 1000) + " CPUs";
  switch (news.what) {
    case What::capped:
      return "limited to " + cores + ", to see whether " + victim +
             " recovers: " + sentence_of(news.accusation);
    case What::cured:
      return victim + " has recovered since the limit of " + cores + ": it stays for its lease";
    case What::not_cured:
      return victim + " has not recovered with the limit of " + cores + ": it is taken back";
    case What::released:
      return "the limit of " + cores + " is over";
    case What::accused:
    case What::over:
      break;
  }
  return sentence_of(news.accusation);
}

}  // namespace

const char* resource_of(Signal signal) {
  constexpr std::array<const char*, kSignals> kResources = {"cache", "cache", "cpu", "memory", "io"};
  return kResources[static_cast<std::size_t>(signal)];
}

std::string sentence_of(const Accusation& one) {
  const Verdict& verdict = one.verdict;
  const SignalTraits& signal = traits_of(one.signal);
  std::string text =
      std::string(signal.name) + " " + number(one.value) + " " + signal.unit + ", usual " + number(one.usual);
  if (verdict.blame)
    text += "; " + number(*verdict.blame) + " of it while the antagonist had the CPU (" +
            number(100 * verdict.blame_share.value_or(0)) + " % of all waiting)";
  else
    text += "; " + number(verdict.evidence.effect) +
            " times as much with what the antagonist does, rank correlation " +
            number(verdict.evidence.rank_correlation) + " over " + std::to_string(verdict.evidence.windows) +
            " windows";
  return text + "; chance of a false alarm " + number(verdict.chance);
}

/// Accusations are told once, when they are made and when they are over; limits at each step. The owner of
/// the antagonist hears of a limit, the victim's of nothing: there is nothing to be done about it there.
void Agent::record_interference(MonoTime now) {
  for (const InterferenceNews& news : policy_state_.interference.news) {
    const Accusation& one = news.accusation;
    const std::string victim = title_of(one.victim), suspect = title_of(one.suspect);
    const std::string why = limit_sentence(news, victim);
    const char* kind = kind_of(news.what);
    const bool limit =
        news.what != InterferenceNews::What::accused && news.what != InterferenceNews::What::over;
    AuditEvent event{.kind = kind, .by = "interference", .why = why};
    if (limit && !options_.dry_run) {
      record(event, uid_of(one.suspect), now);
    } else {
      event.pod = suspect;
      audit_.record(event, now);
    }
    auto line = news.what == InterferenceNews::What::accused ? log_.warning(kind) : log_.info(kind);
    line.with("victim", victim).with("antagonist", suspect).with("resource", resource_of(one.signal));
    line.with("why", why);
  }
}

}  // namespace evenkeel
