// Parses the checkpoint of the kubelet's CPU manager (cpu_manager_state in the kubelet's directory): which
// CPUs it has pinned. Does not read files.
#pragma once

#include <string>
#include <string_view>

#include "qos/model/cpu_set.h"

namespace evenkeel::pods {

struct CpuManagerState {
  bool is_static = false;  ///< static policy: it rewrites every container's CPU set periodically
  CpuSet pinned{};         ///< CPUs that containers use exclusively
  std::string problem{};   ///< not empty: why the text is not a checkpoint; the rest is then invalid
};
/// Both forms: entries as {POD: {CONTAINER: CPUS}} (since 1.18) and as {CONTAINER_ID: CPUS}.
CpuManagerState parse_cpu_manager_state(std::string_view text, const std::string& file);

}  // namespace evenkeel::pods
