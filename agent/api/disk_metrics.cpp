#include "agent/api/metric_families.h"
#include "cgroup/base/disk_text.h"
#include "qos/io/disk.h"

namespace evenkeel::api {
namespace {

void put_limit(Exposition& out, const AgentView& view, const executor::Managed& managed) {
  const auto value = disk_number(Scanner(managed.ours.substr(managed.ours.find(' ') + 1)).word());
  const auto* cgroup = view.tree().find(managed.cgroup.itself());
  const auto& metric = row(managed.knob).metric;
  if (!value || cgroup == nullptr || managed.yielded || metric.name.empty()) return;
  out.gauge(metric.name, metric.help, static_cast<double>(*value),
            {{"cgroup", cgroup->path},
             {"disk", device_text(managed.cgroup.disk)},
             {"pod", view.names().pod_name(managed.cgroup)}});
}

}  // namespace

void put_disks(Exposition& out, const AgentView& view) {
  const auto& blkio = view.policies.of<io::BlkioState>();
  if (blkio.blocks.empty()) return;
  out.gauge("evenkeel_disk_unresolved_blocks", "Blocks in blkioQOS whose name matches no disk on this node.",
            static_cast<double>(io::unresolved_blocks(blkio)));
  for (const auto& managed : view.execution.managed())
    if (managed.cgroup.disk != 0) put_limit(out, view, managed);
}

}  // namespace evenkeel::api
