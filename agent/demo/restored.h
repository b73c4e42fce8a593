// The proof that nothing was left behind: control files before the agent came and after it went. Pure.
#pragma once

#include <string>
#include <vector>

#include "agent/demo/managed.h"
#include "agent/demo/stage.h"

namespace evenkeel::demo {

struct Restoration {
  std::size_t written = 0;          ///< files that the agent wrote to
  std::size_t restored = 0;         ///< of these, how many hold what they held before
  std::vector<std::string> left{};  ///< "path: was X, is Y", of all control files
};
Restoration compare(const ControlValues& before, const ControlValues& after,
                    const std::vector<AuditLine>& audit);
void add(Restoration& sum, const Restoration& one);

}  // namespace evenkeel::demo
