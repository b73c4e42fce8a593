#include "qos/lending/lendable_parts.h"

namespace evenkeel::lending {
namespace {

using std::to_string;

template <class Q>
std::optional<Q> unless_zero(Q value) {
  return value == Q{} ? std::nullopt : std::optional<Q>(value);
}

/// A part of the capacity is known when the capacity is.
template <class Q>
std::optional<Q> margin_of(const LendParts<Q>& parts) {
  return parts.capacity ? std::optional<Q>(parts.margin) : std::nullopt;
}

struct Terms {
  const LendInput& input;
  const std::vector<PodCharge>& pods;
  const LendParts<MilliCpu>& cpu;
  const LendParts<Bytes>& memory;
  std::vector<LendTerm> out{};

  void add(const char* name, std::string source, std::optional<MilliCpu> of_cpu,
           std::optional<Bytes> of_memory) {
    out.push_back({name, std::move(source), of_cpu, of_memory});
  }
  /// A line only if one of the two is there.
  void add_if_any(const char* name, std::string source, std::optional<MilliCpu> of_cpu,
                  std::optional<Bytes> of_memory) {
    if (of_cpu || of_memory) add(name, std::move(source), of_cpu, of_memory);
  }
};

const char* capacity_source(bool from_object) { return from_object ? "node object" : "kernel"; }

void add_capacity(Terms& t) {
  constexpr const char* kName = "capacity";
  if (t.cpu.capacity_from_object == t.memory.capacity_from_object) {
    t.add(kName, capacity_source(t.cpu.capacity_from_object), t.cpu.capacity, t.memory.capacity);
  } else {
    t.add(kName, capacity_source(t.cpu.capacity_from_object), t.cpu.capacity, std::nullopt);
    t.add(kName, capacity_source(t.memory.capacity_from_object), std::nullopt, t.memory.capacity);
  }
  const auto pools = t.input.node.memory ? t.input.node.memory->hugepages : Bytes{};
  t.add_if_any("huge pages", "kernel: reserved pools, in none of the other lines", std::nullopt,
               unless_zero(pools));
}

void add_reserved(Terms& t) {
  const auto& strategy = t.input.strategy;
  t.add("margin",
        "cpuReclaimThresholdPercent " + to_string(strategy.cpu_reclaim_threshold_percent.count()) +
            ", memoryReclaimThresholdPercent " + to_string(strategy.memory_reclaim_threshold_percent.count()),
        margin_of(t.cpu), margin_of(t.memory));
  const auto& object = t.input.object;
  const bool raw = object.cpu_raw_allocatable || object.memory_raw_allocatable;
  t.add_if_any("kubelet reserved",
               raw ? "node object: capacity - raw-allocatable" : "node object: capacity - allocatable",
               unless_zero(t.cpu.kubelet), unless_zero(t.memory.kubelet));
  t.add_if_any("node reservation", "annotation node.koordinator.sh/reservation", unless_zero(t.cpu.annotated),
               unless_zero(t.memory.annotated));
}

void add_system(Terms& t) {
  t.add("system", "measured: node - pods - host applications", t.cpu.system, t.memory.system);
  for (const auto& application : t.input.usage.host_applications) {
    const bool prod = application.priority_class == PriorityClass::prod;
    if (!prod && application.priority_class != PriorityClass::mid) continue;
    t.add("host application", application.name + (prod ? ": measured, prod" : ": measured, mid"),
          application.usage.cpu, application.usage.memory);
  }
  t.add("system or reserved", "the larger one; with policy request only what is reserved",
        system_share(t.cpu), system_share(t.memory));
}

const char* name_of(LendPolicy policy) {
  switch (policy) {
    case LendPolicy::usage:
      return "usage";
    case LendPolicy::request:
      return "request";
    case LendPolicy::max_usage_request:
      return "maxUsageRequest";
  }
  return "?";
}

void add_pods(Terms& t) {
  int measured = 0;
  int requested = 0;
  int gone = 0;
  for (const auto& pod : t.pods) ++(pod.pod == nullptr ? gone : pod.measured ? measured : requested);
  std::string source = std::string("CPU by ") + name_of(t.cpu.policy) + ", memory by " +
                       name_of(t.memory.policy) + ": " + to_string(measured) + " measured";
  if (requested > 0) source += ", " + to_string(requested) + " not measured yet, by request";
  if (gone > 0) source += ", " + to_string(gone) + " measured and gone";
  t.add("pods above batch", std::move(source), pods_share(t.cpu), pods_share(t.memory));
}

void add_batch(Terms& t) {
  t.add_if_any("batch limit", "batchCPUThresholdPercent, batchMemoryThresholdPercent", batch_limit_of(t.cpu),
               batch_limit_of(t.memory));
  t.add("batch", "capacity - margin - system or reserved - pods above batch, at most the limit",
        batch_of(t.cpu), batch_of(t.memory));
}

template <class Q>
std::optional<Q> part(const std::optional<Q>& whole, const std::optional<Percent>& percent) {
  if (!whole || !percent) return std::nullopt;
  return percent_of(*whole, *percent);
}

void add_mid_sources(Terms& t) {
  if (t.cpu.mid_static) {
    return t.add("mid reserve", "midStaticCPUReservedPercent, midStaticMemoryReservedPercent",
                 part(t.cpu.capacity, t.cpu.mid_static), part(t.memory.capacity, t.memory.mid_static));
  }
  const char* source = !t.cpu.prod_reclaimable    ? "what pods request is unknown"
                       : t.input.prod_reclaimable ? "peak prediction"
                                                  : "no peak prediction yet";
  t.add("prod reclaimable", source, t.cpu.prod_reclaimable, t.memory.prod_reclaimable);
  t.add("unused", "measured: capacity - node", unused_of(t.cpu), unused_of(t.memory));
  if (t.cpu.mid_unallocated == Percent{}) return;
  t.add("prod requests", "pods above mid", t.cpu.prod_requested, t.memory.prod_requested);
  t.add("unallocated",
        "midUnallocatedPercent " + to_string(t.cpu.mid_unallocated.count()) +
            " of capacity - system or reserved - prod requests",
        part(unallocated_of(t.cpu), t.cpu.mid_unallocated),
        part(unallocated_of(t.memory), t.memory.mid_unallocated));
}

void add_mid(Terms& t) {
  add_mid_sources(t);
  t.add("mid limit", "midCPUThresholdPercent, midMemoryThresholdPercent",
        part(t.cpu.capacity, t.cpu.mid_limit), part(t.memory.capacity, t.memory.mid_limit));
  t.add("mid",
        t.cpu.mid_static ? "the reserve, at most the limit"
                         : "the smaller of prod reclaimable and unused + unallocated, at most the limit",
        mid_of(t.cpu), mid_of(t.memory));
}

}  // namespace

std::vector<LendTerm> lend_terms(const LendInput& input, const std::vector<PodCharge>& pods,
                                 const LendParts<MilliCpu>& cpu, const LendParts<Bytes>& memory) {
  Terms terms{input, pods, cpu, memory};
  add_capacity(terms);
  add_reserved(terms);
  add_system(terms);
  add_pods(terms);
  add_batch(terms);
  add_mid(terms);
  return std::move(terms.out);
}

}  // namespace evenkeel::lending
