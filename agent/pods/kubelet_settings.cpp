#include "agent/pods/kubelet_settings.h"

#include <algorithm>
#include <array>
#include <utility>

#include "agent/document/document.h"
#include "agent/pods/kube_text.h"
#include "qos/model/capacity.h"

namespace evenkeel::pods {
namespace {

std::string topology_policy(const document::Value& config) {
  constexpr std::array<std::pair<std::string_view, const char*>, 3> kPolicies = {
      {{"single-numa-node", "SingleNUMANode"}, {"restricted", "Restricted"}, {"best-effort", "BestEffort"}}};
  const auto policy = config.text("topologyManagerPolicy");
  if (policy.empty() || policy == "none") return "None";
  const auto found = std::ranges::find(kPolicies, policy, &std::pair<std::string_view, const char*>::first);
  if (found == kPolicies.end()) return {};
  return std::string(found->second) +
         (config.text("topologyManagerScope") == "pod" ? "PodLevel" : "ContainerLevel");
}

/// Absent: nothing is reserved, or one of the amounts cannot be read.
std::optional<MilliCpu> reserved_cpu(const document::Value& config) {
  MilliCpu sum{};
  for (const char* whose : {"systemReserved", "kubeReserved"}) {
    const auto text = text_at(config, {whose, "cpu"});
    if (text.empty()) continue;
    const auto amount = plausible_cpu(text);
    if (!amount) return std::nullopt;
    sum += *amount;
  }
  return sum > MilliCpu{} ? std::optional(sum) : std::nullopt;
}

}  // namespace

std::optional<KubeletSettings> kubelet_settings(std::string_view configz) {
  const auto parsed = document::parse_json(configz, "configz");
  const auto* config = parsed.problems.empty() ? value_at(parsed.root, {"kubeletconfig"}) : nullptr;
  if (config == nullptr || config->map() == nullptr) return std::nullopt;
  KubeletSettings out{.reserved_cpu = reserved_cpu(*config), .topology_policy = topology_policy(*config)};
  if (const auto text = config->text("reservedSystemCPUs"); !text.empty()) out.reserved = CpuSet::parse(text);
  if (const auto* options = config->find("cpuManagerPolicyOptions"); options != nullptr && options->map())
    for (const auto& [name, value] : *options->map())
      if (value.scalar() != nullptr) out.options.emplace(name, value.scalar()->text);
  return out;
}

std::optional<CpuSet> kubelet_reserved(const KubeletSettings& settings, const CpuTopology& topology) {
  if (settings.reserved) return settings.reserved;
  constexpr std::array<const char*, 3> kOtherChoice = {
      "distribute-cpus-across-numa", "distribute-cpus-across-cores", "prefer-align-cpus-by-uncorecache"};
  const bool takes_others = std::ranges::any_of(kOtherChoice, [&](const char* option) {
    const auto found = settings.options.find(option);
    return found != settings.options.end() && found->second != "false";
  });
  return takes_others ? std::nullopt : first_cpus(topology, settings.reserved_cpu);
}

}  // namespace evenkeel::pods
