#include <algorithm>
#include <optional>
#include <tuple>

#include "qos/cpu/pinning/pinning.h"
#include "qos/model/pod_resources.h"

namespace evenkeel::pinning {

std::optional<CpuSet> cpus_in_use(const CgroupSample* sample) {
  if (!sample) return std::nullopt;
  const Applied& applied = sample->applied;
  if (applied.cpus_effective && !applied.cpus_effective->empty()) return applied.cpus_effective;
  if (applied.cpus && !applied.cpus->empty()) return applied.cpus;
  return std::nullopt;
}

CpuClaims cpu_claims(const NodeSnapshot& node) {
  const CpuSet none;
  CpuClaims out;
  out.all = node.topology.online & cpus_in_use(node.cgroup(node.kubepods)).value_or(node.topology.online);
  out.legal = out.all - node.reserved_cpus;
  if (!node.object.system_qos_cpus_shared) out.legal = out.legal - node.object.system_qos_cpus.value_or(none);
  for (const PodSample& pod : node.pods) {
    if (!has_own_cpus(*pod.spec) || has_ended(pod.spec->phase)) continue;
    const CpuSet& claimed = *pod.spec->allocated_cpus;
    const bool lse = pod.spec->label_qos == QosClass::lse;
    out.exclusive = lse ? out.exclusive | claimed : out.exclusive - claimed;
    out.pinned = lse ? out.pinned - claimed : out.pinned | claimed;
  }
  out.exclusive = out.exclusive | node.object.kubelet_pinned_cpus;
  out.pinned = (out.pinned & out.legal) - node.object.kubelet_pinned_cpus;
  return out;
}

namespace {

/// The pool's CPUs of one (NUMA node, socket). Koordinator's one-number key for the pair can collide; the
/// pair itself cannot.
struct Bucket {
  int numa = 0, socket = 0;
  std::vector<CpuInfo> free{};
};

std::vector<Bucket> buckets_of(const CpuTopology& topology, const CpuSet& pool) {
  std::vector<Bucket> buckets;
  for (const CpuInfo& cpu : topology.cpus) {
    if (!pool.contains(cpu.id)) continue;
    const auto same = [&](const Bucket& b) { return b.numa == cpu.numa && b.socket == cpu.socket; };
    auto bucket = std::find_if(buckets.begin(), buckets.end(), same);
    if (bucket == buckets.end()) bucket = buckets.insert(bucket, {cpu.numa, cpu.socket, {}});
    bucket->free.push_back(cpu);
  }
  // Inside a bucket one last-level cache after the other: services keep the others to themselves.
  for (Bucket& bucket : buckets)
    std::sort(bucket.free.begin(), bucket.free.end(), [](const CpuInfo& a, const CpuInfo& b) {
      return std::tie(a.l3, a.core, a.id) < std::tie(b.l3, b.core, b.id);
    });
  std::sort(buckets.begin(), buckets.end(), [](const Bucket& a, const Bucket& b) {
    if (a.free.size() != b.free.size()) return a.free.size() > b.free.size();
    return a.free.front().id < b.free.front().id;
  });
  return buckets;
}

class Picker {
 public:
  Picker(std::vector<Bucket> buckets, std::size_t need) : buckets_(std::move(buckets)), need_(need) {}

  std::vector<CpuId> pick() {
    if (buckets_.empty()) return {};
    while (need_ > 1 && turn(1, [this](Bucket& bucket) { return take_pair(bucket); })) continue;
    while (need_ > 0 && turn(0, [this](Bucket& bucket) { return take_one(bucket); })) continue;
    return std::move(picked_);
  }

 private:
  /// Once round the buckets from where the last turn stopped; stops early when `enough` is left to find.
  template <class Take>
  bool turn(std::size_t enough, Take take) {
    bool took = false;
    for (std::size_t i = 0; i < buckets_.size() && need_ > enough; ++i) {
      took = take(buckets_[at_]) || took;
      at_ = (at_ + 1) % buckets_.size();
    }
    return took;
  }

  bool take_pair(Bucket& bucket) {
    const auto same_core = [](const CpuInfo& a, const CpuInfo& b) { return a.core == b.core; };
    const auto first = std::adjacent_find(bucket.free.begin(), bucket.free.end(), same_core);
    if (first == bucket.free.end()) return false;
    take(bucket, first, 2);
    return true;
  }

  bool take_one(Bucket& bucket) {
    if (bucket.free.empty()) return false;
    take(bucket, bucket.free.begin(), 1);
    return true;
  }

  void take(Bucket& bucket, std::vector<CpuInfo>::iterator first, std::ptrdiff_t count) {
    for (auto cpu = first; cpu != first + count; ++cpu) picked_.push_back(cpu->id);
    bucket.free.erase(first, first + count);
    need_ -= static_cast<std::size_t>(count);
  }

  std::vector<Bucket> buckets_;
  std::size_t need_ = 0;
  std::size_t at_ = 0;
  std::vector<CpuId> picked_{};
};

}  // namespace

std::vector<CpuId> pick_cpus(const CpuTopology& topology, const CpuSet& pool, std::size_t count) {
  return Picker(buckets_of(topology, pool), count).pick();
}

}  // namespace evenkeel::pinning
