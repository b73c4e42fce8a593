#include "tests/support/scenes/naive_lending.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace evenkeel::test {
namespace {

constexpr int kCpu = 0;
constexpr int kMemory = 1;

NaivePair pair_of(const Usage& usage) {
  NaivePair out;
  if (usage.cpu) out[kCpu] = usage.cpu->count();
  if (usage.memory) out[kMemory] = usage.memory->count();
  return out;
}

std::int64_t request_of(const Pod& pod, int resource) {
  std::int64_t sum = 0;
  for (const auto& container : pod.containers) {
    if (resource == kCpu && container.requests.cpu) sum += container.requests.cpu->count();
    if (resource == kMemory && container.requests.memory) sum += container.requests.memory->count();
  }
  return sum;
}

PriorityClass class_of(const Pod& pod) {
  if (pod.priority_class != PriorityClass::none) return pod.priority_class;
  if (pod.label_qos) return *pod.label_qos == QosClass::be ? PriorityClass::batch : PriorityClass::prod;
  return pod.kube_qos == KubeQos::besteffort ? PriorityClass::batch : PriorityClass::prod;
}

bool low(PriorityClass priority) {
  return priority == PriorityClass::batch || priority == PriorityClass::free;
}

/// All sums of one resource, before and after division over `zones` zones (0: the node).
struct Sums {
  std::int64_t capacity = 0, margin = 0, system_or_reserved = 0, reserved = 0, used = 0, requested = 0,
               most = 0;
  std::int64_t batch(const std::string& policy) const {
    if (policy == "request") return capacity - margin - reserved - requested;
    if (policy == "maxUsageRequest") return capacity - margin - system_or_reserved - most;
    return capacity - margin - system_or_reserved - used;
  }
};

/// Which sums are known.
struct Known {
  bool system = true, used = true, requested = true, most = true;
  [[nodiscard]] bool batch(const std::string& policy) const {
    if (policy == "request") return requested;
    return system && (policy == "maxUsageRequest" ? most : used);
  }
};

class Naive {
 public:
  Naive(const lending::LendInput& input, int resource) : in_(input), resource_(resource) { read(); }

  NaiveAmount batch() const {
    if (!capacity_ || !known_.batch(policy_)) return std::nullopt;
    return limited(sums(*capacity_, nullptr, 0, 1).batch(policy_), *capacity_);
  }

  NaiveAmount zone(std::int64_t capacity, std::size_t zone, std::size_t count) const {
    if (!known_.batch(policy_)) return std::nullopt;
    const std::int64_t grain = resource_ == kMemory ? 1000 : 1;
    auto all = sums(capacity, &zone, count, grain);
    const auto result = all.batch(policy_);
    auto lent = result <= 0 ? 0 : result / grain;
    return limited(lent, capacity);
  }

  NaiveAmount mid() const {
    if (!capacity_) return std::nullopt;
    const auto& s = in_.strategy;
    const auto most = percent(*capacity_, of(s.mid_cpu_threshold_percent, s.mid_memory_threshold_percent));
    if (s.mid_reclaim_mode == "static") {
      return std::min(most, percent(*capacity_, of(s.mid_static_cpu_reserved_percent,
                                                   s.mid_static_memory_reserved_percent)));
    }
    int named = 0;
    for (const Pod& pod : in_.pods) named += pod.from_cgroup_only ? 0 : 1;
    if (!in_.pods_known || (named == 0 && !in_.pods.empty())) return std::nullopt;
    std::int64_t lent = 0;
    const auto reclaimable =
        in_.prod_reclaimable ? pair_of(*in_.prod_reclaimable)[index()].value_or(0) : std::int64_t{0};
    if (reclaimable > 0) {
      if (!node_used_) return std::nullopt;
      lent = std::max<std::int64_t>(std::min(reclaimable, *capacity_ - *node_used_), 0);
    }
    if (s.mid_unallocated_percent.count() != 0) {
      if (!known_.system || !prod_known_) return std::nullopt;
      const auto reserved = std::max({system_ + prod_apps_, kubelet_, annotated_});
      const auto unallocated = std::max<std::int64_t>(*capacity_ - reserved - prod_requests_, 0);
      lent += percent(unallocated, s.mid_unallocated_percent.count());
    }
    return std::min(lent, most);
  }

 private:
  [[nodiscard]] std::size_t index() const { return static_cast<std::size_t>(resource_); }
  [[nodiscard]] std::int64_t of(Percent cpu, Percent memory) const {
    return resource_ == kCpu ? cpu.count() : memory.count();
  }
  static std::int64_t percent(std::int64_t whole, std::int64_t percent) {
    return static_cast<std::int64_t>(std::trunc(static_cast<long double>(whole) * percent / 100.0L));
  }
  [[nodiscard]] std::int64_t limited(std::int64_t lent, std::int64_t capacity) const {
    const auto& limit = resource_ == kCpu ? in_.strategy.batch_cpu_threshold_percent
                                          : in_.strategy.batch_memory_threshold_percent;
    if (limit) lent = std::min(lent, percent(capacity, limit->count()));
    return std::max<std::int64_t>(lent, 0);
  }

  void read() {
    read_capacity();
    policy_ = resource_ == kCpu ? in_.strategy.cpu_calculate_policy : in_.strategy.memory_calculate_policy;
    if (resource_ == kCpu && policy_ == "request") policy_ = "usage";
    const auto system = pair_of(in_.usage.system)[index()];
    known_.system = system.has_value();
    system_ = system.value_or(0);
    node_used_ = pair_of(in_.usage.node)[index()];
    if (resource_ == kMemory) without_pools();
    for (const auto& app : in_.usage.host_applications) {
      const auto used = pair_of(app.usage)[index()];
      if (app.priority_class != PriorityClass::prod && app.priority_class != PriorityClass::mid) continue;
      if (!used) known_.system = false;
      (app.priority_class == PriorityClass::prod ? prod_apps_ : mid_apps_) += used.value_or(0);
    }
    for (const auto& pod : in_.pods) read_pod(pod);
    if (!in_.pods_known) known_.used = known_.requested = known_.most = prod_known_ = false;
  }

  void read_capacity() {
    const auto& o = in_.object;
    NaiveAmount said, found, allocatable;
    if (resource_ == kCpu) {
      if (in_.node.cpu_capacity.count() > 0) found = in_.node.cpu_capacity.count();
      if (o.cpu_capacity) said = o.cpu_capacity->count();
      if (o.cpu_allocatable) allocatable = o.cpu_allocatable->count();
      if (o.cpu_raw_allocatable) allocatable = o.cpu_raw_allocatable->count();
      if (o.reserved_cpu) annotated_ = o.reserved_cpu->count();
    } else {
      if (in_.node.memory && in_.node.memory->total.count() > 0) found = in_.node.memory->total.count();
      if (o.memory_capacity) said = o.memory_capacity->count();
      if (o.memory_allocatable) allocatable = o.memory_allocatable->count();
      if (o.memory_raw_allocatable) allocatable = o.memory_raw_allocatable->count();
      if (o.reserved_memory) annotated_ = o.reserved_memory->count();
    }
    capacity_ = said;
    if (!said || (found && *found < *said)) capacity_ = found;
    const auto whole = said ? said : found;
    if (whole && allocatable) kubelet_ = std::max<std::int64_t>(*whole - *allocatable, 0);
  }

  void without_pools() {
    if (!in_.node.memory) {
      capacity_.reset();
      return;
    }
    const auto pools = in_.node.memory->hugepages.count();
    const auto less = [pools](std::int64_t& value) { value = std::max<std::int64_t>(value - pools, 0); };
    if (capacity_) less(*capacity_);
    if (node_used_) less(*node_used_);
    less(system_);
    less(kubelet_);
  }

  struct One {
    std::vector<int> numa;
    std::int64_t used, requested, most;
  };

  void read_pod(const Pod& pod) {
    if (pod.phase != PodPhase::running && pod.phase != PodPhase::pending) return;
    const auto priority = class_of(pod);
    if (low(priority)) return;
    NaiveAmount measured;
    for (const auto& usage : in_.usage.pods)
      if (usage.uid == pod.uid) measured = pair_of(usage.usage)[index()];
    const auto requested = request_of(pod, resource_);
    if (pod.from_cgroup_only) {
      known_.requested = known_.most = false;
      if (priority != PriorityClass::mid) prod_known_ = false;
      if (!measured) known_.used = false;
    }
    if (priority != PriorityClass::mid) prod_requests_ += requested;
    One one{pod.numa_nodes, measured.value_or(requested), requested,
            std::max(measured.value_or(0), requested)};
    if (resource_ == kCpu && pod.label_qos == QosClass::lse) {
      one.used = requested;
      if (pod.from_cgroup_only) known_.used = false;
    }
    ones_.push_back(one);
  }

  /// Whether a running or pending pod has this uid, of whatever class.
  [[nodiscard]] bool listed(const std::string& uid) const {
    return std::any_of(in_.pods.begin(), in_.pods.end(), [&](const Pod& pod) {
      return pod.uid == uid && (pod.phase == PodPhase::running || pod.phase == PodPhase::pending);
    });
  }

  [[nodiscard]] std::vector<One> all() const {
    auto out = ones_;
    for (const auto& usage : in_.usage.pods) {
      if (listed(usage.uid) || low(usage.priority_class)) continue;
      const auto used = pair_of(usage.usage)[index()].value_or(0);
      out.push_back({{}, used, 0, used});
    }
    return out;
  }

  /// This zone's share of `whole`; all of it if there are no zones.
  static std::int64_t share(std::int64_t whole, const std::vector<int>& numa, const std::size_t* zone,
                            std::size_t count, std::int64_t grain) {
    if (zone == nullptr) return whole;
    std::vector<bool> bears(count, false);
    for (const int node : numa)
      if (node >= 0 && node < static_cast<int>(count)) bears[static_cast<std::size_t>(node)] = true;
    auto bearers = std::count(bears.begin(), bears.end(), true);
    if (bearers == 0) {
      bears.assign(count, true);
      bearers = static_cast<std::ptrdiff_t>(count);
    }
    if (!bears[*zone]) return 0;
    const auto fine = whole * grain;
    return fine / bearers + (fine % bearers != 0 ? 1 : 0);
  }

  [[nodiscard]] Sums sums(std::int64_t capacity, const std::size_t* zone, std::size_t count,
                          std::int64_t grain) const {
    const auto& s = in_.strategy;
    const auto margin = 100 - of(s.cpu_reclaim_threshold_percent, s.memory_reclaim_threshold_percent);
    Sums out;
    out.capacity = capacity * grain;
    out.margin = percent(capacity, margin) * grain;
    const auto system = share(system_ + prod_apps_ + mid_apps_, {}, zone, count, grain);
    out.reserved = share(std::max(kubelet_, annotated_), {}, zone, count, grain);
    out.system_or_reserved = std::max(system, out.reserved);
    for (const auto& one : all()) {
      out.used += share(one.used, one.numa, zone, count, grain);
      out.requested += share(one.requested, one.numa, zone, count, grain);
      out.most += share(one.most, one.numa, zone, count, grain);
    }
    return out;
  }

  const lending::LendInput& in_;
  int resource_;
  std::string policy_{};
  NaiveAmount capacity_{}, node_used_{};
  std::int64_t kubelet_ = 0, annotated_ = 0, system_ = 0, prod_apps_ = 0, mid_apps_ = 0, prod_requests_ = 0;
  bool prod_known_ = true;
  Known known_{};
  std::vector<One> ones_{};
};

}  // namespace

NaiveLending naive_lending(const lending::LendInput& input, const std::vector<lending::Zone>& zones) {
  const Naive cpu(input, kCpu);
  const Naive memory(input, kMemory);
  NaiveLending out{{cpu.batch(), memory.batch()}, {cpu.mid(), memory.mid()}, {}};
  for (std::size_t zone = 0; zone < zones.size(); ++zone) {
    out.zones.push_back({cpu.zone(zones[zone].cpu->count(), zone, zones.size()),
                         memory.zone(zones[zone].memory->count(), zone, zones.size())});
  }
  return out;
}

}  // namespace evenkeel::test
