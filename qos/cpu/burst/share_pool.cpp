#include "qos/cpu/burst/share_pool.h"

#include <algorithm>

namespace evenkeel::burst {
namespace {

using std::chrono::seconds;

constexpr Duration kWindow = seconds(5);

bool owns_cpus(const Pod& pod) { return pod.label_qos == QosClass::lsr || pod.label_qos == QosClass::lse; }

// Koordinator goes by the label alone; a pod that only its directory tells of has none, so there the branch
// says.
bool outside_pool(const Pod& pod) {
  const bool plain_batch = pod.from_cgroup_only && pod.kube_qos == KubeQos::besteffort;
  return owns_cpus(pod) || pod.label_qos == QosClass::be || plain_batch;
}

MilliCpu requested(const Pod& pod) {
  MilliCpu sum;
  for (const Container& container : pod.containers) sum += container.requests.cpu.value_or(MilliCpu{});
  return sum;
}

bool ended(const Pod& pod) { return pod.phase == PodPhase::succeeded || pod.phase == PodPhase::failed; }

MilliCpu pool_size(const NodeSnapshot& node) {
  MilliCpu total = node.node.cpu_capacity;
  for (const PodSample& pod : node.pods)
    if (owns_cpus(*pod.spec) && !ended(*pod.spec)) total -= requested(*pod.spec);
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
  remember(state, node.at, span, pool_use(node, *node.node.cpu_use));
  SharePool pool;
  pool.total = pool_size(node);
  pool.use = average(state, node.at);
  pool.state = share_state(pool.use, pool.total, threshold);
  return pool;
}

}  // namespace evenkeel::burst
