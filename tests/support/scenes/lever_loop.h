// The whole way from a snapshot to the kernel and back, without the program around it: pods that come and go,
// configurations that change, all policies, the arbiter, the executor, and the model of the kernel.
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

  /// Pods are born and die.
  void live();
  /// Another configuration, in which each section is on or off.
  void configure();
  void everything_off();
  /// One second: the pods use CPU and memory, everybody decides, the kernel gets it.
  executor::Report pass();
  /// Takes everything back.
  void restore_all();
  /// From now on every write to this file, or every read of it, fails so; 0 = no more.
  void fail_writes(const std::string& path, int code);
  void fail_reads(const std::string& path, int code);
  /// What stands in every file of the cgroups that live, and of the node, the groups of resctrl, and queues.
  [[nodiscard]] std::map<std::string, std::string> files();
  /// The same, as each was when its cgroup was born.
  [[nodiscard]] std::map<std::string, std::string> originals();
  [[nodiscard]] const NodeSnapshot& snapshot() const { return snapshot_; }
  [[nodiscard]] const std::vector<decide::Intent>& wishes() const { return wishes_; }
  [[nodiscard]] const resctrl::ResctrlCounters& resctrl_counters() const { return cache_.counters(); }
  /// What was asked of the network in an illegal state.
  [[nodiscard]] const std::vector<std::string>& broken_network() const { return network_.broken; }
  /// What resctrl was told since it was asked last.
  [[nodiscard]] std::string told_resctrl() { return resctrl_.taken(); }

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
  std::vector<decide::Intent> wishes_{};
  FakeResctrl::Machine machine_;
  FakeResctrl resctrl_;
  resctrl::ResctrlHand cache_;
  FakeNetwork network_{};
  network::NetworkHand queues_;
  std::map<std::string, std::vector<int>> tasks_{};  ///< by cgroup
  int next_task_ = 1000;
};

}  // namespace evenkeel::test
