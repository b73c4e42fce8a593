#include "tests/support/scenes/planned.h"

namespace evenkeel::test {

std::string say(const std::vector<kernel::PlannedWrite>& steps) {
  std::string out;
  for (const auto& step : steps) {
    out += std::to_string(step.group) + " " + std::string(row(step.knob).name) + " " + text(step.value);
    out += step.intermediate ? " (on the way)\n" : step.refusal ? " (refused)\n" : "\n";
  }
  return out;
}

}  // namespace evenkeel::test
