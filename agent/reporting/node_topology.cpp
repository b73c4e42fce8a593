#include "agent/reporting/node_topology.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>
#include <utility>

#include "agent/runtime/json.h"
#include "qos/model/capacity.h"

namespace evenkeel::reporting {
namespace {

std::string topology_text(const CpuTopology& cpus) {
  std::string out;
  runtime::Json json(out);
  json.begin_object().key("detail").begin_array();
  for (const auto& cpu : cpus.cpus) {
    json.begin_object().member("id", cpu.id).member("core", cpu.core);
    json.member("socket", cpu.socket).member("node", cpu.numa).end_object();
  }
  json.end_array().end_object();
  return out;
}

/// One pool per NUMA node, ordered by socket and number.
std::string pools_text(const CpuTopology& topology, const CpuSet& members) {
  std::map<std::pair<int, int>, CpuSet> pools;
  std::map<int, int> sockets;  // of the first CPU: with cluster-on-die or odd firmware a node may span two
  for (const auto& cpu : topology.cpus)
    if (members.contains(cpu.id))
      pools[{sockets.try_emplace(cpu.numa, cpu.socket).first->second, cpu.numa}].add(cpu.id);
  std::string out;
  runtime::Json json(out);
  json.begin_array();
  for (const auto& [where, cpus] : pools) {
    json.begin_object().member("socket", where.first).member("node", where.second);
    json.member("cpuset", cpus.text()).end_object();
  }
  json.end_array();
  return out;
}

/// Whether Koordinator assigns this pod's CPUs, so that the kubelet's entry for it does not count.
bool assigned_by_koordinator(const Pod& pod) {
  return pod.label_qos == QosClass::ls || pod.label_qos == QosClass::be ||
         (pod.allocated_cpus && !pod.allocated_cpus->empty());
}

struct Allocation {
  std::string_view uid{};
  const Pod* pod = nullptr;  ///< null: not in the list (any more)
  CpuSet cpus{};
};

/// Of the kubelet's static policy, by uid.
std::vector<Allocation> kubelet_allocations(const NodeTopologyInput& input) {
  std::vector<Allocation> out;
  if (input.kubelet.policy != "static") return out;
  for (const auto& [uid, cpus] : input.kubelet.of) {
    const auto pod = std::ranges::find(input.pods, uid, &Pod::uid);
    const bool listed = pod != input.pods.end();
    if (!listed || !assigned_by_koordinator(*pod)) out.push_back({uid, listed ? &*pod : nullptr, cpus});
  }
  return out;
}

std::string allocations_text(const std::vector<Allocation>& allocations) {
  std::string out;
  runtime::Json json(out);
  json.begin_array();
  for (const auto& one : allocations) {
    json.begin_object();
    if (one.pod != nullptr) json.member("namespace", one.pod->namespace_).member("name", one.pod->name);
    json.member("uid", one.uid).member("cpuset", one.cpus.text()).member("managedByKubelet", true);
    json.end_object();
  }
  json.end_array();
  return out;
}

struct Pools {
  CpuSet shared{}, best_effort{};
};
/// CPUs that the kubelet lets no pod use. Without that option of its static policy, what it reserves stays in
/// the pools, so that pods without CPUs of their own always have some.
CpuSet strictly_reserved(const NodeTopologyInput& input) {
  if (input.kubelet.policy != "static" || input.settings == nullptr) return {};
  const auto option = input.settings->options.find("strict-cpu-reservation");
  if (option == input.settings->options.end() || option->second != "true") return {};
  return pods::kubelet_reserved(*input.settings, input.cpus).value_or(CpuSet{});
}

/// Best effort pods may use the CPUs of LSR pods, but not those of LSE pods.
Pools pools_of(const NodeTopologyInput& input, const std::vector<Allocation>& allocations) {
  CpuSet taken = strictly_reserved(input);
  for (const auto& one : allocations) taken = taken | one.cpus;
  if (input.kubelet.policy == "static" && input.kubelet.of.empty()) taken = taken | input.kubelet.all;
  if (const auto reserved = node_reserved(input.object, input.cpus)) taken = taken | *reserved;
  if (input.object.system_qos_cpus && !input.object.system_qos_cpus_shared)
    taken = taken | *input.object.system_qos_cpus;
  CpuSet online;
  for (const auto& cpu : input.cpus.cpus) online.add(cpu.id);
  Pools out{online - taken, online - taken};
  for (const Pod& pod : input.pods) {
    if (!pod.allocated_cpus) continue;
    out.shared = out.shared - *pod.allocated_cpus;
    if (pod.label_qos == QosClass::lse) out.best_effort = out.best_effort - *pod.allocated_cpus;
  }
  return out;
}

/// As the kernel writes masks.
std::string hexadecimal(std::uint64_t mask) {
  std::array<char, 16> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), mask, 16).ptr;
  return {digits.data(), end};
}

/// A JSON object of what `put` writes into it.
std::string object_text(const std::function<void(runtime::Json&)>& put) {
  std::string out;
  runtime::Json json(out);
  json.begin_object();
  put(json);
  json.end_object();
  return out;
}

/// The reserved CPUs matter to the scheduler with the static policy alone.
std::string policy_text(const NodeTopologyInput& input) {
  return object_text([&](runtime::Json& json) {
    json.member("policy", input.kubelet.policy);
    if (input.settings == nullptr) return;
    if (!input.settings->options.empty()) {
      json.key("options").begin_object();
      for (const auto& [name, value] : input.settings->options) json.member(name, value);
      json.end_object();
    }
    if (input.kubelet.policy != "static") return;
    if (const auto reserved = pods::kubelet_reserved(*input.settings, input.cpus))
      json.member("reservedCPUs", reserved->text());
  });
}

/// By which Koordinator's manager finds how fast this machine's CPUs are. Absent: the model is not known.
/// False is left out, as Koordinator does it.
std::optional<std::string> basics_text(const NodeTopologyInput& input) {
  if (input.cpus.model.empty()) return std::nullopt;
  return object_text([&](runtime::Json& json) {
    json.member("cpuModel", input.cpus.model);
    if (has_siblings(input.cpus)) json.member("hyperThreadEnabled", true);
    if (input.cpus.turbo.value_or(false)) json.member("turboEnabled", true);
    if (input.l3_ways != 0) json.member("catL3CbmMask", hexadecimal(input.l3_ways));
    if (!input.cpus.vendor.empty()) json.member("vendorID", input.cpus.vendor);
  });
}

NodeTopology::Zone zone_of(const NodeTopologyInput& input, std::size_t number) {
  const auto& memory = input.memory[number];
  const auto cpus = std::ranges::count(input.cpus.cpus, static_cast<int>(number), &CpuInfo::numa);
  NodeTopology::Zone out{.cpu = std::to_string(cpus),
                         .memory = std::to_string(memory.ordinary.count()),
                         .pages_of_1gib = std::to_string(memory.pages_of_1gib.count()),
                         .pages_of_2mib = std::to_string(memory.pages_of_2mib.count())};
  if (!input.lendable || number >= input.lendable->zones.size()) return out;
  const auto& lent = input.lendable->zones[number];
  if (lent.batch_cpu) out.batch_cpu = lent.batch_cpu->count();
  if (lent.batch_memory) out.batch_memory = lent.batch_memory->count();
  return out;
}

}  // namespace

std::optional<NodeTopology> node_topology(const NodeTopologyInput& input) {
  if (input.cpus.cpus.empty()) return std::nullopt;
  NodeTopology out{.policy = input.settings != nullptr ? input.settings->topology_policy : std::string(),
                   .owns_batch = input.lendable.has_value()};
  for (const auto& cpu : input.cpus.cpus)
    if (cpu.numa < 0 || static_cast<std::size_t>(cpu.numa) >= input.memory.size()) return std::nullopt;
  for (std::size_t number = 0; number < input.memory.size(); ++number)
    out.zones.push_back(zone_of(input, number));
  const auto allocations = kubelet_allocations(input);
  const auto pools = pools_of(input, allocations);
  auto& annotations = out.annotations;
  annotations["node.koordinator.sh/cpu-topology"] = topology_text(input.cpus);
  annotations["node.koordinator.sh/cpu-shared-pools"] = pools_text(input.cpus, pools.shared);
  annotations["node.koordinator.sh/be-cpu-shared-pools"] = pools_text(input.cpus, pools.best_effort);
  annotations["node.koordinator.sh/pod-cpu-allocs"] = allocations_text(allocations);
  annotations["kubelet.koordinator.sh/cpu-manager-policy"] = policy_text(input);
  annotations["node.koordinator.sh/cpu-basic-info"] = basics_text(input);
  auto& reserved = annotations["node.koordinator.sh/reservation"];
  if (const auto cpus = node_reserved(input.object, input.cpus))
    reserved = object_text([&](auto& json) { json.member("reservedCPUs", cpus->text()); });
  auto& system = annotations["node.koordinator.sh/system-qos-resource"];
  if (const auto& cpus = input.object.system_qos_cpus)
    system = object_text([&](auto& json) {
      json.member("cpuset", cpus->text()).member("cpusetExclusive", !input.object.system_qos_cpus_shared);
    });
  return out;
}

}  // namespace evenkeel::reporting
