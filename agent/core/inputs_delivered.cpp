// What servers deliver: lists and objects that are taken as they come, and the trouble when none comes.
#include <algorithm>

#include "agent/core/inputs.h"

namespace evenkeel {

void Inputs::deliver(PodList list, MonoTime now) {
  if (!list.problems.empty()) return pods_trouble(list.problems.front().text());
  // Most lists say what the last one said; then there is nothing to join anew.
  const bool same = pods_ && sources_[kPods].state.loaded && *pods_ == list.pods;
  if (!same) pods_ = std::make_shared<const std::vector<Pod>>(std::move(list.pods));
  taken(kPods, now, std::move(list.notices), delivered_);
  delivered_.pods = delivered_.pods || !same;
}

void Inputs::deliver(NodeFile node, MonoTime now) {
  if (!node.problems.empty()) return node_trouble(node.problems.front().text());
  delivered_.node = delivered_.node || !(node_ == node.node);
  node_ = std::move(node.node);
  taken(kNode, now, std::move(node.notices), delivered_);
}

void Inputs::trouble(Which which, const std::string& why) {
  auto& state = sources_[which].state;
  const std::string text = state.path + ": " + why;
  if (state.good || state.error != text) return failed(which, text, delivered_);
  ++state.failures;
}

void Inputs::pods_trouble(const std::string& why) {
  trouble(kPods, why);
  if (options_.pods.kind != PodsSource::Kind::automatic || pods_) return;
  pods_ = std::make_shared<const std::vector<Pod>>();
  sources_[kPods].state.stand_in = "the cgroup tree";
  delivered_.pods = true;
}

void Inputs::node_trouble(const std::string& why) { trouble(kNode, why); }

bool Inputs::pods_stale(MonoTime now) const {
  constexpr Duration kAtLeast = std::chrono::seconds(30);
  constexpr int kMissed = 3;
  if (!options_.pods.delivered() || !sources_[kPods].state.loaded) return false;
  return now - *sources_[kPods].state.loaded > std::max(kAtLeast, options_.pods_interval * kMissed);
}

}  // namespace evenkeel
