// What the kubelet's CPU manager has pinned itself: its checkpoint (cpu_manager_state below the kubelet's
// directory). May not: read a file.
#pragma once

#include <string>
#include <string_view>

#include "qos/model/cpu_set.h"

namespace evenkeel::pods {

struct CpuManagerState {
  bool is_static = false;  ///< it writes the CPU set of every container, again and again
  CpuSet pinned{};         ///< what containers have exclusively
  std::string problem{};   ///< not empty: the text is not such a state; then nothing else counts
};
/// Both forms: entries as {POD: {CONTAINER: CPUS}} (since 1.18) and as {CONTAINER_ID: CPUS}.
CpuManagerState parse_cpu_manager_state(std::string_view text, const std::string& file);

}  // namespace evenkeel::pods
