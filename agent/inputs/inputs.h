// What we are told: the NodeSLO, the pod list and the Node object, each with its last good value, read from a
// file or delivered by whoever asks a server. A bad text, or none, changes nothing but the state that is
// shown. May not: act on what it read, or ask a server itself.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agent/config/file_watch.h"
#include "agent/config/nodeslo_config.h"
#include "agent/inputs/text_file.h"
#include "agent/pods/cpu_manager_state.h"
#include "agent/pods/pod_list.h"
#include "qos/model/units.h"

namespace evenkeel::inputs {

/// --pods, understood.
struct PodsSource {
  /// automatic: the kubelet if it answers, until then the cgroup tree.
  enum class Kind : std::uint8_t { file, cgroup, none, kubelet, automatic } kind = Kind::cgroup;
  std::string path{};  ///< of the file; where the kubelet is asked
  [[nodiscard]] bool delivered() const { return kind == Kind::kubelet || kind == Kind::automatic; }
};
struct ParsedPodsSource {
  PodsSource source{};
  std::string error{};
};
ParsedPodsSource parse_pods_source(const std::string& text);

/// How one input is doing, for /readyz and the metrics.
struct InputState {
  std::string name{};      ///< "nodeslo", "pods", "node"
  std::string path{};      ///< a file or a URL; empty: there is no such input
  bool delivered = false;  ///< by a server: its value has an age
  bool usable = false;     ///< the newest text was usable
  std::string error{};     ///< why the newest text was not usable, or there was none
  std::string fallback{};  ///< not empty: what is in force as long as no text was usable
  std::vector<std::string> notices{};
  std::optional<MonoTime> loaded{};  ///< when the value in force was taken, or last confirmed
  std::uint64_t loads = 0, failures = 0;
};

class Inputs {
 public:
  /// In the order of states().
  enum Which : std::size_t { kNodeSlo, kPods, kNode };
  struct Options {
    std::string nodeslo{};
    bool nodeslo_optional = false;  ///< a missing file means the defaults (everything off) and is waited for
    std::string nodeslo_object{};   ///< "nodeslos/NODE"; set: the NodeSLO is delivered, there is no file
    PodsSource pods{};
    std::string node{};
    std::string cpu_manager_state{};                   ///< the kubelet's checkpoint; may never exist
    std::string node_url{};                            ///< set: the Node object is delivered
    Duration pods_interval{std::chrono::seconds(10)};  ///< how often a list is to be expected
    Duration node_interval{std::chrono::seconds(60)};  ///< the same of the Node object
    bool by_text = false;  ///< stepped mode: look at the files instead of waiting for events
  };
  struct Changed {
    bool nodeslo = false, pods = false, node = false;
    std::vector<std::string> problems{};   ///< newly found, as "file:line:column: …"
    std::vector<std::string> recovered{};  ///< names of inputs that are good again
    std::vector<std::string> gone{};       ///< what is not there (any more), and what that means
    [[nodiscard]] bool any() const { return nodeslo || pods || node; }
  };

  explicit Inputs(Options options);
  /// Reads what changed since the last call; the first call reads everything.
  Changed refresh(MonoTime now);

  /// What a server has answered; takes effect with the next refresh().
  void deliver(pods::PodList list, MonoTime now);
  void deliver(pods::NodeFile node, MonoTime now);
  void deliver(config::NodeSloConfig config, MonoTime now);
  /// There is no NodeSLO for this node: everything is off. One that was there stays in force for half a
  /// minute first, in case somebody is replacing it.
  void nodeslo_absent(MonoTime now);
  /// What was delivered last is what stands there now.
  void nodeslo_confirmed(MonoTime now);
  /// A server has not answered, or not usably: what is in force stays in force and grows old. The same
  /// trouble again is counted, but no news.
  void trouble(Which which, const std::string& why);

  /// Never null; the defaults before the first good text.
  [[nodiscard]] const std::shared_ptr<const NodeSlo>& slo() const { return slo_; }
  /// False: a server was asked for it and has not answered yet.
  [[nodiscard]] bool slo_known() const { return sources_[kNodeSlo].state.loaded.has_value(); }
  /// Null: the source has not delivered.
  [[nodiscard]] const std::shared_ptr<const std::vector<Pod>>& pods() const { return pods_; }
  /// With the CPUs that the kubelet's CPU manager pins, as far as its checkpoint can be read.
  [[nodiscard]] NodeObject node() const;
  [[nodiscard]] std::vector<InputState> states() const;
  [[nodiscard]] bool pods_delivered() const { return options_.pods.delivered(); }
  /// No server has confirmed the pod list or the Node object for so long that nothing irreversible may rest
  /// on it. A NodeSLO never becomes stale: the last one stays in force.
  [[nodiscard]] bool is_stale(Which which, MonoTime now) const;
  /// Descriptors that become readable when a file changes; empty in stepped mode.
  [[nodiscard]] std::vector<int> descriptors() const;

 private:
  struct Text {
    std::optional<std::string> content{};  ///< absent: cannot be read
  };
  std::optional<Text> is_fresh(Which which);
  void accept_nodeslo(const Text& given, MonoTime now, Changed& changed);
  void accept(config::NodeSloConfig config, MonoTime now, Changed& changed);
  void accept_pods(const Text& given, MonoTime now, Changed& changed);
  void accept_node(const Text& given, MonoTime now, Changed& changed);
  void accept_cpu_manager(Changed& changed);
  void abandon_source(MonoTime now);
  void fall_back_to_tree();
  void failed(Which which, std::string error, Changed& changed);
  void accepted(Which which, MonoTime now, std::vector<std::string> notices, Changed& changed);

  Options options_;
  /// One input: where from, what was seen of it, how it is doing.
  struct Source {
    InputState state{};
    std::optional<config::FileWatch> watch{};
    bool read_once = false;
    Text last{};            ///< stepped mode only
    std::string refusal{};  ///< why what a server holds is not in force
  };
  std::array<Source, 3> sources_{};         ///< by Which
  Changed delivered_{};                     ///< since the last refresh()
  bool nodeslo_absent_ = false;             ///< as a server says
  std::optional<MonoTime> nodeslo_gone_{};  ///< since when, while it is in force all the same
  std::shared_ptr<const NodeSlo> slo_ = std::make_shared<const NodeSlo>();
  std::shared_ptr<const std::vector<Pod>> pods_{};
  NodeObject node_{};
  WatchedTextFile cpu_manager_text_{{}};
  pods::CpuManagerState cpu_manager_{};
};

}  // namespace evenkeel::inputs
