#include "qos/model/provisioning.h"

#include <algorithm>

namespace evenkeel {

bool has_default_shares(const NodeSnapshot& node, const CgroupSample& cgroup) {
  constexpr std::int64_t kDefaultV1 = 1024, kDefaultV2 = 100;
  return cgroup.applied.cpu_shares == (node.v2_cpu ? kDefaultV2 : kDefaultV1);
}

bool being_made(const NodeSnapshot& node, const PodSample& pod) {
  const CgroupSample* cgroup = node.cgroup(pod.cgroup);
  if (!cgroup || !has_default_shares(node, *cgroup)) return false;
  const auto containers = node.containers_of(pod);
  return std::none_of(containers.begin(), containers.end(),
                      [](const ContainerSample& container) { return container.cgroup != kNoCgroup; });
}

bool being_made(const NodeSnapshot& node, const CgroupSample& cgroup) {
  return has_default_shares(node, cgroup) && !cgroup.cpu_use;
}

}  // namespace evenkeel
