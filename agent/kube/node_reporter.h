// Reports to the API server about this node: resources to lend, the conditions EvenkeelDegraded and
// EvenkeelContended, a taint, how much more CPU Koordinator may make allocatable, and its NodeMetric.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "agent/kube/client/backoff.h"
#include "agent/kube/client/kube_client.h"
#include "agent/kube/patcher.h"
#include "agent/record/health.h"
#include "agent/runtime/clock.h"
#include "agent/runtime/event_loop.h"
#include "qos/lending/advertised.h"

namespace evenkeel::kube {

// Advertises lendable resources on the Node: `kubernetes.io/batch-cpu` and the others, in both capacity and
// allocatable, by a patch of nodes/status that touches nothing else (sent by patcher.h). Does not decide the
// amounts (qos/lending/advertised.h does) or remove them when the agent stops.

/// The lent amounts in a v1 Node's status.allocatable. Absent: not a Node, or an amount that cannot be
/// parsed.
std::optional<lending::LentAmounts> lent_amounts_in(std::string_view node_json);

/// A merge patch that sets `amounts` on the Node and removes those of `standing` that `amounts` lacks.
std::string lending_patch(const lending::LentAmounts& amounts, const lending::LentAmounts& standing);

class NodeReporter {
 public:
  struct Options {
    std::string node{};                              ///< the Node's name
    Duration spread{std::chrono::seconds(5)};        ///< non-urgent changes wait up to this long
    Duration min_interval{std::chrono::seconds(1)};  ///< between two patches, urgent ones too
    Duration longest_wait{std::chrono::minutes(1)};  ///< after failures
  };
  struct OnObserved {
    /// The amounts on the Node as the server returned them, in answer to a patch or to resync().
    std::function<void(const lending::LentAmounts&)> stands{};
    /// The patch failed for the reason given; it is retried.
    std::function<void(const std::string&)> failed{};
  };

  /// `loop`, `api` and `clock` must outlive it.
  static Result<NodeReporter> open(runtime::EventLoop& loop, KubeClient& api, const runtime::Clock& clock,
                                   Random random, const Options& options, OnObserved on_observed);

  /// Replaces `standing` by `amounts` on the Node. Supersedes a patch that was not sent yet.
  void publish(const lending::LentAmounts& amounts, const lending::LentAmounts& standing, bool urgent);
  /// Reads the amounts by a patch that changes nothing: needs no right to read Nodes.
  void resync() { patcher_.resync(); }
  /// Drops a patch that is not in flight yet: another agent has taken over.
  void pause() { patcher_.pause(); }

 private:
  explicit NodeReporter(Patcher patcher) : patcher_(std::move(patcher)) {}
  Patcher patcher_;
};

// Publishes the Node conditions EvenkeelDegraded and EvenkeelContended: present with their reason as long as
// the agent or the node has that problem, absent otherwise, so that a healthy node costs the API server
// nothing. Does not assess either.

/// What the conditions say; absent: the Node does not have that condition.
struct NodeProblems {
  std::optional<record::NodeProblem> degraded{}, contended{};
  bool operator==(const NodeProblems&) const = default;
};
/// Unix seconds of each problem's beginning; without meaning where there is none.
struct ProblemsSince {
  std::int64_t degraded = 0, contended = 0;
};

/// A strategic merge patch of nodes/status: only these conditions are touched. An absent one is removed.
std::string condition_patch(const NodeProblems& problems, const ProblemsSince& since,
                            std::int64_t now_unix_seconds);

class NodeCondition {
 public:
  struct Options {
    std::string node{};
    Duration lasting{std::chrono::seconds(30)};  ///< the agent's shorter problems are not published
    Duration spread{std::chrono::seconds(5)};    ///< see Patcher
  };
  /// All of these must outlive it. `failed` receives the reason why publishing failed, once per change.
  static Result<NodeCondition> open(runtime::EventLoop& loop, KubeClient& api, const runtime::Clock& clock,
                                    const runtime::WallClock& wall, Random random, Options options,
                                    std::function<void(const std::string&)> failed);
  NodeCondition(NodeCondition&&) noexcept;
  NodeCondition& operator=(NodeCondition&&) noexcept;
  ~NodeCondition();

  /// The current state; call it every few seconds. The first call without problems removes conditions that an
  /// earlier run may have left.
  void publish(const NodeProblems& now);
  /// On shutdown: removes the conditions if the server accepts that within `patience`. Runs the loop.
  void clear(Duration patience);

 private:
  struct Impl;
  explicit NodeCondition(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// Keeps the taint evenkeel.io/contended:PreferNoSchedule on the Node, or takes it off. The API server
// replaces the list of taints as a whole, so the Node is read first (by a patch that changes nothing), and
// the patch holds only for the version that was read: the taints of others stay. Needs the right to patch
// nodes.

/// What a v1 Node says of its taints.
struct NodeTaints {
  std::string resource_version{};
  bool ours = false;     ///< the agent's taint is there
  std::string others{};  ///< the other taints, as the items of a JSON list
};
/// Absent: not a Node, or a taint of a form that cannot be written back.
std::optional<NodeTaints> taints_in(std::string_view node_json);
/// A merge patch of a Node of this version: the other taints, and the agent's if it is wanted.
std::string taint_patch(const NodeTaints& seen, bool wanted);

class NodeTaint {
 public:
  struct Options {
    std::string node{};  ///< the Node's name
    /// See Patcher.
    Duration spread{std::chrono::seconds(5)}, min_interval{std::chrono::seconds(1)};
    Duration longest_wait{std::chrono::minutes(1)};
  };
  /// All of these must outlive it. `failed` receives the reason why it failed, once per change.
  static Result<NodeTaint> open(runtime::EventLoop& loop, KubeClient& api, const runtime::Clock& clock,
                                Random random, const Options& options,
                                std::function<void(const std::string&)> failed);
  NodeTaint(NodeTaint&&) noexcept;
  NodeTaint& operator=(NodeTaint&&) noexcept;
  ~NodeTaint();

  /// The current state; call it every few seconds. Absent: the taint is not configured; one that this run has
  /// put there is taken off. The first call with a state takes off what an earlier run may have left.
  void publish(std::optional<bool> tainted);
  /// On shutdown: takes the taint off if the server accepts that within `patience`. Runs the loop.
  void clear(Duration patience);

 private:
  struct Impl;
  explicit NodeTaint(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// Keeps the annotation node.koordinator.sh/resource-amplification-ratio on the Node ({"cpu":1.15}), by which
// Koordinator's webhook makes more CPUs allocatable. Beside it the agent's mark repeats the text: one that
// differs from the mark is another writer's and is left alone. The agent does not put back what another one
// has changed or removed. The Node is read first, as for the taint. Needs only the right to patch
// nodes/status, where the API server takes metadata as well: of an update it puts back the spec alone
// (nodeStatusStrategy.PrepareForUpdate in Kubernetes' pkg/registry/core/node/strategy.go).

inline constexpr const char* kAmplificationMark = "evenkeel.io/resource-amplification";

/// What a v1 Node says of its amplification.
struct Amplification {
  std::string uid{}, resource_version{};
  std::string ratio{};  ///< Koordinator's annotation; empty: there is none
  std::string mark{};   ///< what the agent wrote there; empty: nothing
  [[nodiscard]] bool ours() const { return !ratio.empty() && ratio == mark; }
  bool operator==(const Amplification&) const = default;
};
/// Absent: not a Node.
std::optional<Amplification> amplification_in(std::string_view node_json);
/// As Koordinator writes it, {"cpu":1.15}; empty: a CPU counts for no more than a standard one.
std::string amplification_text(const std::optional<double>& standard_cpus);
/// A merge patch of a Node of the version that was seen, with the annotations that are to differ.
std::string amplification_patch(const Amplification& seen, const Amplification& wanted);

class NodeAmplification {
 public:
  struct Options {
    std::string node{};  ///< the Node's name
    /// See Patcher. Where allocatable is amplified, the kubelet may patch the Node every 10 s: little time
    /// may pass between the look at the Node and the patch that holds only for what was seen.
    Duration spread{std::chrono::seconds(5)}, min_interval{std::chrono::milliseconds(100)};
    Duration longest_wait{std::chrono::minutes(1)};
    Duration look_interval{std::chrono::minutes(5)};  ///< between two looks for what others wrote
  };
  struct Reports {
    /// The reason why a request failed, once per change.
    std::function<void(const std::string&)> failed{};
    /// Why the annotation is left alone although it is wanted, once per change; empty: it is not any longer.
    std::function<void(const std::string&)> left_alone{};
  };
  /// All of these must outlive it.
  static Result<NodeAmplification> open(runtime::EventLoop& loop, KubeClient& api,
                                        const runtime::Clock& clock, Random random, const Options& options,
                                        Reports reports);
  NodeAmplification(NodeAmplification&&) noexcept;
  NodeAmplification& operator=(NodeAmplification&&) noexcept;
  ~NodeAmplification();

  /// The current state; call it every few seconds. Absent: no annotation is wanted; then `marked`, that the
  /// Node as it was read elsewhere has the agent's mark, makes it take off what an earlier run has left.
  void publish(const std::optional<double>& standard_cpus, bool marked, MonoTime now);
  /// On shutdown: takes off both annotations, if they are the agent's and the server accepts that within
  /// `patience`. Runs the loop.
  void clear(Duration patience);

 private:
  struct Impl;
  explicit NodeAmplification(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// Reports the node's resource use to Koordinator: patches the status of its NodeMetric at an interval with
// jitter. Does not compute the report (agent/reporting/node_metric.h does) or create the object
// (Koordinator's manager creates one per Node and sets the reporting options in it).

class NodeMetricReporter {
 public:
  struct Options {
    std::string node{};   ///< the Node's name
    double jitter = 0.1;  ///< share of an interval
    Duration min_interval{std::chrono::seconds(1)};
    Duration longest_wait{std::chrono::minutes(5)};  ///< after failures
  };
  struct Environment {
    /// The status as a merge patch, computed when the report is due; empty: not known yet.
    std::function<std::string()> status{};
    /// Time between two reports; may change with every answer.
    std::function<Duration()> interval{};
    /// Takes the object as the server holds it; false: it is not a NodeMetric.
    std::function<bool(const std::string&)> stands{};
    /// The outcome of a report, or of the read of the object before the first one.
    std::function<void(const record::ReportState&)> on_change{};
  };

  /// `loop`, `api` and `clock` must outlive it. The first report follows after one full interval, so that it
  /// does not rest on the first moments alone.
  static Result<NodeMetricReporter> open(runtime::EventLoop& loop, KubeClient& api,
                                         const runtime::Clock& clock, Random random, Options options,
                                         Environment house);
  NodeMetricReporter(NodeMetricReporter&&) noexcept;
  NodeMetricReporter& operator=(NodeMetricReporter&&) noexcept;
  ~NodeMetricReporter();

  [[nodiscard]] const record::ReportState& state() const;

 private:
  struct Impl;
  explicit NodeMetricReporter(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace evenkeel::kube
