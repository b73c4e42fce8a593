// Keeps the annotation node.koordinator.sh/resource-amplification-ratio on the Node ({"cpu":1.15}), by which
// Koordinator's webhook makes more CPUs allocatable. Beside it the agent's mark repeats the text: one that
// differs from the mark is another writer's and is left alone. The agent does not put back what another one
// has changed or removed. The Node is read first, as for the taint. Needs only the right to patch
// nodes/status, where the API server takes metadata as well: of an update it puts back the spec alone
// (nodeStatusStrategy.PrepareForUpdate in Kubernetes' pkg/registry/core/node/strategy.go).
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "agent/kube/client/backoff.h"
#include "agent/kube/client/kube_client.h"
#include "agent/runtime/clock.h"
#include "agent/runtime/event_loop.h"

namespace evenkeel::kube {

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

}  // namespace evenkeel::kube
