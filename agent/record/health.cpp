#include "agent/record/health.h"

#include <algorithm>
#include <array>
#include <utility>

#include "cgroup/base/result.h"

namespace evenkeel::record {

namespace {

const inputs::InputState* input(const HealthInputs& being, std::string_view name) {
  const auto found = std::find_if(being.inputs.begin(), being.inputs.end(),
                                  [&](const inputs::InputState& state) { return state.name == name; });
  return found == being.inputs.end() || found->path.empty() ? nullptr : &*found;
}

std::string because(const inputs::InputState* state) {
  return state == nullptr || state->error.empty() ? std::string() : ": " + state->error;
}

std::optional<NodeProblem> no_lever(const HealthInputs& being) {
  if (being.writes.quarantined == 0 || being.writes.managed > 0) return std::nullopt;
  std::string errors;
  for (const auto& [code, count] : being.writes.refusals_by_errno)
    errors += (errors.empty() ? "" : ", ") + std::string(errno_name(code));
  return NodeProblem{"LeversRefused",
                     "the kernel refuses every value that the agent tries to set: " + errors};
}

std::optional<NodeProblem> no_pods(const HealthInputs& being) {
  const auto* pods = input(being, "pods");
  if (!being.pods_known)
    return NodeProblem{"PodsUnknown", "it is not known which pods run here" + because(pods)};
  if (being.pods_stale) return NodeProblem{"PodsStale", "an old list of pods is in force" + because(pods)};
  return std::nullopt;
}

std::optional<NodeProblem> no_configuration(const HealthInputs& being) {
  const auto* slo = input(being, "nodeslo");
  if (slo == nullptr || slo->usable || slo->error.empty()) return std::nullopt;
  return NodeProblem{
      "NodeSloRefused",
      (slo->loaded ? "the previous configuration is in force" : "there is no configuration") + because(slo)};
}

}  // namespace

std::optional<NodeProblem> degraded(const HealthInputs& being) {
  for (const auto trouble : {no_lever, no_pods, no_configuration})
    if (auto found = trouble(being)) return found;
  return std::nullopt;
}

std::optional<NodeProblem> contended(const std::optional<Contended>& what) {
  if (!what) return std::nullopt;
  switch (*what) {
    case Contended::cpu:
      return NodeProblem{"CpuContention", "services wait for a CPU longer than their own quotas explain"};
    case Contended::memory:
      return NodeProblem{"MemoryContention", "services that are not near their own limits wait for memory"};
    case Contended::io:
      return NodeProblem{"IoContention", "services without limits on disks wait for disks"};
  }
  return std::nullopt;
}

namespace {

/// Stores the new value; whether it differs from the old one.
template <class How>
bool learns(How now, const std::string& why, How& before, std::string& why_before) {
  if (now == std::exchange(before, now) && why == why_before) return false;
  why_before = why;
  return true;
}

void log_request_sizes(const SchedulerFacts& now, const SchedulerFacts& before, runtime::Log& log) {
  if (now.request_sizes_refused && !before.request_sizes_refused)
    log.warning("request-sizes-refused")
        .with(
            "why",
            "the kernel refuses to set request sizes, and without them a quota on best effort harms services "
            "on EEVDF kernels: there suppression uses CPU sets where it would set a quota, and no other "
            "policy sets one");
  if (!now.request_sizes_refused && before.request_sizes_refused)
    log.info("request-sizes-accepted").with("why", "quotas on best effort do no harm again");
}

void log_scheduler(const SchedulerFacts& now, const SchedulerFacts& before, runtime::Log& log) {
  if (now.fair != before.fair || now.request_sizes != before.request_sizes)
    log.info("scheduler")
        .with("algorithm", now.fair == FairScheduler::eevdf ? "EEVDF" : "CFS")
        .with("request_sizes", now.request_sizes ? "can be set" : "cannot be set");
  log_request_sizes(now, before, log);
  if (now.sched_ext && !before.sched_ext) log.warning("bpf-scheduler-loaded").with("why", kBpfScheduler);
  if (!now.sched_ext && before.sched_ext)
    log.info("bpf-scheduler-unloaded").with("why", "the kernel's own scheduler decides again");
}

}  // namespace

std::string_view name(CounterBackend backend) {
  constexpr std::array<std::string_view, 3> kNames = {"none", "rotating", "per_cpu"};
  return kNames[static_cast<std::size_t>(backend)];
}

std::string_view name(RunQueueSource source) {
  constexpr std::array<std::string_view, 3> kNames = {"none", "schedstat", "bpf"};
  return kNames[static_cast<std::size_t>(source)];
}

void MeasurementStatusLog::log_changes(const NodeSnapshot& node, runtime::Log& log) {
  if (std::string_view(why_no_alarms_) != node.run_queue.alarms_unavailable_reason) {
    why_no_alarms_ = node.run_queue.alarms_unavailable_reason;
    if (!why_no_alarms_.empty()) log.info("brake-uses-pressure-only").with("why", why_no_alarms_);
  }
  log_scheduler(node.scheduler, std::exchange(scheduler_, node.scheduler), log);
  const auto& counters = node.counters;
  if (learns(counters.backend, counters.why, backend_, why_counters_))
    log.info("counter-backend").with("backend", name(counters.backend)).with("why", counters.why);
  const auto& run_queue = node.run_queue;
  if (learns(run_queue.source, run_queue.why, source_, why_run_queue_))
    log.info("run-queue-source").with("source", name(run_queue.source)).with("why", run_queue.why);
}

void MeasurementStatusLog::log_changes(const DescriptorUse& descriptors, runtime::Log& log) {
  const bool few = descriptors.reopened > 0;
  if (few == std::exchange(few_descriptors_, few)) return;
  if (!few) {
    log.info("enough-descriptors").with("needed", descriptors.needed);
    return;
  }
  log.warning("few-descriptors")
      .with("needed", descriptors.needed)
      .with("reopened", descriptors.reopened)
      .with("why",
            "the limit of open files (RLIMIT_NOFILE) is too low: these files are opened for each read, which "
            "takes more CPU time");
}

}  // namespace evenkeel::record
