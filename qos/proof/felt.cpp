#include <algorithm>
#include <numeric>

#include "qos/decide/services.h"
#include "qos/proof/proof.h"

namespace evenkeel::proof {
namespace {

/// Fewer waits have no tail.
constexpr std::int64_t kFewestWaits = 50;
constexpr double kSlowest = 0.05;

constexpr std::uint64_t kHashFactor = 0x9e3779b97f4a7c15;  ///< 2^64 divided by the golden ratio

using Histogram = std::array<std::uint64_t, kWaitBuckets>;

void mark_services(const NodeSnapshot& node, std::vector<std::uint8_t>& services) {
  services.assign(node.cgroups.size(), 0);
  for (const ContainerSample& container : node.containers) {
    const PodSample& pod = node.pods[static_cast<std::size_t>(container.pod)];
    if (container.cgroup != kNoCgroup && !is_best_effort(*pod.spec))
      services[static_cast<std::size_t>(container.cgroup)] = 1;
  }
  for (const HostApplicationSample& app : node.host_applications)
    if (app.cgroup != kNoCgroup && app.spec->qos != QosClass::be)
      services[static_cast<std::size_t>(app.cgroup)] = 1;
}

/// The mean of the slowest part of all waits. Bucket i has those from 2^(i-1) to 2^i microseconds, evenly
/// distributed as far as is known. A quantile would jump where a lever slows down just about that part.
double tail_mean_seconds(const Histogram& counts, double part) {
  const auto all = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  const double most = part * static_cast<double>(all);
  double taken = 0, sum_us = 0;
  for (std::size_t i = counts.size(); i-- > 0 && taken < most;) {
    const double here = std::min(static_cast<double>(counts[i]), most - taken);
    const auto upper_us = static_cast<double>(std::int64_t{1} << i);
    sum_us += here * (i == 0 ? upper_us / 2 : upper_us * 3 / 4);
    taken += here;
  }
  return taken > 0 ? sum_us / taken / 1e6 : 0;
}

/// Adds what has come since the last tick. The first histogram of a cgroup says nothing of the tick.
void add_new(const RunQueueWait& wait, FeltBefore& before, Histogram& sum) {
  before.waits.push_back({wait.cgroup, wait.histogram});
  const auto earlier =
      std::ranges::lower_bound(before.waits_earlier, wait.cgroup, {}, &FeltBefore::Waits::cgroup);
  if (earlier == before.waits_earlier.end() || earlier->cgroup != wait.cgroup) return;
  for (std::size_t i = 0; i < sum.size(); ++i)
    if (wait.histogram[i] > earlier->histogram[i]) sum[i] += wait.histogram[i] - earlier->histogram[i];
}

std::optional<double> run_queue_wait(const NodeSnapshot& node, FeltBefore& before) {
  Histogram sum{};
  Duration waited{};
  std::int64_t waits = 0;
  std::swap(before.waits, before.waits_earlier);
  before.waits.clear();
  std::size_t index = 0;  // the waits are in the order of the cgroups
  for (const RunQueueWait& wait : node.run_queue.waits) {
    while (index < node.cgroups.size() && node.cgroups[index].id != wait.cgroup) ++index;
    if (index == node.cgroups.size()) break;
    if (before.services[index] == 0) continue;
    waited += wait.waited;
    waits += wait.waits;
    add_new(wait, before, sum);
  }
  std::ranges::sort(before.waits, {}, &FeltBefore::Waits::cgroup);
  if (waits < kFewestWaits) return std::nullopt;
  if (node.run_queue.source == RunQueueSource::bpf) {
    const auto counted = std::accumulate(sum.begin(), sum.end(), std::uint64_t{0});
    if (counted < static_cast<std::uint64_t>(kFewestWaits)) return std::nullopt;
    return tail_mean_seconds(sum, kSlowest);
  }
  return std::chrono::duration<double>(waited).count() / static_cast<double>(waits);
}

std::optional<double> throttling(const NodeSnapshot& node, const std::vector<std::uint8_t>& services) {
  Duration sum{};
  std::int64_t periods = 0;
  for (std::size_t i = 0; i < node.cgroups.size(); ++i) {
    const auto& throttled = node.cgroups[i].throttling;
    if (services[i] == 0 || !throttled) continue;
    sum += throttled->throttled_time;
    periods += throttled->periods;
  }
  if (periods == 0) return std::nullopt;
  return std::chrono::duration<double>(sum).count();
}

/// What was added since the last tick to the sum over all services. Absent: one cannot be read, or they are
/// others than in the last tick.
std::optional<double> stall(const NodeSnapshot& node, std::optional<Pressure> PressureSample::*resource,
                            std::optional<FeltBefore::Stall>& before) {
  std::optional<FeltBefore::Stall> now{FeltBefore::Stall{}};
  decide::for_each_service(node, [&](CgroupIndex index) {
    const CgroupSample* cgroup = node.cgroup(index);
    if (cgroup == nullptr || !now) return;
    const auto& pressure = cgroup->pressure.*resource;
    if (!pressure) return now.reset();
    now->sum += pressure->some.total;
    now->services = (now->services + cgroup->id.value) * kHashFactor;
  });
  std::swap(now, before);
  const bool comparable = now && before && before->services != 0 && now->services == before->services;
  if (!comparable || before->sum < now->sum) return std::nullopt;
  return std::chrono::duration<double>(before->sum - now->sum).count();
}

/// Coarser than waits, but it needs neither BPF nor the host's process IDs.
std::optional<double> cpu_stall(const NodeSnapshot& node, FeltBefore& before) {
  if (node.run_queue.source == RunQueueSource::none) return stall(node, &PressureSample::cpu, before.cpu);
  before.cpu.reset();
  return std::nullopt;
}

}  // namespace

Felt felt(const NodeSnapshot& node, FeltBefore& before) {
  mark_services(node, before.services);
  return {run_queue_wait(node, before), throttling(node, before.services),
          stall(node, &PressureSample::memory, before.memory), stall(node, &PressureSample::io, before.io),
          cpu_stall(node, before)};
}

}  // namespace evenkeel::proof
