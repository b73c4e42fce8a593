#include "agent/tick/tree_scan.h"

#include <utility>

#include "collectors/per_cgroup/roster.h"

namespace evenkeel::tick {

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

}  // namespace evenkeel::tick
