#include "agent/document/document.h"
#include "agent/pods/kube_text.h"
#include "agent/pods/pod_list.h"

namespace evenkeel::pods {

namespace {

/// A member of status.capacity or status.allocatable; an invalid one is a notice and stays unknown.
template <class T>
std::optional<T> amount(const document::Value& root, std::string_view list, std::string_view name,
                        std::optional<T> (*parse)(std::string_view), std::vector<std::string>& notices) {
  if (value_at(root, {"status", list, name}) == nullptr) return std::nullopt;
  const auto text = text_at(root, {"status", list, name});
  const auto value = parse(text);
  if (!value || value->count() == 0) {
    notices.push_back("node: status." + std::string(list) + '.' + std::string(name) + " ignored: found '" +
                      text.substr(0, 40) + "'; legal: a quantity above zero");
    return std::nullopt;
  }
  return value;
}

/// Unlike CPU and memory these may be zero, when nothing is lent.
void read_lent(const document::Value& root, NodeObject& node, std::vector<std::string>& notices) {
  auto lent = read_resources(value_at(root, {"status", "allocatable"}));
  if (lent.refusal.starts_with("kubernetes.io/"))
    notices.push_back("node: status.allocatable: batch and mid are not known: " + lent.refusal);
  if (!lent.refusal.empty()) return;
  node.lent = lent.resources;
  node.lent.cpu.reset();
  node.lent.memory.reset();
}

void read_amounts(const document::Value& root, NodeObject& node, std::vector<std::string>& notices) {
  node.cpu_capacity = amount(root, "capacity", "cpu", &plausible_cpu, notices);
  node.cpu_allocatable = amount(root, "allocatable", "cpu", &plausible_cpu, notices);
  node.memory_capacity = amount(root, "capacity", "memory", &plausible_bytes, notices);
  node.memory_allocatable = amount(root, "allocatable", "memory", &plausible_bytes, notices);
  read_lent(root, node, notices);
}

std::optional<CpuSet> cpus_in(const document::Value& object, std::string_view member, const char* key,
                              std::vector<std::string>& notices) {
  const auto text = text_at(object, {member});
  const auto cpus = CpuSet::parse(text);
  if (!cpus) {
    notices.push_back(std::string("node: annotation ") + key + ": " + std::string(member) +
                      " ignored: found '" + text.substr(0, 40) + "'; legal: a CPU list such as 0-3,8");
  }
  return cpus && !cpus->empty() ? cpus : std::nullopt;
}

void read_reservation(NodeObject& node, std::vector<std::string>& notices) {
  constexpr const char* kKey = "node.koordinator.sh/reservation";
  const auto object = node_annotation(node, kKey, notices);
  const auto resources = read_resources(value_at(object, {"resources"}));
  if (!resources.refusal.empty()) {
    notices.push_back(std::string("node: annotation ") + kKey + ": resources ignored: " + resources.refusal);
  }
  node.reserved_cpu = resources.resources.cpu;
  node.reserved_memory = resources.resources.memory;
  node.reserved_cpus = cpus_in(object, "reservedCPUs", kKey, notices);
  if (node.reserved_cpus)
    node.reserved_cpu = MilliCpu(static_cast<std::int64_t>(node.reserved_cpus->size()) * 1000);
}

void read_system_qos(NodeObject& node, std::vector<std::string>& notices) {
  constexpr const char* kKey = "node.koordinator.sh/system-qos-resource";
  const auto object = node_annotation(node, kKey, notices);
  node.system_qos_cpus = cpus_in(object, "cpuset", kKey, notices);
  node.system_qos_cpus_shared = text_at(object, {"cpusetExclusive"}) == "false";
}

}  // namespace

document::Value node_annotation(const NodeObject& node, const char* key, std::vector<std::string>& notices) {
  auto parsed = annotation_object(node.annotations, key);
  if (parsed.problems.empty()) return std::move(parsed.root);
  notices.push_back("node: annotation ignored: " + parsed.problems.front().text());
  return {};
}

NodeFile parse_node(std::string_view text, const std::string& file, Source source) {
  NodeFile out;
  const auto parsed =
      source == Source::file ? document::parse_document(text, file) : document::parse_json(text, file);
  out.problems = parsed.problems;
  if (!out.problems.empty()) return out;
  const auto& root = parsed.root;
  const auto kind = text_at(root, {"kind"});
  if (root.map() == nullptr || (!kind.empty() && kind != "Node")) {
    out.problems.push_back({file, root.place, {}, "found something else; legal: a v1 Node"});
    return out;
  }
  out.node.name = text_at(root, {"metadata", "name"});
  out.node.labels = text_map(value_at(root, {"metadata", "labels"}));
  out.node.annotations = text_map(value_at(root, {"metadata", "annotations"}));
  read_amounts(root, out.node, out.notices);
  read_reservation(out.node, out.notices);
  read_system_qos(out.node, out.notices);
  read_node_lending(out.node, out.notices);
  const auto manager = node_annotation(out.node, "kubelet.koordinator.sh/cpu-manager-policy", out.notices);
  out.node.kubelet_static_cpu_manager = text_at(manager, {"policy"}) == "static";
  return out;
}

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
