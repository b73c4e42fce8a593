#include <algorithm>

#include "agent/api/metrics.h"
#include "cgroup/base/disk_text.h"
#include "qos/io/disk_suppress.h"
#include "qos/io/policies.h"

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

void put_disk_suppression(Exposition& out, const AgentView& view) {
  const auto& state = view.policies.of<io::DiskSuppressState>();
  if (const auto& limit = state.limit)
    out.gauge("evenkeel_disk_suppress_besteffort_ratio",
              "Share of what the disk carried, in bytes and in requests, that best effort may have while a "
              "service waits; absent: suppression does not limit it on the disk.",
              static_cast<double>(limit->share) / 1000, {{"disk", device_text(limit->disk)}});
  for (const auto& disk : state.useless)
    out.gauge("evenkeel_disk_suppress_resting",
              "1 while best effort is not limited on the disk because the last limit was of no use to "
              "services.",
              view.node().at < disk.until ? 1 : 0, {{"disk", device_text(disk.disk)}});
}

}  // namespace

void put_pods(Exposition& out, const AgentView& view) {
  const auto& pods = view.node().pods;
  const auto unlisted = [](const PodSample& pod) { return pod.spec->unlisted; };
  const auto& dirs = view.tree().unknown_dirs();
  const auto holds_pods = [](const tree::UnknownDir& dir) { return dir.holds_pods; };
  out.gauge("evenkeel_pods", "Pods that the agent knows.", static_cast<double>(pods.size()));
  out.gauge("evenkeel_pods_unlisted",
            "Pods that are missing from the newest pod list but still have a cgroup.",
            static_cast<double>(std::ranges::count_if(pods, unlisted)));
  out.gauge("evenkeel_unmanaged_pod_directories",
            "Directories of kubepods that hold pods which the agent does not manage, because it does not "
            "know the layout; /readyz names them.",
            static_cast<double>(std::ranges::count_if(dirs, holds_pods)));
}

void put_disks(Exposition& out, const AgentView& view) {
  put_disk_suppression(out, view);
  const auto& blkio = view.policies.of<io::BlkioState>();
  if (blkio.blocks.empty()) return;
  out.gauge("evenkeel_disk_unresolved_blocks", "Blocks in blkioQOS whose name matches no disk on this node.",
            static_cast<double>(io::unresolved_blocks(blkio)));
  for (const auto& managed : view.execution.managed())
    if (managed.cgroup.disk != 0) put_limit(out, view, managed);
}

void put_network(Exposition& out, const AgentView& view) {
  const auto totals = view.execution.writers().network_totals();
  if (totals.held == 0 && totals.writes == 0 && totals.refusals == 0) return;
  out.gauge("evenkeel_network_classes",
            "Traffic classes of the agent on the interface of the default route; 0 while it does not divide "
            "the bandwidth by class.",
            static_cast<double>(totals.held));
  out.counter("evenkeel_network_changes_total",
              "Traffic classes and packet filters that the agent added or removed.",
              static_cast<double>(totals.writes));
}

void put_core_sched(Exposition& out, const AgentView& view) {
  const auto& counters = view.execution.writers().core_sched_counters();
  if (counters.groups == 0 && counters.tasks == 0) return;
  out.gauge("evenkeel_core_sched_groups",
            "Core scheduling groups: pods of a group share physical cores only with each other.",
            static_cast<double>(counters.groups));
  out.counter("evenkeel_core_sched_tasks_total",
              "Tasks that the agent added to or removed from a core scheduling group.",
              static_cast<double>(counters.tasks));
}

namespace {

struct Series {
  const char* name;
  const char* help;
};

/// Of a writer of values of tasks; nothing while it has none.
void put_task_values(Exposition& out, const sched::TaskValueCounters& counters, Series cgroups,
                     Series tasks) {
  if (counters.members == 0 && counters.tasks == 0) return;
  out.gauge(cgroups.name, cgroups.help, static_cast<double>(counters.members));
  out.counter(tasks.name, tasks.help, static_cast<double>(counters.tasks));
}

}  // namespace

void put_request_sizes(Exposition& out, const AgentView& view) {
  put_task_values(
      out, view.execution.writers().request_size_counters(),
      {"evenkeel_request_size_cgroups",
       "Pods and host applications whose tasks have a request size from the agent (EEVDF scheduler)."},
      {"evenkeel_request_size_tasks_total",
       "Tasks whose request size the agent set, or set back to the kernel's own."});
}

void put_oom_scores(Exposition& out, const AgentView& view) {
  put_task_values(
      out, view.execution.writers().oom_score_counters(),
      {"evenkeel_oom_score_cgroups",
       "Containers whose processes the agent keeps at the oom_score_adj that their pod asks for."},
      {"evenkeel_oom_score_processes_total",
       "Processes whose oom_score_adj the agent raised, or set back to the original."});
}

void put_contention(Exposition& out, const AgentView& view) {
  out.gauge("evenkeel_contended",
            "1 while the agent publishes that services wait on this node for a reason that is not a limit of "
            "their own.",
            view.contended() ? 1 : 0);
  const auto& stalls = view.policies.of<contention::ContentionState>().stalls;
  for (std::size_t i = 0; i < stalls.size(); ++i)
    if (stalls[i])
      out.gauge("evenkeel_contention_stall_percent",
                "Percentage of the last minute in which the service that waits most waited for a reason that "
                "is not "
                "a limit of its own.",
                *stalls[i], {{"resource", name(static_cast<Contended>(i))}});
}

namespace {

void put_use(Exposition& out, const ResctrlUse& use) {
  const std::string group = use.group.empty() ? "root" : use.group, cache = std::to_string(use.domain);
  if (use.occupancy)
    out.gauge("evenkeel_resctrl_llc_occupancy_bytes",
              "Last-level cache occupied by the tasks of a resctrl group, in bytes.",
              static_cast<double>(use.occupancy->count()), {{"group", group}, {"cache", cache}});
  const auto traffic = [&](const char* kind, const std::optional<Bytes>& bytes) {
    if (bytes)
      out.counter(
          "evenkeel_resctrl_memory_traffic_bytes_total",
          "Memory traffic of a resctrl group's tasks since the group was created, in bytes; kind total "
          "includes local.",
          static_cast<double>(bytes->count()), {{"group", group}, {"cache", cache}, {"kind", kind}});
  };
  traffic("total", use.total_traffic);
  traffic("local", use.local_traffic);
}

/// Steering of best effort's cache ways, if enabled.
void put_ways(Exposition& out, const AgentView& view) {
  const auto* slo = view.node().slo.get();
  if (slo == nullptr || !slo->evenkeel.resctrl_dynamic.enable || !slo->evenkeel.resctrl_dynamic.cache_ways)
    return;
  const cache::WaySteering& ways = view.policies.of<cache::ResctrlState>().ways;
  out.gauge("evenkeel_resctrl_ways_taken",
            "Cache ways withheld now from the configured range of best effort, to protect services.",
            static_cast<double>(ways.taken()));
  if (ways.misses())
    out.gauge("evenkeel_services_cache_misses_per_instruction",
              "Last-level cache misses per instruction of all services together.", *ways.misses());
  if (ways.times_usual())
    out.gauge("evenkeel_services_cache_misses_ratio",
              "Last-level cache misses per instruction of all services, relative to their usual level (1: "
              "usual).",
              *ways.times_usual());
  for (std::size_t i = 0; i < cache::kWaySteps; ++i)
    out.counter(
        "evenkeel_resctrl_way_steps_total",
        "Steps that took cache ways from best effort, by what it did to services (helped, no-help), or "
        "gave them back (harmless, hurt).",
        static_cast<double>(ways.steps()[i]), {{"outcome", cache::kWayStepNames[i]}});
}

}  // namespace

void put_resctrl(Exposition& out, const AgentView& view) {
  if (view.node().resctrl == nullptr) return;
  const auto& counters = view.execution.writers().resctrl_counters();
  out.gauge("evenkeel_resctrl_groups", "Resctrl control groups that the agent created.",
            static_cast<double>(counters.groups));
  out.counter("evenkeel_resctrl_moved_tasks_total",
              "Tasks that the agent moved into a resctrl group or back.",
              static_cast<double>(counters.moved_tasks));
  for (const auto& use : view.node().resctrl_use) put_use(out, use);
  put_ways(out, view);
}

namespace {

struct Row {
  const char* name;
  const char* help;
  std::uint64_t reclaim::ReclaimCounters::*count;
};
constexpr Row kRows[] = {
    {"evenkeel_reclaim_asked_bytes_total", "Memory requested through memory.reclaim, in bytes.",
     &reclaim::ReclaimCounters::requested_bytes},
    {"evenkeel_reclaim_reclaimed_bytes_total", "Memory that the kernel reclaimed on request, in bytes.",
     &reclaim::ReclaimCounters::reclaimed_bytes},
    {"evenkeel_reclaim_chunks_total", "Writes to memory.reclaim.", &reclaim::ReclaimCounters::chunks},
    {"evenkeel_reclaim_stopped_by_pressure_total",
     "Reclaim orders that ended early because of memory pressure in the cgroup.",
     &reclaim::ReclaimCounters::stopped_by_pressure},
    {"evenkeel_reclaim_budget_exhausted_total",
     "Reclaim orders that exceeded the node's reclaim budget for a tick.",
     &reclaim::ReclaimCounters::budget_exhausted},
    {"evenkeel_reclaim_nothing_left_total",
     "Reclaim orders that ended early because the kernel found no more reclaimable memory.",
     &reclaim::ReclaimCounters::nothing_left},
    {"evenkeel_reclaim_failures_total", "Reclaim orders that failed.", &reclaim::ReclaimCounters::failures},
};

}  // namespace

void put_reclaim(Exposition& out, const AgentView& view) {
  const auto counters = view.reclaimer.counters();
  for (const auto& row : kRows) out.counter(row.name, row.help, static_cast<double>(counters.*row.count));
  out.gauge("evenkeel_reclaim_orders", "Cgroups with a reclaim order in force until the next tick.",
            static_cast<double>(view.tick.result().reclaims.size()));
}

void put_evictions(Exposition& out, const AgentView& view) {
  for (std::size_t gate = 0; gate < kFeatureGates.size(); ++gate)
    out.counter("evenkeel_trigger_evictions_total", "Pods that the agent chose for eviction, by trigger.",
                static_cast<double>(view.evictions.counters().chosen[gate]),
                {{"trigger", kFeatureGates[gate]}});
}

}  // namespace evenkeel::api
