// Renders the demo's report: table, plot, the agent's actions, verdict; and the same as JSON. Pure text.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "agent/demo/figures.h"
#include "agent/demo/managed.h"
#include "agent/demo/restored.h"

namespace evenkeel::demo {

struct Outcome {
  std::size_t cpus = 0;
  int rounds = 0;
  double seconds = 0;              ///< of one phase
  double requests_per_second = 0;  ///< of all workers
  std::size_t hogs = 0;
  std::string kernel{};  ///< release and cgroup version
  std::map<Scenario, std::map<Phase, Figures>> figures{};
  std::vector<AuditLine> writes{};  ///< the last managed phase, each file once
  Restoration restoration{};
};

std::string table(const Outcome& outcome);
std::string plot(const Outcome& outcome);
std::string what_the_agent_did(const Outcome& outcome);
std::string verdict(const Outcome& outcome);
std::string as_json(const Outcome& outcome);

}  // namespace evenkeel::demo
