// Runs the loop from snapshot to kernel and back without the rest of the program: changing pods and
// configurations, all policies, the arbiter, the executor, and the kernel model.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "cgroup/network/writer.h"
#include "cgroup/resctrl/writer.h"
#include "qos/registry.h"
#include "tests/support/fakes/fake_network.h"
#include "tests/support/fakes/fake_resctrl.h"
#include "tests/support/scenes/executor_node.h"

namespace evenkeel::test {

class LeverLoop : public ExecutorNode {
 public:
  LeverLoop(bool v2, unsigned seed);

  /// Creates and removes pods.
  void live();
  /// Draws another configuration, in which each section is on or off.
  void configure();
  void everything_off();
  /// One second: the pods use CPU and memory, the policies decide, and the executor writes.
  executor::Report pass();
  /// Restores all values.
  void restore_all();
  /// From now on every write to this file, or every read of it, fails with `code`; 0 = no failure.
  void fail_writes(const std::string& path, int code);
  void fail_reads(const std::string& path, int code);
  /// The contents of all files of existing cgroups and the node, of resctrl groups, and queues.
  [[nodiscard]] std::map<std::string, std::string> files();
  /// The same, with the values at the creation of each cgroup.
  [[nodiscard]] std::map<std::string, std::string> originals();
  [[nodiscard]] const NodeSnapshot& snapshot() const { return snapshot_; }
  [[nodiscard]] const std::vector<decide::Intent>& plan() const { return plan_; }
  [[nodiscard]] const resctrl::ResctrlCounters& resctrl_counters() const { return cache_.counters(); }
  /// Network requests that were invalid in the current state.
  [[nodiscard]] const std::vector<std::string>& broken_network() const { return network_.broken; }
  /// resctrl's changes since the last call.
  [[nodiscard]] std::string resctrl_report() { return resctrl_.taken(); }

 private:
  int below(int limit) { return static_cast<int>(random_() % static_cast<unsigned>(limit)); }
  bool chance(int percent) { return below(100) < percent; }
  Block block();
  ResctrlPart part();
  NetworkQos bandwidth();
  std::string born(int number);
  void add_tasks(const std::string& path);
  void end_tasks(const std::string& path);
  void measure();

  bool v2_;
  std::mt19937 random_;
  int next_pod_ = 0;
  std::vector<Pod> pods_{};
  std::vector<std::string> paths_{};  ///< of pods_
  std::shared_ptr<NodeSlo> slo_ = std::make_shared<NodeSlo>();
  std::optional<double> ratio_{};  ///< of CPU normalization
  std::map<std::string, std::string> born_{};
  std::shared_ptr<const NetworkLink> link_{};
  NodeSnapshot snapshot_{};
  decide::PolicyState state_{};
  decide::Intents intents_{};
  std::vector<decide::Intent> plan_{};
  FakeResctrl::Machine machine_;
  FakeResctrl resctrl_;
  resctrl::ResctrlGroupWriter cache_;
  FakeNetwork network_{};
  network::NetworkWriter queues_;
  std::map<std::string, std::vector<int>> tasks_{};  ///< by cgroup
  int next_task_ = 1000;
};

}  // namespace evenkeel::test
