// A node's worth of pods as real cgroups: so many pods, three containers each, two thirds of them services.
#pragma once

#include <string>
#include <vector>

#include "tests/support/live/live_cgroups.h"

namespace evenkeel::test {

struct Population {
  std::vector<std::string> services{}, batches{};  ///< pods, relative to the private top
};

/// kubepods with `pods` pods of three containers below the private top. Containers of services get a quota of
/// a CPU.
Population populate(LiveCgroups& cgroups, int pods);
/// On v1 new cgroups have no CPUs: each gets all there are, as kubelet and runtime give them.
void give_cpus(const LiveCgroups& cgroups);

}  // namespace evenkeel::test
