// Checks that the agent restored everything: compares control files before it started and after it stopped.
// Pure.
#pragma once

#include <string>
#include <vector>

#include "agent/demo/managed.h"
#include "agent/demo/stage.h"

namespace evenkeel::demo {

struct Restoration {
  std::size_t written = 0;          ///< files that the agent wrote to
  std::size_t restored = 0;         ///< of these, files with their original value
  std::vector<std::string> left{};  ///< "path: was X, is Y", from all control files
};
Restoration compare(const ControlValues& before, const ControlValues& after,
                    const std::vector<AuditLine>& audit);
void add(Restoration& sum, const Restoration& one);

}  // namespace evenkeel::demo
