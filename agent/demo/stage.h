// The demo's node: its cgroups, the agent that manages them, and the check that the agent restored
// everything.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "agent/demo/process.h"
#include "cgroup/base/host.h"
#include "cgroup/tree/layout.h"

namespace evenkeel::demo {

// Creates the demo's cgroups, laid out as the kubelet does below a private top directory, with Kubernetes'
// CPU shares. The only file of the demo that writes control files, and only beneath that directory (on pure
// v2 it also enables controllers above it, and disables them again).

/// Text of control files by path, relative to the host root.
using ControlValues = std::map<std::string, std::string>;

class Stage {
 public:
  static Result<Stage> build(const Host& host, int cpus);
  Stage(Stage&& other) noexcept = default;
  Stage& operator=(Stage&&) = delete;
  /// Kills the remaining processes and removes the directories, bottom up.
  ~Stage();

  /// "/evenkeel-demo-123", for `evenkeel run --cgroup-root`.
  [[nodiscard]] std::string cgroup_root() const { return '/' + top_; }
  [[nodiscard]] const tree::Layout& layout() const { return layout_; }
  /// Containers, relative to a hierarchy's root.
  [[nodiscard]] const std::string& service() const { return service_; }
  [[nodiscard]] const std::vector<std::string>& batch() const { return batch_; }

  /// Moves the calling process into the container; called in the child after fork.
  [[nodiscard]] bool enter(const std::string& container) const;
  /// Every control file of the knob table, in every directory below the top one, and under the name of each
  /// list of tasks the request sizes that the tasks in and below this directory have.
  [[nodiscard]] ControlValues controls() const;
  /// A CFS quota on best effort, in CPUs; absent: none.
  [[nodiscard]] bool limit_batch(std::optional<double> cpus) const;
  /// CPU time of the services' and of the batch branch; absent if it cannot be read.
  [[nodiscard]] std::optional<CpuTime> service_cpu_time() const { return cpu_time("burstable"); }
  [[nodiscard]] std::optional<CpuTime> batch_cpu_time() const { return cpu_time("besteffort"); }

 private:
  Stage(const Host& host, tree::Layout layout);
  [[nodiscard]] std::vector<std::string> containers() const;
  [[nodiscard]] const char* threads_file() const;
  [[nodiscard]] std::string request_sizes_below(const std::string& dir) const;
  bool make_directories();
  bool make_directory(const std::string& root, const std::string& dir);
  void enable_controllers(const std::string& dir);
  void set_shares(const std::string& dir, std::int64_t shares);
  void give_kubernetes_shares(int cpus);
  void kill_all();
  [[nodiscard]] std::optional<CpuTime> cpu_time(const std::string& branch) const;
  [[nodiscard]] bool write(const std::string& path, const std::string& text) const;

  const Host* host_;
  tree::Layout layout_;
  std::string top_{};
  std::vector<std::string> roots_{};        ///< hierarchies in use, each once
  std::vector<std::string> directories_{};  ///< parents first, relative to a root
  std::string service_{};
  std::vector<std::string> batch_{};
  std::vector<std::string> switched_on_{};  ///< controllers that the v2 root did not enable before
};

// Runs the real agent, `evenkeel run` of this very program, on the demo's cgroups, and reads from its audit
// log what it wrote and why. Does not imitate the agent.

/// The text of deploy/kustomize/base/nodeslo.yaml, of which the build makes this constant (installed.cmake).
extern const char* const kInstalledNodeSlo;

struct AuditLine {
  std::string kind{}, path{}, old_text{}, new_text{}, by{}, why{};
};
/// The readable lines of an audit log; others (a torn last one) are skipped.
std::vector<AuditLine> read_audit(const std::string& text);

class ManagedNode {
 public:
  /// Starts the agent with a state directory of its own.
  ManagedNode(const Host& host, const Stage& stage);
  ManagedNode(const ManagedNode&) = delete;
  ManagedNode& operator=(const ManagedNode&) = delete;
  ~ManagedNode();

  /// Waits up to three seconds for the agent's first tick. False: none came, or the agent has exited.
  bool wait_until_ready(Console& console);
  /// Sends SIGTERM and waits while the agent restores what it wrote. Returns its exit status.
  int stop();
  [[nodiscard]] std::vector<AuditLine> audit() const;
  /// The agent's log, for failures.
  [[nodiscard]] std::string log() const;

 private:
  TemporaryDirectory directory_{};
  Fd notifications_{};  ///< where the agent says that it is ready, as it does under systemd
  Child agent_{};
};

// Checks that the agent restored everything: compares control files before it started and after it stopped.
// Pure.

struct Restoration {
  std::size_t written = 0;          ///< files that the agent wrote to
  std::size_t restored = 0;         ///< of these, files with their original value
  std::vector<std::string> left{};  ///< "path: was X, is Y", from all control files and tasks
};
Restoration compare(const ControlValues& before, const ControlValues& after,
                    const std::vector<AuditLine>& audit);
void add(Restoration& sum, const Restoration& one);

}  // namespace evenkeel::demo
