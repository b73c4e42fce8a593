// From flags to the agent's options: the part that `run` and the stepped mode share.
#pragma once

#include <string>

#include "agent/cli/flags.h"
#include "agent/core/agent.h"

namespace evenkeel {

struct AgentSetup {
  AgentOptions options{};
  std::string error{};
};
AgentSetup agent_options(const Flags& flags);

/// Says what is wrong on standard error; returns 2.
int usage_error(const std::string& problem);

}  // namespace evenkeel
