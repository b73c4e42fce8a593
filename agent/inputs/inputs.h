// Holds the agent's inputs: the NodeSLO, the pod list and the Node object, each with its last valid value,
// read from a file or delivered from a server. An invalid or missing text changes only the reported state.
// Does not act on its content or query a server.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/config/nodeslo_config.h"
#include "agent/pods/pod_list.h"
#include "agent/runtime/files.h"
#include "qos/model/units.h"

namespace evenkeel::inputs {

/// The parsed --pods flag.
struct PodsSource {
  /// automatic: the kubelet; the API server as long as the kubelet does not answer; the cgroup tree until one
  /// of them has answered.
  enum class Kind : std::uint8_t { file, cgroup, none, kubelet, api, automatic } kind = Kind::cgroup;
  std::string path{};  ///< of the file; URL of the first server
  std::string api{};   ///< URL of the pods at the API server, if it is a source
  [[nodiscard]] bool delivered() const {
    return kind == Kind::kubelet || kind == Kind::api || kind == Kind::automatic;
  }
};
struct ParsedPodsSource {
  PodsSource source{};
  std::string error{};
};
ParsedPodsSource parse_pods_source(const std::string& text);

/// The state of one input, for /readyz and the metrics.
struct InputState {
  std::string name{};      ///< "nodeslo", "pods", "node"
  std::string path{};      ///< a file or a URL; empty: not configured
  bool delivered = false;  ///< by a server: its value ages
  bool usable = false;     ///< the newest text was valid
  bool waits = false;      ///< that text takes effect when another input has answered
  std::string error{};     ///< why the newest text was invalid or missing
  std::string fallback{};  ///< not empty: what is in force until a text is valid
  std::string origin{};    ///< not empty: which source gave the value instead of the first, and why
  std::vector<std::string> notices{};  ///< what was ignored, and why; those of "pods" name pods
  std::optional<MonoTime> loaded{};    ///< when the value in force was accepted, or last confirmed
  std::uint64_t failures = 0;
};

using PodsPtr = std::shared_ptr<const std::vector<Pod>>;

class Inputs {
 public:
  /// In the order of states().
  enum Which : std::size_t { kNodeSlo, kPods, kNode };
  struct Options {
    std::string nodeslo{};
    bool nodeslo_optional = false;  ///< a missing file means the defaults (everything off) until it appears
    std::string nodeslo_object{};   ///< "nodeslos/NODE"; set: the NodeSLO is delivered, there is no file
    PodsSource pods{};
    std::string node{};
    std::string cpu_manager_state{};                   ///< the kubelet's checkpoint; may never exist
    std::string node_url{};                            ///< set: the Node object is delivered
    Duration pods_interval{std::chrono::seconds(10)};  ///< expected time between two lists of the kubelet
    Duration node_interval{std::chrono::seconds(60)};  ///< the same for the Node object
    bool by_text = false;  ///< stepped mode: compare texts instead of waiting for file events
  };
  struct Configuration {
    std::string source{};
    std::uint64_t fingerprint = 0;  ///< NodeSlo::fingerprint
  };
  struct Changed {
    bool nodeslo = false, pods = false, node = false;
    std::vector<std::string> problems{};   ///< newly found, as "file:line:column: …"
    std::vector<std::string> recovered{};  ///< names of inputs that are valid again
    std::vector<std::string> gone{};       ///< what is missing, and the consequence
    std::vector<std::string> moved{};      ///< where an input comes from now, and why
    std::vector<std::string> pools{};      ///< which of the NodeSLO's nodeStrategies apply from now on
    std::vector<std::string> untrusted{};  ///< claims of pods that do not count from now on
    std::string no_cpu_ratio{};            ///< as given to refresh(), when that is new
    std::optional<Configuration> configuration{};  ///< in force from now on, with other values than before
    [[nodiscard]] bool any() const { return nodeslo || pods || node; }
  };

  explicit Inputs(Options options);
  /// Reads what changed since the last call; the first call reads everything. `no_cpu_ratio`: why this
  /// machine has no CPU normalization ratio although the NodeSLO asks for one, which becomes a notice; empty:
  /// it has.
  Changed refresh(MonoTime now, std::string_view no_cpu_ratio = {});

  /// Takes a server's answer; effective with the next refresh().
  void deliver(pods::PodList list, MonoTime now);
  void deliver(pods::NodeFile node, MonoTime now);
  void deliver(config::NodeSloConfig config, MonoTime now);
  /// No NodeSLO exists for this node: the defaults apply. A deleted one stays in force for half a minute
  /// first, in case it is being replaced.
  void nodeslo_absent(MonoTime now);
  /// The last delivered NodeSLO, or pod list, is still current.
  void confirmed(Which which, MonoTime now);
  /// From now on the pods come from the server with this URL (kubelet or API server), for the reason given.
  void pods_from(const std::string& url, const std::string& why);
  /// A server has not answered, or not validly: the value in force stays and ages. A repeated failure is
  /// counted but not reported again.
  void trouble(Which which, const std::string& why);

  /// Never null; the defaults before the first valid text.
  [[nodiscard]] const std::shared_ptr<const NodeSlo>& slo() const { return slo_; }
  /// As of the last refresh(), without what their owners are not trusted with (qos/trust). Null: the source
  /// has not delivered.
  [[nodiscard]] const PodsPtr& pods() const { return pods_.trusted; }
  /// With the CPUs that the kubelet's CPU manager pins, as far as its checkpoint can be read.
  [[nodiscard]] NodeObject node() const;
  /// In the order of Which.
  [[nodiscard]] std::vector<InputState> states() const;
  [[nodiscard]] const InputState& state(Which which) const { return sources_[which].state; }
  /// No server has confirmed the pod list or the Node object for so long that nothing irreversible may rest
  /// on it. A NodeSLO never becomes stale: the last one stays in force.
  [[nodiscard]] bool is_stale(Which which, MonoTime now) const;
  /// Descriptors that become readable when a file changes; empty in stepped mode.
  [[nodiscard]] std::vector<int> descriptors() const;

 private:
  struct Text {
    std::optional<std::string> content{};  ///< absent: cannot be read
  };
  std::optional<Text> is_fresh(Which which, MonoTime now);
  void accept_nodeslo(const Text& given, MonoTime now, Changed& changed);
  void try_text(const std::string& text, MonoTime now, Changed& changed);
  [[nodiscard]] const TextMap* labels() const;
  [[nodiscard]] bool labels_are(const std::optional<TextMap>& these) const;
  [[nodiscard]] bool labels_are_due() const;
  config::NodeSloConfig resolved(const std::string& text, Changed& changed);
  void resolve_again(MonoTime now, Changed& changed);
  void accept(config::NodeSloConfig config, MonoTime now, Changed& changed);
  void put_in_force(NodeSlo slo, Changed& changed);
  void accept_pods(const Text& given, MonoTime now, Changed& changed);
  void accept_node(const Text& given, MonoTime now, Changed& changed);
  void accept_cpu_manager(Changed& changed);
  void apply_trust(MonoTime now, Changed& changed);
  void abandon_source(MonoTime now);
  [[nodiscard]] bool pods_are_watched() const;
  void fall_back_to_tree();
  void failed(Which which, std::string error, Changed& changed);
  void accepted(Which which, MonoTime now, std::vector<std::string> notices, Changed& changed);

  Options options_;
  /// One input: its source, what was read from it, its state.
  struct Source {
    InputState state{};
    std::optional<runtime::FileWatch> watch{};
    bool read_once = false;
    Text last{};            ///< stepped mode only
    std::string refusal{};  ///< why the server's object is not in force
  };
  std::array<Source, 3> sources_{};         ///< by Which
  Changed delivered_{};                     ///< since the last refresh()
  bool nodeslo_absent_ = false;             ///< as the server reports
  std::optional<MonoTime> nodeslo_gone_{};  ///< since when, while it is still in force
  std::shared_ptr<const NodeSlo> slo_ = std::make_shared<const NodeSlo>();
  struct Pods {
    PodsPtr listed{};   ///< as the source has them
    PodsPtr trusted{};  ///< the same list, if nothing of it is refused
    std::vector<std::string> refused{};
    std::map<std::string, MonoTime> told{};  ///< refusals, and when each was last in force
  };
  Pods pods_{};
  NodeObject node_{};
  runtime::WatchedTextFile cpu_manager_text_{{}};
  pods::CpuManagerState cpu_manager_{};
  /// The NodeSLO in force, when its nodeStrategies depend on the Node's labels.
  struct Strategies {
    std::string text{};               ///< empty: there are no strategies
    std::optional<TextMap> labels{};  ///< with which they were resolved; absent: they were not known
    bool refused = false;             ///< they contradict each other with these labels
    /// A newer text that only the labels keep from being in force.
    struct Newer {
      std::string text{};  ///< empty: there is none
      std::optional<TextMap> labels{};
    };
    Newer newer{};
  };
  Strategies strategies_{};
  std::string no_cpu_ratio_{};
};

}  // namespace evenkeel::inputs
