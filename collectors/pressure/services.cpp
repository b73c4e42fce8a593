#include "collectors/pressure/services.h"

namespace evenkeel::pressure {

std::vector<CgroupIndex> latency_sensitive(const NodeSnapshot& node) {
  std::vector<CgroupIndex> all;
  for (const auto& pod : node.pods)
    if (pod.cgroup != kNoCgroup && !is_best_effort(*pod.spec)) all.push_back(pod.cgroup);
  for (const auto& app : node.host_applications)
    if (app.cgroup != kNoCgroup && app.spec->qos != QosClass::be) all.push_back(app.cgroup);
  return all;
}

}  // namespace evenkeel::pressure
