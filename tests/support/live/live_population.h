// A realistic node's pods as real cgroups: a given number of pods, three containers each, two thirds of them
// services.
#pragma once

#include <string>
#include <vector>

#include "tests/support/live/live_cgroups.h"

namespace evenkeel::test {

struct Population {
  std::vector<std::string> services{}, batches{};  ///< pods, relative to the private top
};

/// Creates kubepods with `pods` pods of three containers below the private top. Containers of services get a
/// quota of one CPU.
Population populate(LiveCgroups& cgroups, int pods);
/// The kubelet's list of them: services with requests and limits, the first with a dedicated CPU; batch pods
/// on lent resources.
std::string pod_list_of(const Population& population);
/// New v1 cgroups have no CPUs: gives each all of them, as the kubelet and the container runtime do.
void give_cpus(const LiveCgroups& cgroups);

}  // namespace evenkeel::test
