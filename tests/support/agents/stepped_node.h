// A fake node and the agent in stepped mode on it: the agent's files beside the node, the command line that
// brings both together, and seconds that pass for both.
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

  /// nodeslo.yaml as it is from now on. Returns its path.
  std::string configure(const std::string& nodeslo) const;
  /// pods.json as it is from now on. Returns what --pods takes for it.
  std::string pod_list(const std::string& text) const;
  /// Another file of the agent. Returns its path.
  std::string extra(const std::string& name, const std::string& text) const { return write(name, text); }
  [[nodiscard]] std::string state_dir() const { return host.root() + "-state"; }

  /// The command line of `evenkeel run --stepped` here.
  [[nodiscard]] std::vector<std::string> args(const std::string& pods = "cgroup") const;
  /// So many seconds pass, each of them seen by the agent. Returns the last one's answer.
  Step seconds(int count, SteppedAgent& agent);
  Step second(SteppedAgent& agent) { return seconds(1, agent); }
  /// `evenkeel restore` here.
  [[nodiscard]] Ran restore() const;

 private:
  std::string write(const std::string& name, const std::string& text) const;
};

/// Sixteen CPUs, one pod that serves and one of best effort, each with at least one container.
struct TwoPods : SteppedNode {
  using Ids = std::vector<std::string>;
  TwoPods(Kernel kernel, const std::string& nodeslo, const Ids& service_containers = {"aaa"},
          const Ids& batch_containers = {"bbb"});
  /// Of the service's first container.
  void service_uses(MilliCpu cpu) { uses(service + "/aaa", cpu); }

  std::string service, batch;  ///< the pods' cgroups
};

/// For tests that run on both kernels.
std::string kernel_name(const testing::TestParamInfo<FakeNode::Kernel>& kernel);

}  // namespace evenkeel::test
