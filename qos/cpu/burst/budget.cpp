#include <algorithm>

#include "qos/cpu/burst/parts.h"
#include "qos/model/pod_resources.h"

namespace evenkeel::burst {

namespace {

using std::chrono::seconds;

constexpr Duration kWindow = seconds(5);

// Koordinator uses the label alone. A pod that is known only from its directory has none, so its QoS branch
// is used.
bool outside_pool(const Pod& pod) {
  const bool plain_batch = pod.from_cgroup_only && pod.kube_qos == KubeQos::besteffort;
  return owns_cpus(pod) || pod.label_qos == QosClass::be || plain_batch;
}

MilliCpu pool_size(const NodeSnapshot& node) {
  MilliCpu total = node.node.cpu_capacity;
  for (const PodSample& pod : node.pods)
    if (owns_cpus(*pod.spec) && !has_ended(pod.spec->phase))
      total -= pod_requests(*pod.spec).cpu.value_or(MilliCpu{});
  return total;
}

MilliCpu pool_use(const NodeSnapshot& node, MilliCpu node_use) {
  for (const PodSample& pod : node.pods) {
    const CgroupSample* cgroup = node.cgroup(pod.cgroup);
    if (cgroup && outside_pool(*pod.spec)) node_use -= cgroup->cpu_use.value_or(MilliCpu{});
  }
  return node_use;
}

void remember(CpuBurstState& state, MonoTime at, Duration span, MilliCpu use) {
  const std::size_t size = state.share_use.size();
  auto& newest = state.share_use[(state.next + size - 1) % size];
  // Ticks much shorter than the window share an entry, or the ring would not span it.
  if (state.count > 0 && newest.span + span < kWindow / static_cast<std::int64_t>(size - 4)) {
    const Duration both = newest.span + span;
    const auto work =
        scaled(newest.use.count(), newest.span.count(), 1) + scaled(use.count(), span.count(), 1);
    newest = {at, both, MilliCpu(both.count() > 0 ? work / both.count() : use.count())};
    return;
  }
  state.share_use[state.next] = {at, span, use};
  state.next = (state.next + 1) % size;
  state.count = std::min(state.count + 1, size);
}

MilliCpu average(const CpuBurstState& state, MonoTime now) {
  double work = 0, time = 0;
  const std::size_t size = state.share_use.size();
  for (std::size_t age = 1; age <= state.count; ++age) {
    const auto& entry = state.share_use[(state.next + size - age) % size];
    if (now - entry.at >= kWindow) break;
    work += static_cast<double>(entry.use.count()) * static_cast<double>(entry.span.count());
    time += static_cast<double>(entry.span.count());
  }
  return MilliCpu(time > 0 ? static_cast<std::int64_t>(work / time) : 0);
}

}  // namespace

ShareState share_state(MilliCpu use, MilliCpu total, Percent threshold) {
  if (total <= MilliCpu{}) return ShareState::overload;
  const std::int64_t limit = total.count() * threshold.count();  // thousandths of a CPU times percent
  if (use.count() * 100 >= limit) return ShareState::overload;
  return use.count() * 1000 >= limit * 9 ? ShareState::cooling : ShareState::idle;
}

SharePool share_pool(const NodeSnapshot& node, Percent threshold, CpuBurstState& state) {
  if (!node.node.cpu_use || node.node.cpu_capacity <= MilliCpu{}) return {};
  const Duration span = std::max<Duration>(node.since_previous.value_or(seconds(1)), Duration(1));
  if (node.measured) remember(state, node.at, span, pool_use(node, *node.node.cpu_use));
  SharePool pool;
  pool.total = pool_size(node);
  pool.use = average(state, node.at);
  pool.state = share_state(pool.use, pool.total, threshold);
  return pool;
}

namespace {

using Candidate = CpuBurstState::Candidate;

bool grows(const Candidate& candidate) {
  return candidate.quota_burst && candidate.operation == BurstOperation::up && candidate.current &&
         candidate.target > *candidate.current;
}

/// In thousandths, at least one.
std::int64_t demand(const Candidate& candidate) {
  return std::max<std::int64_t>(1, cpu_of(candidate.target - *candidate.current, candidate.period).count());
}

struct Demands {
  std::int64_t total = 0, largest = 0, count = 0;
};

Demands demands_above(std::span<const Candidate> candidates, std::int64_t level) {
  Demands demands;
  for (const Candidate& candidate : candidates) {
    if (!grows(candidate)) continue;
    const std::int64_t one = demand(candidate);
    if (one <= level) continue;
    demands.total += one;
    demands.largest = std::max(demands.largest, one);
    ++demands.count;
  }
  return demands;
}

/// The level up to which all demands can be met: raised while small demands leave something over.
std::int64_t fair_level(std::span<const Candidate> candidates, const Demands& all, std::int64_t budget) {
  std::int64_t level = 0;
  for (Demands open = all; open.count > 0;) {
    const std::int64_t met = all.total - open.total;
    const std::int64_t next = (budget - met) / open.count;
    if (next <= level) break;
    level = next;
    open = demands_above(candidates, level);
  }
  return level;
}

void grant(Candidate& candidate, std::int64_t milli_cpu) {
  if (milli_cpu >= demand(candidate)) return;
  candidate.target =
      std::max(candidate.base, *candidate.current + quota_for(MilliCpu(milli_cpu), candidate.period));
}

}  // namespace

void divide_growth_budget(std::span<Candidate> candidates, MilliCpu budget, std::size_t& turn) {
  const Demands all = demands_above(candidates, 0);
  const std::int64_t most = std::max(budget.count(), all.largest);
  if (all.total <= most) return;
  const std::int64_t level = fair_level(candidates, all, most);
  const Demands open = demands_above(candidates, level);
  auto left_over = most - (all.total - open.total) - level * open.count;
  const std::size_t first = turn;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    Candidate& candidate = candidates[(first + i) % candidates.size()];
    if (!grows(candidate) || demand(candidate) <= level) continue;
    if (left_over > 0) turn = (first + i + 1) % candidates.size();
    grant(candidate, left_over-- > 0 ? level + 1 : level);
  }
}

}  // namespace evenkeel::burst
