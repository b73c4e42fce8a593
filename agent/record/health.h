// Whether the agent and its servers work, for pages, metrics and logs. Plain values; does not measure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/inputs/inputs.h"
#include "agent/runtime/log.h"
#include "cgroup/executor/executor.h"
#include "qos/model/snapshot.h"
#include "qos/model/task_measurements.h"
#include "qos/model/units.h"

namespace evenkeel::record {

// The outcome of a periodic report, for the pages and metrics. Does not hold the reported data.

struct ReportState {
  std::uint64_t accepted = 0, failures = 0;
  std::optional<MonoTime> last_accepted{};
  std::string last_error{};  ///< why the last report was not accepted; empty: it was
};

// Counters of requests to servers and of pod events since the agent started, for the metrics.

struct KubeTraffic {
  std::string server{};                     ///< "kubelet", "api"
  std::map<int, std::uint64_t> requests{};  ///< by HTTP status; 0: no complete response
  std::uint64_t bytes_in = 0, bytes_out = 0;
  Duration waited{}, longest_wait{};  ///< for responses; watches are not counted
};

struct PodEventCounters {
  std::uint64_t sent = 0;      ///< accepted by the server
  std::uint64_t repeated = 0;  ///< suppressed as a recent repetition
  std::uint64_t dropped = 0;   ///< over the rate limit, or refused by the server
};

/// One address at which the agent serves its pages.
struct ListenerState {
  std::string address{};  ///< "127.0.0.1:9319"
  std::string problem{};  ///< why nothing is served there for now; empty: the pages are
};

/// The exchange with servers, for the metrics. What these pointers refer to must outlive the last rendered
/// page.
struct ServerActivity {
  std::vector<const KubeTraffic*> traffic{};
  const PodEventCounters* pod_events = nullptr;   ///< null: no pod events are sent
  const ReportState* usage_reports = nullptr;     ///< null: usage is not reported
  const ReportState* topology_reports = nullptr;  ///< null: CPUs and NUMA nodes are not reported
  std::vector<ListenerState> listeners{};         ///< the agent's own endpoint
  /// Why the Node's amplification annotation is not the agent's although it is asked to write it; empty: it
  /// is, or will be.
  std::string amplification_left_alone{};
};

// Says whether the agent can do its work, and whether services wait on the node, and if so, why: one word for
// machines and one sentence for operators. Does not publish it (agent/api shows it, agent/kube/node sets the
// Node conditions).

struct NodeProblem {
  std::string reason{};   ///< "NodeSloRefused"
  std::string message{};  ///< without changing figures: the same problem always has the same text
  bool operator==(const NodeProblem&) const = default;
};

struct HealthInputs {
  std::vector<inputs::InputState> inputs{};
  bool pods_known = true;
  bool pods_stale = false;
  const executor::ExecutorCounters& writes;
};
/// The most serious problem. Absent: there is none, or it concerns single pods only.
std::optional<NodeProblem> degraded(const HealthInputs& being);
/// What services wait for; absent: nothing.
std::optional<NodeProblem> contended(const std::optional<Contended>& what);

// Logs how interference is measured, why it is not measured better, why the brake gets no alarms from BPF,
// which scheduler the kernel has, and whether descriptors are scarce: only when that changes. Does not
// measure.

/// Why levers may do nothing on this node (NodeSnapshot::scheduler.sched_ext).
inline constexpr const char* kBpfScheduler =
    "a BPF scheduler (sched_ext) decides which task runs: shares, quotas, cpu.idle and request sizes may "
    "have "
    "no effect";

std::string_view name(CounterBackend backend);
std::string_view name(RunQueueSource source);

/// Of the files that a tick reads.
struct DescriptorUse {
  std::size_t needed = 0;    ///< to keep all of them open
  std::size_t reopened = 0;  ///< files that are opened for each read, because the limit is lower
};

class MeasurementStatusLog {
 public:
  /// After each tick. Allocates only when it logs.
  void log_changes(const NodeSnapshot& node, runtime::Log& log);
  void log_changes(const DescriptorUse& descriptors, runtime::Log& log);

 private:
  CounterBackend backend_ = CounterBackend::none;
  RunQueueSource source_ = RunQueueSource::none;
  SchedulerFacts scheduler_{};
  std::string why_counters_{}, why_run_queue_{}, why_no_alarms_{};
  bool few_descriptors_ = false;
};

}  // namespace evenkeel::record
