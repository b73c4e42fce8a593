// The CPUs that the kubelet's CPU manager has given to each pod, from its checkpoint (cpu_manager_state).
// Does not read files.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "qos/model/topology.h"

namespace evenkeel::pods {

struct KubeletCpus {
  std::string policy{};                ///< "none", "static"; empty: the text is not a checkpoint
  std::map<std::string, CpuSet> of{};  ///< by the pod's uid. Kubelets before 1.18 name containers, not pods
  CpuSet all{};                        ///< these, and those of containers without a named pod
};
KubeletCpus kubelet_cpus(std::string_view cpu_manager_state, const std::string& file);

}  // namespace evenkeel::pods
