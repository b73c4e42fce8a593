#include "agent/cli/setup.h"

#include <cstdio>

namespace evenkeel {

AgentSetup agent_options(const Flags& flags) {
  AgentSetup setup;
  const auto pods = parse_pods_source(flags.pods);
  setup.error = pods.error;
  setup.options = {.host_root = flags.host_root,
                   .cgroup_root = flags.cgroup_root,
                   .state_dir = flags.state_dir,
                   .inputs = {.nodeslo = flags.nodeslo,
                              .nodeslo_optional = !flags.nodeslo_given,
                              .pods = pods.source,
                              .node = flags.node,
                              .by_text = flags.stepped},
                   .dry_run = flags.dry_run,
                   .stepped = flags.stepped};
  return setup;
}

int usage_error(const std::string& problem) {
  std::fprintf(stderr, "evenkeel: %s\n", problem.c_str());
  return 2;
}

}  // namespace evenkeel
