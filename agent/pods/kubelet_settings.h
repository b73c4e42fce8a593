// What the kubelet says of its CPU and topology managers in /configz. Asks no server.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "qos/model/topology.h"
#include "qos/model/units.h"

namespace evenkeel::pods {

struct KubeletSettings {
  std::map<std::string, std::string> options{};  ///< cpuManagerPolicyOptions
  std::optional<CpuSet> reserved{};              ///< reservedSystemCPUs; absent: none by their numbers
  /// CPU of systemReserved and kubeReserved, which counts where `reserved` is absent. Absent: none.
  std::optional<MilliCpu> reserved_cpu{};
  /// Policy and scope of the topology manager, in the words of NodeResourceTopology: "None",
  /// "RestrictedPodLevel". Empty: another policy.
  std::string topology_policy{};
};
/// Absent: the text is not the kubelet's configuration.
std::optional<KubeletSettings> kubelet_settings(std::string_view configz);

/// The CPUs that the kubelet's static CPU manager policy reserves. Absent: it has not said which or how many,
/// or an option makes it take others than first_cpus().
std::optional<CpuSet> kubelet_reserved(const KubeletSettings& settings, const CpuTopology& topology);

}  // namespace evenkeel::pods
