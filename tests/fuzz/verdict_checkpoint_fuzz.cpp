#include <algorithm>

#include "agent/history/verdict_checkpoint.h"
#include "tests/fuzz/fuzz.h"

using namespace evenkeel;
using fuzz::promise;

namespace {
const history::ProofConditions kHere{"6.18.1", 7};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  // Random inputs hardly ever have the right checksum, and never the right conditions: the first line is
  // given both.
  const std::string body = " 6.18.1 7 " + std::string(text.substr(0, text.find('\n')));
  const auto sealed = sealed_line("2" + body) + sealed_line("3" + body);
  proof::ProofState state;
  const auto read = history::read_verdicts(sealed + std::string(text), kHere, state);
  for (const auto* kind : {&state.evidence, &state.reported})
    for (const auto& one : *kind) {
      promise(one.trials >= 0 && one.run >= 1 && one.harms.wealth() >= 0 && one.decisive(0.001) > 0);
      if (const auto effect = one.effect()) promise(effect->low <= effect->high);
    }
  // What is written is read back; levers without a pair are not written.
  proof::ProofState again;
  const auto second = history::read_verdicts(history::verdicts_text(state, kHere), kHere, again);
  promise(second.corrupt == 0 && second.incompatible == 0 && second.models <= 2 * proof::kLevers);
  for (std::size_t i = 0; i < proof::kLevers; ++i) {
    promise(state.evidence[i].trials == 0 || again.evidence[i].harms == state.evidence[i].harms);
    promise(state.reported[i].trials == 0 || again.reported[i].harms == state.reported[i].harms);
  }
  promise(read.models <= 3 + static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')));
  return 0;
}
