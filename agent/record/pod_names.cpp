#include "agent/record/pod_names.h"

#include <utility>

namespace evenkeel::record {

void PodNames::update(std::shared_ptr<const std::vector<Pod>> pods) {
  by_uid_.clear();
  pods_ = std::move(pods);
  for (const Pod& pod : *pods_) by_uid_.emplace(pod.uid, &pod);
}

std::string_view PodNames::uid_of(CgroupId id) const {
  const tree::Cgroup* cgroup = tree_.find(id.itself());
  return cgroup != nullptr ? std::string_view(cgroup->uid) : std::string_view();
}

const Pod* PodNames::find_pod(std::string_view uid) const {
  const auto found = by_uid_.find(uid);
  return found != by_uid_.end() && !found->second->name.empty() ? found->second : nullptr;
}

std::string PodNames::pod_name(CgroupId id) const { return pod_name_of_uid(uid_of(id)); }

std::string PodNames::pod_name_of_uid(std::string_view uid) const {
  const Pod* pod = find_pod(uid);
  return pod != nullptr ? pod->namespace_ + "/" + pod->name : std::string(uid);
}

std::string PodNames::display_name(CgroupId id) const {
  const tree::Cgroup* cgroup = tree_.find(id.itself());
  if (cgroup == nullptr) return id ? "gone" : "system";
  return cgroup->uid.empty() ? cgroup->path : pod_name_of_uid(cgroup->uid);
}

}  // namespace evenkeel::record
