// Which cgroups of a node are services: pods and host applications that are not best effort.
#pragma once

#include "qos/model/snapshot.h"

namespace evenkeel::decide {

/// Calls f(index) for the cgroup of each service; kNoCgroup where it has none.
template <class F>
void for_each_service(const NodeSnapshot& node, F&& f) {
  for (const PodSample& pod : node.pods)
    if (!is_best_effort(*pod.spec)) f(pod.cgroup);
  for (const HostApplicationSample& app : node.host_applications)
    if (app.spec->qos != QosClass::be) f(app.cgroup);
}

}  // namespace evenkeel::decide
