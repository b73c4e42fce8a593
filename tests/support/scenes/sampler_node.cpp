#include "tests/support/scenes/sampler_node.h"

#include <algorithm>
#include <stdexcept>

namespace evenkeel::test {

void SampledNode::start(collectors::SamplerOptions options) {
  host_.emplace(std::move(*Host::open(fake.root())));
  tree_.emplace(*host_, *tree::detect_layout(*host_, ""));
  sampler_.emplace(*host_, options);
  rescan();
}

void SampledNode::rescan() {
  tree_->scan();
  per_cgroup::build_roster(*tree_, pods, slo, node);
  sampler_->follow(*tree_);
}

NodeSnapshot& SampledNode::tick(Duration step) {
  now_ += step;
  sampler_->collect(node, now_);
  return node;
}

const CgroupSample& SampledNode::at(const std::string& path) const {
  const auto found = std::find_if(node.cgroups.begin(), node.cgroups.end(),
                                  [&](const CgroupSample& sample) { return sample.path == path; });
  if (found == node.cgroups.end()) throw std::runtime_error("no sample of " + path);
  return *found;
}

}  // namespace evenkeel::test
