// A node whose files have other owners beside the agent: a kubelet that resizes pods in place, systemd that
// resets its units, runtimes that make containers anew and change their limits, an administrator who limits
// disks. The agent decides with all policies, and is stopped or killed.
//
// owned_node.cpp is the node and what is expected of it, owned_node_owners.cpp what its owners do.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "cgroup/executor/executor.h"
#include "qos/registry.h"
#include "tests/support/scenes/executor_node.h"

namespace evenkeel::test {

/// What the agent knows about the service whose limit is resized.
enum class Told {
  containers_limit,  ///< a list with its container's limit
  pods_limit,        ///< a list with the limit of the pod as a whole, of which larger ones are deferred
  nothing,           ///< no list
};

/// Eight CPUs and a disk. The service "web" with a CPU limit; the service "pinned" with CPUs of its own; in
/// the BestEffort directory a batch pod, one on lent resources, and a service. By the seed best effort is
/// suppressed by quota or by CPU set, and CPUs count for one or for more.
class OwnedNode : public ExecutorNode {
 public:
  OwnedNode(bool v2, Told told, unsigned seed);

  /// What happens to the node in a second that is not the agent's doing.
  void owners_act();
  /// One tick of the agent.
  void pass();
  /// The agent is killed, and the next one restores from the journal before it does anything else.
  void crash();
  void stop();

  void expect_best_effort_is_limited();
  /// In any minute: burst moves a quota each second, and its burst with it; nothing else changes by itself.
  void expect_few_writes() const;
  /// From some time on, in which contested values are written, nothing but burst writes on a node that is
  /// left alone and whose load does not change.
  void expect_rest_when_left_alone();
  /// That the agent holds something in each file that its policies are about.
  void expect_all_policies_act();
  [[nodiscard]] std::int64_t resizes() const { return resizes_; }

 private:
  static constexpr const char* kWebSlice =
      "kubepods.slice/kubepods-burstable.slice/kubepods-burstable-podweb.slice";
  static constexpr const char* kPinnedSlice = "kubepods.slice/kubepods-podpinned.slice";
  static constexpr const char* kPinnedScope =
      "kubepods.slice/kubepods-podpinned.slice/cri-containerd-pinned.scope";
  static constexpr const char* kLentSlice =
      "kubepods.slice/kubepods-besteffort.slice/kubepods-besteffort-podlent.slice";
  static constexpr Duration kPeriod = std::chrono::milliseconds(100);
  static constexpr double kRatio = 1.25;  ///< of normalization

  /// One file, and the text that its owner gave it.
  struct Owned {
    std::string path, file, text;
  };
  int below(int limit) { return static_cast<int>(random_() % static_cast<unsigned>(limit)); }
  bool chance(int percent) { return below(100) < percent; }
  [[nodiscard]] const char* quota_file() const { return v2_ ? "cpu.max" : "cpu.cfs_quota_us"; }
  [[nodiscard]] const char* shares_file() const { return v2_ ? "cpu.weight" : "cpu.shares"; }
  [[nodiscard]] const char* reads_file() const { return v2_ ? "io.max" : "blkio.throttle.read_bps_device"; }
  /// What that file holds of the only limit, in bytes per second; 0: none.
  [[nodiscard]] std::string reads_text(std::int64_t limit) const;
  [[nodiscard]] std::string text_of(MilliCpu limit) const;
  std::string quota(const std::string& path);
  int set_limit(const std::string& path, MilliCpu limit);

  // The node.
  void add_pods();
  void configure();
  void add_best_effort(const std::string& pod, const std::string& container);
  void list();
  void list_web();
  NodeSnapshot observed();
  [[nodiscard]] int longest_wait() const;
  void expect_all_is_the_owners(const char* when);
  void start_again();

  // The owners.
  void own(const std::string& path);
  void disown(const std::string& path);
  [[nodiscard]] bool web_runs() const { return kernel.has(container_); }
  bool make_container();
  void restart_container();
  void restart_batch_container();
  void ask_for_another_limit();
  void systemd_resets(const std::string& unit);
  void systemd_resets_quota(const std::string& unit);
  void daemon_reload();
  void resize_if_asked();
  void resize();
  void write_as_runc(const std::string& path, const char* file, const std::string& order,
                     const std::string& text);
  void write_cpus(const std::string& path);
  void write_reads(const std::string& path);
  void write_memory_high();
  void others_act();

  bool v2_;
  Told told_;
  bool by_cpuset_, normalized_;
  std::mt19937 random_, others_;
  std::shared_ptr<NodeSlo> slo_ = std::make_shared<NodeSlo>();
  std::shared_ptr<const DiskMap> disks_{};
  std::vector<Pod> pods_{};  ///< on lent resources, batch, service beside them, web, pinned
  std::shared_ptr<const std::vector<Pod>> pod_list_{};
  std::vector<Owned> owned_{};
  std::string container_{};
  int containers_ = 0;
  MilliCpu limit_{}, asked_{};  ///< of the container and its pod: carried out, and in the spec
  MilliCpu seen_by_kubelet_{};  ///< what it last read from the pod's cgroup
  int deferred_ = 0;            ///< for so many seconds more
  bool busy_ = true;
  bool short_of_memory_ = true;
  std::int64_t resizes_ = 0;
  int waiting_ = 0;  ///< seconds since the kernel first refused the kubelet's resize
  std::map<std::string, std::vector<MonoTime>> writes_{};
  decide::PolicyState state_{};
  std::optional<executor::Executor> running_holder_{};
  executor::Executor* running_ = &executor;
};

}  // namespace evenkeel::test
