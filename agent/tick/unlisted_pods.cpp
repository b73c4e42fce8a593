#include "agent/tick/unlisted_pods.h"

#include <string_view>
#include <unordered_set>

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

}  // namespace evenkeel::tick
