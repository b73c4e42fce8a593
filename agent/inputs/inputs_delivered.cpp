// Accepts what servers deliver: lists and objects as they arrive, and failures when none does.
#include <algorithm>
#include <utility>

#include "agent/inputs/inputs.h"

namespace evenkeel::inputs {
namespace {

/// After this many intervals without an answer a value is stale.
constexpr int kMissed = 3;
/// An API server confirms a watched list about once a minute.
constexpr Duration kWatchConfirmed = std::chrono::minutes(1);
/// A forced replacement deletes the object for a moment.
constexpr Duration kGrace = std::chrono::seconds(30);
constexpr const char* kStillInForce = " was deleted: its settings stay in force for 30 s";
constexpr const char* kOff = " does not exist: the defaults apply until it appears";

}  // namespace

void Inputs::deliver(pods::PodList list, MonoTime now) {
  if (!list.problems.empty()) return trouble(kPods, list.problems.front().text());
  // Most lists equal the last one; then nothing has to be joined again.
  const bool same = pods_.listed && sources_[kPods].state.loaded && *pods_.listed == list.pods;
  if (!same) pods_.listed = std::make_shared<const std::vector<Pod>>(std::move(list.pods));
  accepted(kPods, now, std::move(list.notices), delivered_);
  sources_[kPods].state.origin = std::move(list.origin);
  delivered_.pods = delivered_.pods || !same;
}

void Inputs::deliver(pods::NodeFile node, MonoTime now) {
  if (!node.problems.empty()) return trouble(kNode, node.problems.front().text());
  delivered_.node = delivered_.node || !(node_ == node.node);
  node_ = std::move(node.node);
  accepted(kNode, now, std::move(node.notices), delivered_);
}

void Inputs::deliver(config::NodeSloConfig config, MonoTime now) {
  const auto& state = sources_[kNodeSlo].state;
  const bool back = std::exchange(nodeslo_absent_, false) && state.usable;
  nodeslo_gone_.reset();
  accept(std::move(config), now, delivered_);
  if (back && state.usable) delivered_.recovered.push_back(state.name);
}

void Inputs::nodeslo_absent(MonoTime now) {
  sources_[kNodeSlo].refusal.clear();
  if (std::exchange(nodeslo_absent_, true)) return confirmed(kNodeSlo, now);
  const bool in_force = state(kNodeSlo).loaded.has_value();
  if (in_force) nodeslo_gone_ = now;
  accepted(kNodeSlo, now, {options_.nodeslo_object + (in_force ? kStillInForce : kOff)}, delivered_);
  delivered_.gone.push_back(sources_[kNodeSlo].state.notices.front());
}

/// A deleted object stays in force for a limited time only.
void Inputs::abandon_source(MonoTime now) {
  if (!nodeslo_gone_ || now - *nodeslo_gone_ < kGrace) return;
  nodeslo_gone_.reset();
  put_in_force(NodeSlo{}, delivered_);
  auto& notices = sources_[kNodeSlo].state.notices;
  notices = {options_.nodeslo_object + kOff};
  delivered_.gone.push_back(notices.front());
}

void Inputs::confirmed(Which which, MonoTime now) {
  auto& source = sources_[which];
  if (!source.refusal.empty()) {
    source.state.error = source.refusal;  // the only remaining problem
    return;
  }
  if (!source.state.loaded) return;
  if (!std::exchange(source.state.usable, true)) delivered_.recovered.push_back(source.state.name);
  source.state.error.clear();
  source.state.loaded = now;
}

void Inputs::pods_from(const std::string& url, const std::string& why) {
  sources_[kPods].state.path = url;
  delivered_.moved.push_back("pods: from now on " + url + ", since " + why);
}

void Inputs::trouble(Which which, const std::string& why) {
  auto& state = sources_[which].state;
  const std::string text = state.path + ": " + why;
  if (state.usable || state.error != text) {
    failed(which, text, delivered_);
  } else {
    ++state.failures;
  }
  if (which == kPods) fall_back_to_tree();
}

bool Inputs::pods_are_watched() const {
  return !options_.pods.api.empty() && state(kPods).path == options_.pods.api;
}

/// --pods auto: as long as no server has ever answered, the cgroup tree says which pods there are.
void Inputs::fall_back_to_tree() {
  const bool last_server = options_.pods.api.empty() || pods_are_watched();
  if (options_.pods.kind != PodsSource::Kind::automatic || pods_.listed || !last_server) return;
  auto& state = sources_[kPods].state;
  pods_.listed = std::make_shared<const std::vector<Pod>>();
  state.fallback = "the cgroup tree";
  delivered_.moved.push_back("pods: from now on " + state.fallback + ", since " + state.error);
  delivered_.pods = true;
}

bool Inputs::is_stale(Which which, MonoTime now) const {
  constexpr Duration kAtLeast = std::chrono::seconds(30);
  const auto& state = sources_[which].state;
  if (which == kNodeSlo || !state.delivered || !state.loaded) return false;
  if (which == kNode) return now - *state.loaded > options_.node_interval * kMissed;
  // A watch that stands is confirmed seldom; of one that does not, as little is known as of a silent kubelet.
  const bool watched = pods_are_watched() && state.usable;
  const Duration interval = watched ? kWatchConfirmed : options_.pods_interval;
  return now - *state.loaded > std::max(kAtLeast, interval * kMissed);
}

}  // namespace evenkeel::inputs
