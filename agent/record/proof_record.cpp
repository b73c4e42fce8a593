#include <array>
#include <cstdio>

#include "agent/record/recorder.h"

namespace evenkeel::record {
std::string sentence_of(const proof::Lever& lever, const proof::Evidence& found) {
  std::array<char, 160> effect{};
  if (const auto ratio = found.effect())
    std::snprintf(effect.data(), effect.size(), ": %.2f times the %s of services (%.2f to %.2f)",
                  ratio->ratio, std::string(proof::name(found.feeling.value_or(lever.feeling))).c_str(),
                  ratio->low, ratio->high);
  const std::string trials = " in " + std::to_string(found.trials) + " trials with and without it";
  switch (found.verdict) {
    case proof::Verdict::harms:
      return "the lever harms services" + std::string(effect.data()) + trials;
    case proof::Verdict::helps:
      return "the lever helps services" + std::string(effect.data()) + trials;
    case proof::Verdict::no_difference:
      return "the lever makes no difference to services" + trials;
    case proof::Verdict::unknown:
      break;
  }
  return "nothing is known yet" + trials;
}

void record_proof(const proof::ProofState& state, Recorder& recorder, MonoTime now) {
  if (state.begun) {
    const proof::Lever& lever = proof::levers()[state.trial->lever];
    const std::int64_t ticks = state.trial->ticks;
    recorder.log()
        .info(recorder.dry_run() ? "would-withhold" : "trial")
        .with("lever", std::string(lever.name))
        .with("ticks", ticks)
        .with("of", ticks * state.trial->spans)
        .with("compares", std::string(proof::name(state.trial->feeling)))
        .with("by", "proof");
  }
  for (const proof::ProofEvent& event : state.events) {
    const proof::Lever& lever = proof::levers()[event.lever];
    const bool harms = event.verdict == proof::Verdict::harms;
    const std::string_view kind = harms                                    ? "lever-harms"
                                  : event.verdict == proof::Verdict::helps ? "lever-helps"
                                                                           : "lever-makes-no-difference";
    const std::string why = sentence_of(lever, proof::deciding(state, event.lever));
    const AuditEvent found{.kind = kind, .path = lever.name, .by = "proof", .why = why};
    harms ? recorder.record_for_node(found, now) : recorder.record_for_operator(found, now);
    auto line = harms ? recorder.log().warning(kind) : recorder.log().info(kind);
    line.with("lever", std::string(lever.name)).with("why", why);
  }
}

}  // namespace evenkeel::record
