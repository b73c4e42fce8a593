#include <array>
#include <cstdio>

#include "agent/record/recorder.h"

namespace evenkeel::record {
namespace {

std::string number(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.3g", value);
  return text.data();
}

struct Kind {
  const char* name;
  bool of_suspect;  ///< the suspect is or will be acted on: its owner gets an event
};
const Kind& kind_of(interference::InterferenceEvent::What what) {
  static constexpr std::array<Kind, interference::kInterferenceEventKinds> kKinds = {
      {{"interference", false},
       {"interference-over", false},
       {"antagonist-limited", true},
       {"antagonist-confirmed", true},
       {"antagonist-cleared", true},
       {"antagonist-released", true},
       {"suspect-tested", true},
       {"suspect-innocent", true},
       {"suspect-unclear", true}}};
  return kKinds[static_cast<std::size_t>(what)];
}

std::string sentence_of_event(const interference::InterferenceEvent& event, const std::string& victim) {
  using What = interference::InterferenceEvent::What;
  const std::string limit = limit_text(event.limit);
  switch (event.what) {
    case What::capped:
      return "limited to " + limit + ", to see whether " + victim +
             " recovers: " + sentence_of(event.accusation);
    case What::relieved:
      return victim + " has recovered since the limit of " + limit +
             ": the limit stays until its time is over";
    case What::not_relieved:
      return victim + " has not recovered with the limit of " + limit;
    case What::released:
      return "the limit of " + limit + " is over";
    case What::trial_began:
      return "limited to " + limit + " in turns, to see whether " + victim + " recovers in them";
    case What::trial_cleared:
      return victim + " was no better off while it was limited to " + limit;
    case What::trial_inconclusive:
      return "whether " + victim + " was better off while it was limited to " + limit + " may be chance";
    case What::accused:
    case What::over:
      break;
  }
  return sentence_of(event.accusation);
}

}  // namespace

const char* resource_of(Signal signal) {
  constexpr std::array<const char*, kSignals> kResources = {"cache", "cache", "cpu", "memory", "io"};
  return kResources[static_cast<std::size_t>(signal)];
}

const char* name(interference::Remedy remedy) {
  constexpr std::array kNames = {"cpu", "cache", "memory"};
  return kNames[static_cast<std::size_t>(remedy)];
}

std::string limit_text(const interference::Limit& limit) {
  switch (limit.remedy) {
    case interference::Remedy::cache:
      return "the smallest share of cache and memory bandwidth (interference.capCachePercent)";
    case interference::Remedy::memory:
      return because("{} of memory", limit.memory).text();
    case interference::Remedy::cpu:
      break;
  }
  return because("{}", limit.cpu).text();
}

std::string sentence_of(const interference::Accusation& one) {
  const detector::Verdict& verdict = one.verdict;
  const SignalTraits& signal = traits_of(one.signal);
  std::string text =
      std::string(signal.name) + " " + number(one.value) + " " + signal.unit + ", usual " + number(one.usual);
  if (one.tested)
    text += "; " + number(one.tested->effect) +
            " times as much with it as while it was limited, in a test of " +
            std::to_string(one.tested->measured) + " turns";
  else if (verdict.blame)
    text += "; " + number(*verdict.blame) + " of it while the antagonist had the CPU (" +
            number(100 * verdict.blame_share.value_or(0)) + " % of what it waits more than usual)";
  else
    text += "; " + number(verdict.evidence.effect) +
            " times as much with what the antagonist does, rank correlation " +
            number(verdict.evidence.rank_correlation) + " over " + std::to_string(verdict.evidence.windows) +
            " windows";
  return text + "; chance of a false alarm " + number(verdict.chance);
}

void record_interference(std::span<const interference::InterferenceEvent> events, Recorder& recorder,
                         MonoTime now) {
  for (const interference::InterferenceEvent& event : events) {
    const interference::Accusation& one = event.accusation;
    const std::string victim = recorder.names().display_name(one.victim),
                      suspect = recorder.names().display_name(one.suspect);
    const std::string why = sentence_of_event(event, victim);
    const auto& [kind, of_suspect] = kind_of(event.what);
    AuditEvent entry{.kind = kind, .by = "interference", .why = why};
    if (of_suspect && !recorder.dry_run()) {
      recorder.record(entry, recorder.names().uid_of(one.suspect), now);
    } else {
      entry.pod = suspect;
      recorder.record_for_operator(entry, now);
    }
    auto line = event.what == interference::InterferenceEvent::What::accused ? recorder.log().warning(kind)
                                                                             : recorder.log().info(kind);
    line.with("victim", victim).with("antagonist", suspect).with("resource", resource_of(one.signal));
    line.with("why", why);
  }
}

}  // namespace evenkeel::record
