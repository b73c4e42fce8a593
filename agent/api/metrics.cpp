#include "agent/api/metrics.h"

#include <numeric>

#include "agent/runtime/version.h"

namespace evenkeel::api {
namespace {

constexpr std::size_t kSeriesCap = 20000;

using Reading = std::optional<double>;
template <class Tag>
Reading whole(const std::optional<Quantity<Tag>>& quantity) {
  return quantity ? Reading(static_cast<double>(quantity->count())) : std::nullopt;
}
Reading cores(const std::optional<MilliCpu>& cpu) {
  return cpu ? Reading(static_cast<double>(cpu->count()) / 1000) : std::nullopt;
}
Reading some(const std::optional<Pressure>& pressure) {
  return pressure ? Reading(runtime::seconds(pressure->some.total)) : std::nullopt;
}
Reading full(const std::optional<Pressure>& pressure) {
  return pressure && pressure->full ? Reading(runtime::seconds(pressure->full->total)) : std::nullopt;
}
bool is_counter(std::string_view name) { return name.ends_with("_total"); }
void put(Exposition& out, const char* name, const char* help, const Reading& reading, Labels labels = {}) {
  if (!reading) return;
  if (is_counter(name)) {
    out.counter(name, help, *reading, std::move(labels));
  } else {
    out.gauge(name, help, *reading, std::move(labels));
  }
}

struct NodeRow {
  const char* name;
  const char* help;
  Reading (*read)(const NodeSample&);
};
constexpr NodeRow kNode[] = {
    {"evenkeel_node_cpu_capacity_cores", "CPUs that are online.",
     [](const NodeSample& n) { return cores(n.cpu_capacity); }},
    {"evenkeel_node_cpu_use_cores",
     "CPU use of the node in the last tick, in cores (user, nice, system, irq, softirq).",
     [](const NodeSample& n) { return cores(n.cpu_use); }},
    {"evenkeel_node_cpu_stolen_cores", "CPU steal time of this virtual machine in the last tick, in cores.",
     [](const NodeSample& n) { return cores(n.cpu_stolen); }},
    {"evenkeel_node_memory_total_bytes", "Memory of the node, in bytes (MemTotal).",
     [](const NodeSample& n) {
       return n.memory ? Reading(static_cast<double>(n.memory->total.count())) : std::nullopt;
     }},
    {"evenkeel_node_memory_available_bytes", "Available memory of the node, in bytes (MemAvailable).",
     [](const NodeSample& n) {
       return n.memory ? Reading(static_cast<double>(n.memory->available.count())) : std::nullopt;
     }},
    {"evenkeel_node_hugepages_bytes", "Memory in reserved huge page pools, in bytes; it cannot be lent.",
     [](const NodeSample& n) {
       return n.memory ? Reading(static_cast<double>(n.memory->hugepages.count())) : std::nullopt;
     }},
};

struct CgroupRow {
  const char* name;
  const char* help;
  Reading (*read)(const CgroupSample&);
  bool pods_only;
};
constexpr CgroupRow kCgroup[] = {
    {"evenkeel_cgroup_cpu_use_cores", "CPU use of the cgroup in the last tick, in cores.",
     [](const CgroupSample& c) { return cores(c.cpu_use); }, false},
    {"evenkeel_cgroup_cpu_system_seconds_total", "CPU time of the cgroup's tasks in kernel mode, in seconds.",
     [](const CgroupSample& c) -> Reading {
       return c.system_time ? Reading(runtime::seconds(*c.system_time)) : std::nullopt;
     },
     false},
    {"evenkeel_cgroup_cpu_throttled_ratio",
     "Share of CFS periods in the last tick in which the cgroup was throttled (0 to 1).",
     [](const CgroupSample& c) -> Reading {
       if (!c.throttling || c.throttling->periods <= 0) return std::nullopt;
       return static_cast<double>(c.throttling->throttled_periods) /
              static_cast<double>(c.throttling->periods);
     },
     false},
    {"evenkeel_cgroup_cpu_limit_cores",
     "CPU limit in force (CFS quota per period), in cores; absent while unlimited.",
     [](const CgroupSample& c) -> Reading {
       if (!c.applied.cpu_limit || !c.applied.cpu_limit->quota) return std::nullopt;
       return static_cast<double>(cpu_of(*c.applied.cpu_limit->quota, c.applied.cpu_limit->period).count()) /
              1000;
     },
     false},
    {"evenkeel_cgroup_memory_working_set_bytes",
     "Memory working set, in bytes: charged memory minus inactive file cache.",
     [](const CgroupSample& c) { return whole(c.memory.working_set); }, false},
    {"evenkeel_cgroup_cpu_pressure_stall_seconds_total",
     "Time in which at least one task waited for a CPU, in seconds (PSI some).",
     [](const CgroupSample& c) { return some(c.pressure.cpu); }, true},
    {"evenkeel_cgroup_memory_pressure_stall_seconds_total",
     "Time in which at least one task waited for memory, in seconds (PSI some).",
     [](const CgroupSample& c) { return some(c.pressure.memory); }, true},
    {"evenkeel_cgroup_io_pressure_stall_seconds_total",
     "Time in which at least one task waited for I/O, in seconds (PSI some).",
     [](const CgroupSample& c) { return some(c.pressure.io); }, true},
};

/// Sum of the executor's values and those of the other writers.
Reading both(std::uint64_t values, std::uint64_t others) { return static_cast<double>(values + others); }

struct AgentRow {
  const char* name;
  const char* help;
  Reading (*read)(const AgentView&);
};
constexpr AgentRow kAgent[] = {
    {"evenkeel_ticks_total", "Full ticks completed: measure, decide, write.",
     [](const AgentView& a) { return Reading(static_cast<double>(a.tick.counters().ticks)); }},
    {"evenkeel_degraded", "1 while the agent cannot do its work; /readyz gives the reason.",
     [](const AgentView& a) { return Reading(a.degraded() ? 1 : 0); }},
    {"evenkeel_bpf_scheduler_loaded",
     "1 while a BPF scheduler (sched_ext) is loaded: levers on the CPU may have no effect.",
     [](const AgentView& a) { return Reading(a.node().scheduler.sched_ext ? 1 : 0); }},
    {"evenkeel_evictions_total", "Pods that the agent chose for eviction.",
     [](const AgentView& a) {
       const auto& all = a.evictions.counters().chosen;
       return Reading(static_cast<double>(std::accumulate(all.begin(), all.end(), std::uint64_t{0})));
     }},
    {"evenkeel_pods_ended_total", "Pods whose processes the agent killed because there is no API server.",
     [](const AgentView& a) { return Reading(static_cast<double>(a.evictions.counters().pods_killed)); }},
    {"evenkeel_eviction_failures_total",
     "Evictions that were refused or not answered, and kills that failed.",
     [](const AgentView& a) { return Reading(static_cast<double>(a.evictions.counters().failures)); }},
    {"evenkeel_early_ticks_total", "Rounds of deciding and writing between two ticks, started by an event.",
     [](const AgentView& a) { return Reading(static_cast<double>(a.tick.counters().early_ticks)); }},
    {"evenkeel_early_tick_pauses_total",
     "Times that rounds between two ticks had used up their tenth of the time: events then wait for the next "
     "tick, and alarms are dropped.",
     [](const AgentView& a) { return Reading(static_cast<double>(a.tick.counters().early_pauses)); }},
    {"evenkeel_missed_ticks_total", "Ticks left out because the agent was still busy when they came due.",
     [](const AgentView& a) { return Reading(static_cast<double>(a.tick.counters().late_ticks)); }},
    {"evenkeel_tick_seconds", "Duration of the last tick, in seconds.",
     [](const AgentView& a) { return Reading(runtime::seconds(a.tick.counters().last_tick)); }},
    {"evenkeel_tick_longest_seconds", "Duration of the longest tick since the agent started, in seconds.",
     [](const AgentView& a) { return Reading(runtime::seconds(a.tick.counters().longest_tick)); }},
    {"evenkeel_early_tick_longest_seconds",
     "Duration of the longest round between two ticks since the agent started, in seconds.",
     [](const AgentView& a) { return Reading(runtime::seconds(a.tick.counters().longest_early_tick)); }},
    {"evenkeel_early_tick_seconds", "Duration of the last round between two ticks, in seconds.",
     [](const AgentView& a) { return Reading(runtime::seconds(a.tick.counters().last_early_tick)); }},
    {"evenkeel_watch_overflows_total",
     "Times that the kernel dropped cgroup change events; each caused a rescan.",
     [](const AgentView& a) { return Reading(static_cast<double>(a.observer.scan().overflows())); }},
    {"evenkeel_writes_total", "Values that the agent wrote to the kernel.",
     [](const AgentView& a) {
       return both(a.execution.counters().writes, a.execution.writers().totals().writes);
     }},
    {"evenkeel_restores_total", "Original values that were restored.",
     [](const AgentView& a) {
       return both(a.execution.counters().restored, a.execution.writers().totals().restored);
     }},
    {"evenkeel_refusals_total", "Writes that the kernel refused.",
     [](const AgentView& a) {
       return both(a.execution.counters().refusals, a.execution.writers().totals().refusals);
     }},
    {"evenkeel_deferred_changes_total",
     "Changes deferred to the next tick because the limit of changes per tick was reached.",
     [](const AgentView& a) { return Reading(static_cast<double>(a.execution.counters().deferred)); }},
    {"evenkeel_foreign_writes_total",
     "Foreign writes: another process changed a value that the agent manages.",
     [](const AgentView& a) {
       return both(a.execution.counters().foreign, a.execution.writers().totals().foreign);
     }},
    {"evenkeel_resets_total",
     "Values of systemd units that systemd or an unknown process reset as a side effect of another change, "
     "and "
     "that the agent wrote again at once.",
     [](const AgentView& a) { return Reading(static_cast<double>(a.execution.counters().resets)); }},
    {"evenkeel_managed_values", "Values that the agent manages now; the original of each is in the journal.",
     [](const AgentView& a) {
       return both(a.execution.counters().managed, a.execution.writers().totals().held);
     }},
    {"evenkeel_quarantined_values", "Values that the kernel refused and that await a retry.",
     [](const AgentView& a) {
       return both(a.execution.counters().quarantined, a.execution.writers().totals().quarantined);
     }},
    {"evenkeel_descriptors_needed", "File descriptors needed to keep open every file that a tick reads.",
     [](const AgentView& a) {
       return Reading(static_cast<double>(a.observer.sampler().health().descriptors_needed));
     }},
    {"evenkeel_descriptors_reopened",
     "Files that are reopened for each read because the descriptor limit is too low.",
     [](const AgentView& a) {
       return Reading(static_cast<double>(a.observer.sampler().health().files_reopened));
     }},
    {"evenkeel_journal_corrupt_records",
     "Lines of the journal that could not be read since the machine booted; the file journal.damaged keeps "
     "them.",
     [](const AgentView& a) { return Reading(static_cast<double>(a.kernel.journal.corrupt_records())); }},
    {"evenkeel_audit_lost_total", "Lines of the audit log that could not be written.",
     [](const AgentView& a) { return Reading(static_cast<double>(a.recorder.audit().lost())); }},
};

void put_node(Exposition& out, const NodeSample& node) {
  for (const auto& row : kNode) put(out, row.name, row.help, row.read(node));
  static constexpr const char* kName = "evenkeel_node_pressure_stall_seconds_total";
  static constexpr const char* kHelp = "Pressure stall time of the node, in seconds (PSI).";
  const auto& pressure = node.pressure;
  put(out, kName, kHelp, some(pressure.cpu), {{"resource", "cpu"}, {"degree", "some"}});
  put(out, kName, kHelp, some(pressure.memory), {{"resource", "memory"}, {"degree", "some"}});
  put(out, kName, kHelp, full(pressure.memory), {{"resource", "memory"}, {"degree", "full"}});
  put(out, kName, kHelp, some(pressure.io), {{"resource", "io"}, {"degree", "some"}});
  put(out, kName, kHelp, full(pressure.io), {{"resource", "io"}, {"degree", "full"}});
}

Labels labels_of(const AgentView& view, const CgroupSample& cgroup) {
  return {{"cgroup", std::string(cgroup.path)}, {"pod", view.names().pod_name(cgroup.id)}};
}

void put_inputs(Exposition& out, const AgentView& view) {
  for (const auto& state : view.inputs.states()) {
    if (state.path.empty()) continue;  // an input that is not configured is not a bad one
    out.gauge("evenkeel_input_good",
              "1 while this input is usable: its source answers, and its newest version is valid.",
              state.usable ? 1 : 0, {{"input", state.name}});
    out.gauge("evenkeel_input_info",
              "Always 1; the source label is a file, or the object requested from a server.", 1,
              {{"input", state.name}, {"source", state.path}});
    out.counter("evenkeel_input_failures_total",
                "Versions of this input that were invalid or could not be read.",
                static_cast<double>(state.failures), {{"input", state.name}});
    if (state.delivered && state.loaded)
      out.gauge("evenkeel_input_age_seconds",
                "Time since a server last confirmed the input in force, in seconds.",
                runtime::seconds(view.tick.result().now - *state.loaded), {{"input", state.name}});
  }
}

void put_lending(Exposition& out, const lender::Lending& lending) {
  const auto& advertised = lending.advertised();
  if (!advertised) return;
  // CPU in cores and memory in bytes: base units, regardless of the Node's units.
  for (std::size_t i = 0; i < lending::kLentCount; ++i) {
    const bool cpu = i == static_cast<std::size_t>(lending::LentResource::batch_cpu) ||
                     i == static_cast<std::size_t>(lending::LentResource::mid_cpu);
    const auto put_one = [&](const char* name, const char* help, const std::optional<std::int64_t>& amount) {
      if (amount)
        out.gauge(name, help, static_cast<double>(*amount) / (cpu ? 1000 : 1),
                  {{"resource", lending::kLentNames[i]}});
    };
    put_one("evenkeel_advertised",
            "Batch and mid resources that the node advertises, or would advertise with --report, in cores or "
            "bytes.",
            advertised->amounts[i]);
    put_one("evenkeel_lent_requested", "Batch and mid resources that pods request, in cores or bytes.",
            advertised->held[i]);
  }
}

}  // namespace

std::string metrics_text(const AgentView& view) {
  Exposition out(kSeriesCap);
  out.gauge("evenkeel_build_info", "Always 1; the version label is the agent's version.", 1,
            {{"version", runtime::kVersion}});
  for (const auto& row : kAgent) put(out, row.name, row.help, row.read(view));
  put_pods(out, view);
  put_reclaim(out, view);
  put_inputs(out, view);
  put_servers(out, view);
  put_evictions(out, view);
  put_node(out, view.node().node);
  put_lending(out, view.lending);
  put_resctrl(out, view);
  put_disks(out, view);
  put_core_sched(out, view);
  put_request_sizes(out, view);
  put_oom_scores(out, view);
  put_contention(out, view);
  put_network(out, view);
  put_interference(out, view);
  put_objectives(out, view);
  put_proof(out, view);
  put_brake(out, view);
  put_waits(out, view);
  for (const auto& cgroup : view.node().cgroups) {
    if (cgroup.kind == CgroupKind::subgroup) continue;  // its container's series say the same
    const Labels labels = labels_of(view, cgroup);
    for (const auto& row : kCgroup)
      if (!(row.pods_only && cgroup.kind == CgroupKind::container))
        put(out, row.name, row.help, row.read(cgroup), labels);
  }
  Exposition last(1);
  last.gauge("evenkeel_dropped_series",
             "Series left out of this scrape because the series limit was reached.",
             static_cast<double>(out.dropped()));
  return out.text() + last.text();
}

}  // namespace evenkeel::api
