// A node whose files have other owners beside the agent: a kubelet that resizes pods in place, systemd that
// resets its units, runtimes that make containers anew. The agent decides with all policies, and is stopped
// or killed.
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

/// Eight CPUs. The service "web" with a CPU limit; in the BestEffort directory a batch pod, one on lent
/// resources, and a service.
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
  /// That the agent holds something in each file that its policies are about.
  void expect_all_policies_act();
  [[nodiscard]] std::int64_t resizes() const { return resizes_; }

 private:
  /// One file, and the text that its owner gave it.
  struct Owned {
    std::string path, file, text;
  };
  int below(int limit) { return static_cast<int>(random_() % static_cast<unsigned>(limit)); }
  bool chance(int percent) { return below(100) < percent; }
  [[nodiscard]] const char* quota_file() const { return v2_ ? "cpu.max" : "cpu.cfs_quota_us"; }
  [[nodiscard]] const char* shares_file() const { return v2_ ? "cpu.weight" : "cpu.shares"; }
  [[nodiscard]] std::string text_of(MilliCpu limit) const;
  std::string quota(const std::string& path);
  int set_web(const std::string& path, MilliCpu limit);
  void add_best_effort(const std::string& pod, const std::string& container);
  void own(const std::string& path);
  void make_container();
  void restart_container();
  void ask_for_another_limit();
  void systemd_resets(const std::string& unit);
  void systemd_resets_quota(const std::string& unit);
  void daemon_reload();
  void resize();
  void list();
  void list_web();
  NodeSnapshot observed();
  [[nodiscard]] int longest_wait() const;
  void expect_all_is_the_owners(const char* when);
  void start_again();

  bool v2_;
  Told told_;
  std::mt19937 random_;
  std::shared_ptr<NodeSlo> slo_ = std::make_shared<NodeSlo>();
  std::vector<Pod> pods_{};  ///< on lent resources, batch, service beside them, web
  std::shared_ptr<const std::vector<Pod>> pod_list_{};
  std::vector<Owned> owned_{};
  std::string container_{};
  int containers_ = 0;
  MilliCpu limit_{}, asked_{};  ///< of the container and its pod: carried out, and in the spec
  MilliCpu seen_by_kubelet_{};  ///< what it last read from the pod's cgroup
  int deferred_ = 0;            ///< for so many seconds more
  bool busy_ = true;
  std::int64_t resizes_ = 0;
  int waiting_ = 0;  ///< seconds since the kernel first refused the kubelet's resize
  std::map<std::string, std::vector<MonoTime>> writes_{};
  decide::PolicyState state_{};
  std::optional<executor::Executor> running_holder_{};
  executor::Executor* running_ = &executor;
};

}  // namespace evenkeel::test
