// The verbs of the command line, one function each; returns the exit status (0 success, 1 failure, 2 bad
// usage).
#pragma once

#include "agent/cli/flags.h"

namespace evenkeel::cli {

int run_agent(const Flags& flags);
int run_stepped(const Flags& flags);
int run_check(const Flags& flags);
int run_capabilities(const Flags& flags);
int run_explain(const Flags& flags);
int run_restore(const Flags& flags);
int run_withdraw(const Flags& flags);

}  // namespace evenkeel::cli
