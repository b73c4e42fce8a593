// Names of disks that lead nowhere: said once each, as the kernel's refusals are.
#include "agent/tick/agent.h"
#include "qos/io/disk.h"

namespace evenkeel::tick {

void Agent::log_unresolved(MonoTime now) {
  while (const auto* block = io::take_unreported(policy_state_.of<io::BlkioState>(), now))
    result_.report.refusals.push_back({.path = block->name,
                                       .error = {ENODEV, Op::open, ""},
                                       .text = "blkioQOS",
                                       .cgroup = block->cgroup,
                                       .detail = io::why_unresolved(*block)});
}

}  // namespace evenkeel::tick
