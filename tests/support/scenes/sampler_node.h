// A fake node with the agent's read side (host, tree, roster and sampler), in steps of seconds that only the
// test advances.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cgroup/tree/tree.h"
#include "collectors/per_cgroup/roster.h"
#include "collectors/sampler.h"
#include "tests/support/fakes/fake_host.h"

namespace evenkeel::test {

class SampledNode {
 public:
  /// Set up `fake` first (machine, hierarchy, kubepods, pods), then call start().
  FakeHost fake{};
  void start(collectors::SamplerOptions options = {});
  /// Scans the tree and rebuilds the roster, whether or not anything changed.
  void rescan();
  /// Advances the clock and collects.
  NodeSnapshot& tick(Duration step = std::chrono::seconds(1));

  /// The sample of a cgroup by its path.
  [[nodiscard]] const CgroupSample& at(const std::string& path) const;
  [[nodiscard]] collectors::Sampler& sampler() { return *sampler_; }
  [[nodiscard]] tree::CgroupTree& tree() { return *tree_; }

  NodeSnapshot node{};
  std::shared_ptr<const std::vector<Pod>> pods{};
  std::shared_ptr<const NodeSlo> slo = std::make_shared<const NodeSlo>();

 private:
  std::optional<Host> host_{};
  std::optional<tree::CgroupTree> tree_{};
  std::optional<collectors::Sampler> sampler_{};
  MonoTime now_{std::chrono::hours(1)};
};

}  // namespace evenkeel::test
