#include "agent/pods/cpu_manager_state.h"

#include "agent/document/document.h"
#include "agent/pods/kube_text.h"

namespace evenkeel::pods {
namespace {

/// Whether every value below is a CPU list.
bool add_cpus(const document::Value& entry, CpuSet& out) {
  if (const auto* scalar = entry.scalar()) {
    const auto cpus = CpuSet::parse(scalar->text);
    if (cpus) out = out | *cpus;
    return cpus.has_value();
  }
  if (entry.map() == nullptr) return false;
  for (const auto& member : *entry.map())
    if (!add_cpus(member.second, out)) return false;
  return true;
}

}  // namespace

CpuManagerState parse_cpu_manager_state(std::string_view text, const std::string& file) {
  CpuManagerState out;
  const auto parsed = document::parse_json(text, file);
  if (!parsed.problems.empty()) {
    out.problem = parsed.problems.front().text();
    return out;
  }
  CpuSet pinned;
  const auto policy = text_at(parsed.root, {"policyName"});
  const auto* entries = value_at(parsed.root, {"entries"});
  if (policy.empty() || (entries != nullptr && !entries->null() &&
                         (entries->map() == nullptr || !add_cpus(*entries, pinned)))) {
    out.problem = file + ": found something else; legal: the state of the kubelet's CPU manager";
    return out;
  }
  out.is_static = policy == "static";
  out.pinned = pinned;
  return out;
}

}  // namespace evenkeel::pods
