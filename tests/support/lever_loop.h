// The whole way from a snapshot to the kernel and back, without the program around it: pods that come and go,
// configurations that change, all policies, the arbiter, the executor, and the model of the kernel.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "qos/policy.h"
#include "tests/support/executor_node.h"

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
  Report pass();
  /// What stands in every file of the cgroups that live, and of the node.
  [[nodiscard]] std::map<std::string, std::string> files();
  /// The same, as each was when its cgroup was born.
  [[nodiscard]] std::map<std::string, std::string> originals();
  [[nodiscard]] const NodeSnapshot& snapshot() const { return snapshot_; }
  [[nodiscard]] const std::vector<Intent>& wishes() const { return wishes_; }

 private:
  int below(int limit) { return static_cast<int>(random_() % static_cast<unsigned>(limit)); }
  bool chance(int percent) { return below(100) < percent; }
  Block block();
  std::string born(int number);
  void measure();

  bool v2_;
  std::mt19937 random_;
  int next_pod_ = 0;
  std::vector<Pod> pods_{};
  std::vector<std::string> paths_{};  ///< of pods_
  std::shared_ptr<NodeSlo> slo_ = std::make_shared<NodeSlo>();
  std::optional<double> ratio_{};  ///< of CPU normalization
  std::map<std::string, std::string> born_{};
  NodeSnapshot snapshot_{};
  PolicyState state_{};
  Intents intents_{};
  std::vector<Intent> wishes_{};
};

}  // namespace evenkeel::test
