#include "agent/pods/cpu_manager.h"

#include "agent/document/document.h"
#include "agent/pods/kube_text.h"
#include "agent/pods/pod_list.h"

namespace evenkeel::pods {

KubeletCpus kubelet_cpus(std::string_view cpu_manager_state, const std::string& file) {
  KubeletCpus out;
  const auto state = parse_cpu_manager_state(cpu_manager_state, file);
  if (!state.problem.empty()) return out;
  const auto root = document::parse_json(cpu_manager_state, file).root;
  out.policy = text_at(root, {"policyName"});
  out.all = state.pinned;
  const auto* entries = value_at(root, {"entries"});
  if (entries == nullptr) return out;
  for (const auto& [pod, containers] : *entries->map()) {
    if (containers.map() == nullptr) continue;
    CpuSet cpus;
    for (const auto& [container, list] : *containers.map())
      if (const auto* scalar = list.scalar()) cpus = cpus | CpuSet::parse(scalar->text).value_or(CpuSet{});
    if (!cpus.empty()) out.of.emplace(pod, cpus);
  }
  return out;
}

}  // namespace evenkeel::pods
