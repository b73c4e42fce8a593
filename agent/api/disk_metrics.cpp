#include "agent/api/disk_metrics.h"

#include "cgroup/base/disk_text.h"
#include "qos/io/disk.h"

namespace evenkeel::api {
namespace {

struct Row {
  Knob knob;
  const char* name;
  const char* help;
};
constexpr Row kRows[] = {
    {Knob::io_read_bps, "evenkeel_disk_read_limit_bytes_per_second", "What a cgroup may read from a disk."},
    {Knob::io_write_bps, "evenkeel_disk_write_limit_bytes_per_second", "What a cgroup may write to a disk."},
    {Knob::io_read_iops, "evenkeel_disk_read_limit_operations_per_second",
     "How often a cgroup may read from a disk."},
    {Knob::io_write_iops, "evenkeel_disk_write_limit_operations_per_second",
     "How often a cgroup may write to a disk."},
    {Knob::io_weight, "evenkeel_disk_weight", "A cgroup's share of a busy disk; others have 100."},
    {Knob::io_bfq_weight, "evenkeel_disk_weight", "A cgroup's share of a busy disk; others have 100."},
    {Knob::io_latency, "evenkeel_disk_latency_target_microseconds",
     "How long a cgroup's requests to a disk may take before others are held back."},
};

void put_limit(Exposition& out, const AgentView& view, const executor::Managed& managed) {
  const auto value = disk_number(Scanner(managed.ours.substr(managed.ours.find(' ') + 1)).word());
  const auto* cgroup = view.tree().find(managed.cgroup.itself());
  if (!value || cgroup == nullptr || managed.yielded) return;
  for (const auto& row : kRows)
    if (row.knob == managed.knob)
      out.gauge(row.name, row.help, static_cast<double>(*value),
                {{"cgroup", cgroup->path},
                 {"disk", device_text(managed.cgroup.disk)},
                 {"pod", view.names().pod_name(managed.cgroup)}});
}

}  // namespace

void put_disks(Exposition& out, const AgentView& view) {
  const auto& blkio = view.policies.blkio;
  if (blkio.blocks.empty()) return;
  out.gauge("evenkeel_disk_unresolved_blocks", "Blocks of blkioQOS whose name leads to no disk.",
            static_cast<double>(io::unresolved_blocks(blkio)));
  for (const auto& managed : view.execution.managed())
    if (managed.cgroup.disk != 0) put_limit(out, view, managed);
}

}  // namespace evenkeel::api
