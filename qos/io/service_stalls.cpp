#include "qos/io/service_stalls.h"

#include <algorithm>

#include "qos/decide/services.h"

namespace evenkeel::io {
namespace {

constexpr std::int64_t kWhole = 1000;

/// Absent: it was not read again.
std::optional<std::int64_t> waited_part(const Stalled& before, const Stalled& now) {
  const Duration time = now.at - before.at, stalled = now.total - before.total;
  if (time < kShortestMeasure || stalled < Duration::zero()) return std::nullopt;
  return std::min(part_of_time(stalled, time), kWhole);
}

}  // namespace

std::int64_t part_of_time(Duration some, Duration time) {
  return time > Duration::zero() ? scaled(some.count(), kWhole, time.count()) : 0;
}

std::optional<ServiceStall> stall_of(const CgroupSample* cgroup) {
  if (cgroup == nullptr || !cgroup->pressure.io || !cgroup->pressure.cpu) return std::nullopt;
  const auto& [cpu, memory, io] = cgroup->pressure;
  return ServiceStall{cgroup->id, {io->some.total, io->at}, {cpu->some.total, cpu->at}};
}

void stalls_of_services(const NodeSnapshot& node, std::vector<ServiceStall>& out) {
  out.clear();
  decide::for_each_service(node, [&](CgroupIndex index) {
    if (const auto stall = stall_of(node.cgroup(index))) out.push_back(*stall);
  });
}

std::optional<ServiceStall> find(const std::vector<ServiceStall>& stalls, CgroupId cgroup) {
  const auto found = std::ranges::find(stalls, cgroup, &ServiceStall::cgroup);
  return found == stalls.end() ? std::nullopt : std::optional(*found);
}

std::optional<Waits> waited(const std::optional<ServiceStall>& before,
                            const std::optional<ServiceStall>& now) {
  if (!before || !now || before->cgroup != now->cgroup) return std::nullopt;
  const auto disks = waited_part(before->disks, now->disks), cpu = waited_part(before->cpu, now->cpu);
  return disks && cpu ? std::optional(Waits{*disks, *cpu}) : std::nullopt;
}

}  // namespace evenkeel::io
