// Creates the demo's cgroups, laid out as the kubelet does below a private top directory, with Kubernetes'
// CPU shares. The only file of the demo that writes control files, and only beneath that directory (on pure
// v2 it also enables controllers above it, and disables them again).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cgroup/base/host.h"
#include "cgroup/tree/layout.h"

namespace evenkeel::demo {

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
  /// Every control file of the knob table, in every directory below the top one.
  [[nodiscard]] ControlValues controls() const;
  /// CPU time of the services' and of the batch branch; absent if it cannot be read.
  [[nodiscard]] std::optional<CpuTime> service_cpu_time() const { return cpu_time("burstable"); }
  [[nodiscard]] std::optional<CpuTime> batch_cpu_time() const { return cpu_time("besteffort"); }

 private:
  Stage(const Host& host, tree::Layout layout);
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

}  // namespace evenkeel::demo
