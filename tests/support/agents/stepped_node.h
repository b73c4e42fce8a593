// A fake node with the agent in stepped mode: the agent's files, the command line, and a clock that advances
// for both.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/agents/stepped_agent.h"
#include "tests/support/fakes/fake_node.h"

namespace evenkeel::test {

class SteppedNode : public FakeNode {
 public:
  SteppedNode(int cpus, Kernel kernel, const std::string& nodeslo, bool kubelet = true);
  ~SteppedNode();
  SteppedNode(const SteppedNode&) = delete;
  SteppedNode& operator=(const SteppedNode&) = delete;

  /// Replaces nodeslo.yaml. Returns its path.
  std::string configure(const std::string& nodeslo) const;
  /// Replaces pods.json. Returns the argument for --pods.
  std::string pod_list(const std::string& text) const;
  /// Writes another file of the agent. Returns its path.
  std::string extra(const std::string& name, const std::string& text) const { return write(name, text); }
  [[nodiscard]] std::string state_dir() const { return host.root() + "-state"; }

  /// The command line of `evenkeel run --stepped` for this node.
  [[nodiscard]] std::vector<std::string> args(const std::string& pods = "cgroup") const;
  /// Advances by that many one-second ticks. Returns the last tick's answer.
  Step seconds(int count, SteppedAgent& agent);
  Step second(SteppedAgent& agent) { return seconds(1, agent); }
  /// Runs `evenkeel restore` for this node.
  [[nodiscard]] Ran restore() const;

 private:
  std::string write(const std::string& name, const std::string& text) const;
};

/// Sixteen CPUs, one service pod and one best-effort pod, each with at least one container.
struct TwoPods : SteppedNode {
  using Ids = std::vector<std::string>;
  TwoPods(Kernel kernel, const std::string& nodeslo, const Ids& service_containers = {"aaa"},
          const Ids& batch_containers = {"bbb"});
  /// Sets the use of the service's first container.
  void service_uses(MilliCpu cpu) { uses(service + "/aaa", cpu); }

  std::string service, batch;  ///< the pods' cgroups
};

/// For tests that run on both cgroup versions.
std::string kernel_name(const testing::TestParamInfo<FakeNode::Kernel>& kernel);

}  // namespace evenkeel::test
