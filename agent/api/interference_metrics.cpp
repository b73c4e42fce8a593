#include <array>
#include <utility>

#include "agent/api/metrics.h"
#include "agent/record/recorder.h"
#include "qos/interference/roster.h"

namespace evenkeel::api {
namespace {

struct Row {
  const char* name;
  const char* help;
  std::optional<double> (*read)(const CpuCounts&);
};

std::optional<double> per_instruction(const std::optional<std::int64_t>& count, const CpuCounts& counts) {
  if (!count) return std::nullopt;
  return counts.per_instruction(*count);
}

constexpr std::array kRows = {
    Row{"evenkeel_container_cpi", "CPU cycles per instruction in the latest counting window.",
        [](const CpuCounts& c) { return std::optional(c.cpi()); }},
    Row{"evenkeel_container_reference_cpi",
        "Reference cycles (constant frequency) per instruction in the latest counting window; unlike "
        "cpi, it rises when the CPU clock slows down.",
        [](const CpuCounts& c) { return per_instruction(c.reference_cycles, c); }},
    Row{"evenkeel_container_cache_misses_per_instruction",
        "Last-level cache misses per instruction in the latest counting window.",
        [](const CpuCounts& c) { return per_instruction(c.cache_misses, c); }},
    Row{"evenkeel_container_stalled_cycles_per_instruction",
        "Back-end stall cycles per instruction in the latest counting window.",
        [](const CpuCounts& c) { return per_instruction(c.stalled_cycles, c); }},
    Row{"evenkeel_container_counted_ratio",
        "Share of the container's running time in which its events were counted (0 to 1; 1: not "
        "multiplexed).",
        [](const CpuCounts& c) { return std::optional(c.counted_share); }},
};

void put_counters(Exposition& out, const AgentView& view) {
  const CounterStatus& counters = view.node().counters;
  out.gauge("evenkeel_counter_backend",
            "Always 1; the labels give how hardware events are counted, and why no better method is in "
            "use.",
            1, {{"backend", std::string(record::name(counters.backend))}, {"why", counters.why}});
  out.gauge("evenkeel_counter_descriptors", "Perf event descriptors that are open now.",
            static_cast<double>(counters.descriptors));
  out.counter("evenkeel_counter_windows_total", "Counting windows of hardware events that have ended.",
              static_cast<double>(counters.windows));
  out.counter("evenkeel_counter_dropped_windows_total",
              "Counting windows without a result: the events were multiplexed out for most of the window, "
              "or data was lost.",
              static_cast<double>(counters.dropped));
  for (const interference::CountedContainer& one :
       view.policies.of<interference::InterferenceState>().counted) {
    const tree::Cgroup* cgroup = view.tree().find(one.cgroup);
    if (cgroup == nullptr || !one.counts) continue;
    for (const Row& row : kRows)
      if (const auto value = row.read(*one.counts))
        out.gauge(row.name, row.help, *value,
                  {{"cgroup", cgroup->path}, {"pod", view.names().pod_name(one.cgroup)}});
  }
}

void put_tasks(Exposition& out, const AgentView& view) {
  for (const TaskStalls& one : view.node().stalls) {
    const tree::Cgroup* cgroup = view.tree().find(one.cgroup);
    if (cgroup == nullptr || !one.running || !one.uninterruptible) continue;
    const Labels labels = {{"cgroup", cgroup->path}, {"pod", view.names().pod_name(one.cgroup)}};
    out.gauge("evenkeel_container_tasks_running",
              "Tasks that were running or waiting for a CPU at the last sample.",
              static_cast<double>(*one.running), labels);
    out.gauge("evenkeel_container_tasks_uninterruptible",
              "Tasks in uninterruptible sleep state (waiting for a disk or a lock) at the last sample.",
              static_cast<double>(*one.uninterruptible), labels);
  }
}

void put_findings(Exposition& out, const AgentView& view) {
  const auto& state = view.policies.of<interference::InterferenceState>();
  using What = interference::InterferenceEvent::What;
  for (const auto& [outcome, what] : {std::pair{"accused", What::accused},
                                      {"limited", What::capped},
                                      {"confirmed", What::relieved},
                                      {"cleared", What::not_relieved},
                                      {"tested", What::trial_began},
                                      {"test_innocent", What::trial_cleared},
                                      {"test_unclear", What::trial_inconclusive}})
    out.counter("evenkeel_interference_total",
                "Steps of interference handling, by outcome: accused, limited, confirmed or cleared by the "
                "limit, tested, test results.",
                static_cast<double>(state.event_counts[static_cast<std::size_t>(what)]),
                {{"outcome", outcome}});
  for (const interference::Accusation& one : state.accusations) {
    if (view.names().is_gone(one.victim) || view.names().is_gone(one.suspect)) continue;
    out.gauge("evenkeel_interference", "Confidence that the antagonist slows the victim (0 to 1).",
              one.verdict.confidence(),
              {{"victim", view.names().display_name(one.victim)},
               {"workload", interference::workload_key_of(state, one.victim)},
               {"antagonist", view.names().display_name(one.suspect)},
               {"resource", record::resource_of(one.signal)},
               {"signal", traits_of(one.signal).name}});
  }
}

void put_budget(Exposition& out, const AgentView& view) {
  const auto& state = view.policies.of<interference::InterferenceState>();
  const auto lately = interference::stalled_lately(state, view.node().at);
  for (std::size_t stall = 0; stall < detector::kStallSignals; ++stall) {
    const char* resource = record::resource_of(detector::stall_signal(stall));
    for (const interference::Victim& victim : state.victims) {
      const tree::Cgroup* cgroup = view.tree().find(victim.cgroup);
      const bool measured = !victim.of(detector::stall_signal(stall)).series().empty();
      if (cgroup != nullptr && measured)
        out.counter(
            "evenkeel_interference_stalled_seconds_total",
            "Time that a service's tasks stalled because of other workloads, in seconds: waits for a CPU on "
            "which another workload ran (BPF); all other waits above the usual level while a pod stood "
            "accused.",
            victim.stalled_by_others_seconds[stall],
            {{"cgroup", cgroup->path},
             {"pod", view.names().pod_name(victim.cgroup)},
             {"resource", resource}});
    }
    for (const auto& [workload, seconds] : lately)
      out.gauge("evenkeel_interference_stalled_seconds_last_day",
                "Time that all containers of a workload stalled because of other workloads in the last 24 "
                "hours, in seconds.",
                seconds[stall], {{"workload", std::string(workload)}, {"resource", resource}});
    for (const interference::Unit& unit : state.units)
      if (unit.charged_seconds[stall] > 0 && !view.names().is_gone(unit.cgroup))
        out.counter("evenkeel_interference_charged_seconds_total",
                    "Stall time of services that is attributed to this pod, in seconds.",
                    unit.charged_seconds[stall],
                    {{"antagonist", view.names().display_name(unit.cgroup)}, {"resource", resource}});
  }
}

}  // namespace

void put_interference(Exposition& out, const AgentView& view) {
  if (!view.node().slo || !view.node().slo->evenkeel.interference.enable) return;
  put_counters(out, view);
  put_tasks(out, view);
  put_findings(out, view);
  put_budget(out, view);
}

}  // namespace evenkeel::api
