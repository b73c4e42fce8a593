#include "agent/tick/observer.h"

#include <string_view>
#include <unordered_set>
#include <utility>

#include "collectors/per_cgroup/roster.h"

namespace evenkeel::tick {

Pods with_unlisted_pods(const Pods& before, const Pods& listed, const tree::CgroupTree& tree) {
  if (!before || !listed) return listed;
  std::unordered_set<std::string_view> named, alive;
  for (const Pod& pod : *listed) named.insert(pod.uid);
  for (const tree::Cgroup* cgroup : tree.all())
    if (cgroup->kind == CgroupKind::pod) alive.insert(cgroup->uid);
  std::vector<Pod> survivors;
  for (const Pod& pod : *before) {
    if (named.contains(pod.uid) || !alive.contains(pod.uid)) continue;
    survivors.push_back(pod);
    survivors.back().unlisted = true;
  }
  if (survivors.empty()) return listed;
  auto all = *listed;
  all.insert(all.end(), survivors.begin(), survivors.end());
  return std::make_shared<const std::vector<Pod>>(std::move(all));
}

void Roster::join() {
  const bool delivered = inputs_.state(inputs::Inputs::kPods).delivered;
  listed_ = delivered ? with_unlisted_pods(listed_, inputs_.pods(), tree_) : inputs_.pods();
  node_.object = inputs_.node();
  per_cgroup::build_roster(tree_, listed_, inputs_.slo(), node_);
  cpu_ratio_.inputs_changed(node_);
  names_.update(node_.pod_specs);
  newest_unknown_ = per_cgroup::newest_unknown_cgroup(node_);
}

void Roster::mark_stale(MonoTime now) {
  node_.pods_stale = inputs_.is_stale(inputs::Inputs::kPods, now);
  node_.object_stale = inputs_.is_stale(inputs::Inputs::kNode, now);
}

TreeScan::TreeScan(const Host& host, const inputs::Inputs& inputs, tree::CgroupTree& tree,
                   collectors::Sampler& sampler, bool watched)
    : inputs_(inputs), tree_(tree), sampler_(sampler) {
  if (!watched) return;
  if (auto watch = tree::TreeWatch::open(host)) watch_ = std::move(*watch);
}

void TreeScan::follow_host_applications() {
  std::vector<std::string> paths;
  for (const auto& app : inputs_.slo()->host_applications)
    paths.push_back(per_cgroup::host_application_path(app, tree_.layout()));
  tree_.follow(std::move(paths));
}

Changes TreeScan::changes(const inputs::Inputs::Changed& inputs) {
  const bool first = std::exchange(first_, false);
  if (inputs.nodeslo || first) follow_host_applications();
  tree::TreeWatch::Changes seen;
  if (watch_) seen = watch_->drain();
  if (seen.overflow) ++overflows_;
  for (const auto& value : seen.values) sampler_.settings_changed(value.cgroup);
  foreign_writes_ = std::move(seen.values);
  return {.inputs = inputs.any(),
          .tree = first || seen.tree || inputs.nodeslo || !watch_,
          .everywhere = !watch_ || !seen.tree || seen.anywhere || inputs.nodeslo,
          .grown = std::move(seen.grown)};
}

bool TreeScan::scan(Changes& changes) {
  const tree::CgroupDriver driver = tree_.layout().driver;
  const CgroupId newest = tree_.next_id();
  const bool changed = changes.everywhere ? tree_.scan() : tree_.scan(changes.grown);
  // A kubelet that starts late determines the naming of directories, including those of host applications.
  changes.everywhere = tree_.layout().driver != driver;
  if (changes.everywhere) follow_host_applications();
  if (changed) sampler_.follow(tree_);
  changes.grown = tree_.created_since(newest);
  return changed || changes.everywhere;
}

void TreeScan::scan_until_stable(Changes& changes) {
  for (int round = 0; round < kMaxRounds; ++round) {
    const bool changed = scan(changes);
    const bool watches_more = (changed || round == 0) && watch_new();
    if (!watch_ || (!changed && !watches_more)) return;
  }
}

std::vector<int> TreeScan::descriptors() const {
  if (!watch_) return {};
  std::vector<int> all = {watch_->inotify_fd()};
  if (watch_->fanotify_fd() >= 0) all.push_back(watch_->fanotify_fd());
  return all;
}

std::string TreeScan::limitation() const {
  return watch_ ? watch_->limitation() : "no watch: looked at in every tick";
}

namespace {

/// Files in a plain directory change without kernel events, so they are read in each tick.
collectors::SamplerOptions sampler_options(const Host& host, const tree::CgroupTree& tree, bool stepped) {
  const bool blind = stepped || !host.on_kernel_fs(tree.layout().root(Controller::cpu));
  return {.settings_every_tick = blind, .slow_files_every_tick = blind};
}

}  // namespace

Observer::Observer(const Host& host, tree::Layout layout, const inputs::Inputs& inputs, runtime::Log& log,
                   bool stepped)
    : tree_(host, std::move(layout)),
      sampler_(host, sampler_options(host, tree_, stepped)),
      figures_(log),
      scan_(host, inputs, tree_, sampler_, !stepped),
      roster_(inputs, tree_, node_, names_) {}

void Observer::read_back(const executor::Report& report) {
  for (const auto& write : report.writes) sampler_.settings_changed(write.cgroup.itself());
}

}  // namespace evenkeel::tick
