// Maps cgroups to the pods that they belong to, named "namespace/name". Does not read anything: the roster
// gives it the pods.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "cgroup/tree/tree.h"
#include "qos/model/pod.h"

namespace evenkeel::record {

class PodNames {
 public:
  /// `tree` must outlive it.
  explicit PodNames(const tree::CgroupTree& tree) : tree_(tree) {}
  /// The roster changed. `pods` is not null.
  void update(std::shared_ptr<const std::vector<Pod>> pods);

  /// The uid of the pod that a cgroup belongs to; empty: it belongs to none.
  [[nodiscard]] std::string_view uid_of(CgroupId cgroup) const;
  /// Null: no pod with this uid has a name.
  [[nodiscard]] const Pod* find_pod(std::string_view uid) const;
  /// "namespace/name" of a cgroup's pod, its uid where only the directory is known; empty: no pod.
  [[nodiscard]] std::string pod_name(CgroupId cgroup) const;
  /// The same for a uid.
  [[nodiscard]] std::string pod_name_of_uid(std::string_view uid) const;
  /// pod_name(), or the path of a cgroup that belongs to no pod.
  [[nodiscard]] std::string display_name(CgroupId cgroup) const;

 private:
  const tree::CgroupTree& tree_;
  std::shared_ptr<const std::vector<Pod>> pods_{};
  std::unordered_map<std::string_view, const Pod*> by_uid_{};  ///< into pods_
};

}  // namespace evenkeel::record
