// What people tell us: the NodeSLO, the pod list and the Node object, each from its file, each with its last
// good value. A bad text changes nothing but the state that is shown. May not: act on what it read.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agent/config/file_watch.h"
#include "agent/config/nodeslo_config.h"
#include "agent/pods/pod_list.h"

namespace evenkeel {

/// --pods, understood.
struct PodsSource {
  enum class Kind : std::uint8_t { file, cgroup, none } kind = Kind::cgroup;
  std::string path{};
};
struct ParsedPodsSource {
  PodsSource source{};
  std::string error{};
};
ParsedPodsSource parse_pods_source(const std::string& text);

/// How one input is doing, for /readyz and the metrics.
struct InputState {
  std::string name{};   ///< "nodeslo", "pods", "node"
  std::string path{};   ///< empty: not from a file
  bool good = false;    ///< the newest text was usable
  std::string error{};  ///< why the newest text was not usable
  std::vector<std::string> notices{};
  std::optional<MonoTime> loaded{};  ///< when the value in force was taken
  std::uint64_t loads = 0, failures = 0;
};

class Inputs {
 public:
  struct Options {
    std::string nodeslo{};
    bool nodeslo_optional = false;  ///< a missing file means the defaults (everything off) and is waited for
    PodsSource pods{};
    std::string node{};
    bool by_text = false;  ///< stepped mode: look at the files instead of waiting for events
  };
  struct Changed {
    bool nodeslo = false, pods = false, node = false;
    std::vector<std::string> problems{};  ///< newly found, as "file:line:column: …"
    [[nodiscard]] bool any() const { return nodeslo || pods || node; }
  };

  explicit Inputs(Options options);
  /// Reads what changed since the last call; the first call reads everything.
  Changed refresh(MonoTime now);

  /// Never null; the defaults before the first good text.
  [[nodiscard]] const std::shared_ptr<const NodeSlo>& slo() const { return slo_; }
  /// Null: the source has not delivered.
  [[nodiscard]] const std::shared_ptr<const std::vector<Pod>>& pods() const { return pods_; }
  [[nodiscard]] const NodeObject& node() const { return node_; }
  [[nodiscard]] std::vector<InputState> states() const;
  /// Descriptors that become readable when a file changes; empty in stepped mode.
  [[nodiscard]] std::vector<int> descriptors() const;

 private:
  enum Which : std::size_t { kNodeSlo, kPods, kNode };
  struct Text {
    std::optional<std::string> content{};  ///< absent: cannot be read
  };
  std::optional<Text> fresh(Which which);
  void take_nodeslo(const Text& given, MonoTime now, Changed& changed);
  void take_pods(const Text& given, MonoTime now, Changed& changed);
  void take_node(const Text& given, MonoTime now, Changed& changed);
  void failed(Which which, std::string error, Changed& changed);
  void taken(Which which, MonoTime now, std::vector<std::string> notices);

  Options options_;
  /// One input: where from, what was seen of it, how it is doing.
  struct Source {
    InputState state{};
    std::optional<FileWatch> watch{};
    bool read_once = false;
    Text last{};  ///< stepped mode only
  };
  std::array<Source, 3> sources_{};  ///< by Which
  std::shared_ptr<const NodeSlo> slo_ = std::make_shared<const NodeSlo>();
  std::shared_ptr<const std::vector<Pod>> pods_{};
  NodeObject node_{};
};

}  // namespace evenkeel
