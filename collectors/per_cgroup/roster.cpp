#include "collectors/per_cgroup/roster.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "collectors/base/follow.h"
#include "qos/io/policies.h"

namespace evenkeel::per_cgroup {
namespace {

/// A join in progress: the tree, indexed by the keys of the pod list.
struct Join {
  const tree::CgroupTree& tree;
  NodeSnapshot& node;
  std::unordered_map<CgroupId, CgroupIndex> by_id{};
  std::unordered_map<std::string_view, CgroupIndex> pod_by_uid{};
  std::unordered_map<CgroupIndex, std::vector<CgroupIndex>> containers_of{};

  [[nodiscard]] const tree::Cgroup& cgroup(CgroupIndex index) const {
    return *tree.all()[static_cast<std::size_t>(index)];
  }
  [[nodiscard]] CgroupSample& sample(CgroupIndex index) const {
    return node.cgroups[static_cast<std::size_t>(index)];
  }
  [[nodiscard]] CgroupIndex at(const tree::Cgroup* found) const {
    if (!found) return kNoCgroup;
    const auto known = by_id.find(found->id);
    return known == by_id.end() ? kNoCgroup : known->second;
  }
};

/// Keeps measurements of cgroups that stay.
void place_cgroups(Join& join) {
  const auto& all = join.tree.all();
  collectors::follow(all, &CgroupSample::id, join.node.cgroups,
                     [](const tree::Cgroup&) { return CgroupSample{}; });
  join.by_id.reserve(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    CgroupSample& sample = join.node.cgroups[i];
    sample.id = all[i]->id;
    sample.kind = all[i]->kind;
    sample.path = all[i]->path;
    sample.hands_off = false;
    const auto parent = join.by_id.find(all[i]->parent);
    sample.parent = parent == join.by_id.end() ? kNoCgroup : parent->second;
    join.by_id.emplace(sample.id, static_cast<CgroupIndex>(i));
  }
}

void index_pods(Join& join) {
  for (std::size_t i = 0; i < join.tree.all().size(); ++i) {
    const auto index = static_cast<CgroupIndex>(i);
    const auto& cgroup = *join.tree.all()[i];
    if (cgroup.kind == CgroupKind::pod) join.pod_by_uid.emplace(cgroup.uid, index);
    if (cgroup.kind == CgroupKind::container) join.containers_of[join.sample(index).parent].push_back(index);
  }
}

Pod pod_from(const Join& join, CgroupIndex index) {
  const auto& cgroup = join.cgroup(index);
  Pod pod{.uid = cgroup.uid, .kube_qos = cgroup.qos, .phase = PodPhase::running, .from_cgroup_only = true};
  const auto found = join.containers_of.find(index);
  if (found == join.containers_of.end()) return pod;
  for (const auto container : found->second) {
    const auto& id = join.cgroup(container).container;
    pod.containers.push_back(Container{.name = id, .id = id, .running = true});
  }
  return pod;
}

/// The listed pods, and those found only in the tree.
std::shared_ptr<const std::vector<Pod>> all_pods(const Join& join,
                                                 std::shared_ptr<const std::vector<Pod>> listed) {
  std::unordered_set<std::string_view> named;
  if (listed)
    for (const auto& pod : *listed) named.insert(pod.uid);
  std::vector<CgroupIndex> strays;
  for (std::size_t i = 0; i < join.tree.all().size(); ++i) {
    const auto& cgroup = *join.tree.all()[i];
    if (cgroup.kind == CgroupKind::pod && named.insert(cgroup.uid).second)
      strays.push_back(static_cast<CgroupIndex>(i));
  }
  if (strays.empty() && listed) return listed;
  std::vector<Pod> all;
  all.reserve(strays.size() + (listed ? listed->size() : 0));
  if (listed) all = *listed;
  for (const auto index : strays) all.push_back(pod_from(join, index));
  return std::make_shared<const std::vector<Pod>>(std::move(all));
}

void add_containers(Join& join, const Pod& pod, CgroupIndex directory, std::int32_t pod_index) {
  std::vector<CgroupIndex> left;
  if (const auto found = join.containers_of.find(directory); found != join.containers_of.end())
    left = found->second;
  for (const auto& spec : pod.containers) {
    const auto mine = std::find_if(left.begin(), left.end(), [&](CgroupIndex index) {
      return !spec.id.empty() && join.cgroup(index).container == spec.id;
    });
    ContainerSample sample{.spec = &spec, .pod = pod_index};
    if (mine != left.end()) {
      sample.cgroup = *mine;
      left.erase(mine);
    }
    join.node.containers.push_back(sample);
  }
  for (const auto index : left) join.node.containers.push_back({.cgroup = index, .pod = pod_index});
}

void place_pods(Join& join) {
  auto& node = join.node;
  node.pods.clear();
  node.containers.clear();
  for (const auto& pod : *node.pod_specs) {
    const auto found = join.pod_by_uid.find(pod.uid);
    PodSample sample{.spec = &pod, .first_container = static_cast<std::int32_t>(node.containers.size())};
    if (found != join.pod_by_uid.end()) sample.cgroup = found->second;
    add_containers(join, pod, sample.cgroup, static_cast<std::int32_t>(node.pods.size()));
    sample.container_count = static_cast<std::int32_t>(node.containers.size()) - sample.first_container;
    node.pods.push_back(sample);
  }
}

void place_host_applications(Join& join) {
  join.node.host_applications.clear();
  if (!join.node.slo) return;
  for (const auto& app : join.node.slo->host_applications) {
    const auto path = host_application_path(app, join.tree.layout());
    const auto* cgroup = path.empty() ? nullptr : join.tree.find_path(path);
    join.node.host_applications.push_back({.spec = &app, .cgroup = join.at(cgroup)});
  }
}

/// Marks the pods that the operator's or the pod's settings exclude. Before the pod list is known, any pod
/// may be excluded.
void mark_hands_off(Join& join) {
  auto& cgroups = join.node.cgroups;
  const bool everything = join.node.slo && join.node.slo->evenkeel.hands_off;
  for (auto& sample : cgroups) sample.hands_off = everything;
  for (const auto& pod : join.node.pods)
    if ((pod.spec->hands_off || !join.node.pods_known) && pod.cgroup != kNoCgroup)
      join.sample(pod.cgroup).hands_off = true;
  for (auto& sample : cgroups)  // parents come first
    if ((sample.kind == CgroupKind::container || sample.kind == CgroupKind::subgroup) &&
        sample.parent != kNoCgroup)
      sample.hands_off = sample.hands_off || join.sample(sample.parent).hands_off;
}

/// Marks cgroups with a disk latency target, and their ancestors.
void mark_latencies(Join& join) {
  auto& node = join.node;
  if (node.slo == nullptr) return;
  for (const auto& pod : node.pods) {
    if (std::ranges::none_of(io::latency_blocks(*pod.spec, *node.slo), io::has_target)) continue;
    for (auto at = pod.cgroup; at != kNoCgroup && at != node.kubepods; at = join.sample(at).parent)
      if (!join.sample(at).hands_off) join.sample(at).disks_matter = true;
  }
}

/// Marks cgroups with disk limits.
void mark_disks(Join& join) {
  auto& node = join.node;
  for (auto& sample : node.cgroups) sample.disks_matter = false;
  const auto mark = [&join](CgroupIndex index) {
    if (index != kNoCgroup && !join.sample(index).hands_off) join.sample(index).disks_matter = true;
  };
  const auto* blkio = node.slo && node.slo->qos.be.blkio ? &*node.slo->qos.be.blkio : nullptr;
  const bool suppresses = node.slo && node.slo->evenkeel.disk_suppress.enable;
  if (suppresses || (blkio != nullptr && blkio->enable && !blkio->blocks.empty())) mark(node.besteffort);
  for (const auto& pod : node.pods)
    if (!pod.spec->blocks.empty()) mark(pod.cgroup);
  if (node.v2_io) return mark_latencies(join);
  // There a limit applies only to the processes of that very cgroup, so its descendants need it too.
  for (auto& sample : node.cgroups)  // parents come first
    if (sample.parent != kNoCgroup && join.sample(sample.parent).disks_matter) sample.disks_matter = true;
}

void place_qos_dirs(Join& join) {
  const auto& layout = join.tree.layout();
  auto& node = join.node;
  node.v2_cpu = layout.v2(Controller::cpu);
  node.v2_io = layout.v2(Controller::blkio);
  node.kubepods = join.at(join.tree.find_path(layout.kubepods()));
  node.burstable = join.at(join.tree.find_path(layout.qos_dir(KubeQos::burstable)));
  node.besteffort = join.at(join.tree.find_path(layout.qos_dir(KubeQos::besteffort)));
}

}  // namespace

void build_roster(const tree::CgroupTree& tree, std::shared_ptr<const std::vector<Pod>> pods,
                  std::shared_ptr<const NodeSlo> slo, NodeSnapshot& node) {
  Join join{tree, node};
  place_cgroups(join);
  index_pods(join);
  place_qos_dirs(join);
  node.pods_known = pods != nullptr;
  node.pod_specs = all_pods(join, std::move(pods));
  node.slo = std::move(slo);
  place_pods(join);
  place_host_applications(join);
  mark_hands_off(join);
  mark_disks(join);
}

CgroupId newest_unknown_cgroup(const NodeSnapshot& node) {
  CgroupId youngest{};
  const auto see = [&](CgroupIndex index) {
    if (const auto* sample = node.cgroup(index)) youngest.value = std::max(youngest.value, sample->id.value);
  };
  for (const auto& pod : node.pods)
    if (pod.spec->from_cgroup_only) see(pod.cgroup);
  for (const auto& container : node.containers)
    if (container.spec == nullptr ||
        node.pods[static_cast<std::size_t>(container.pod)].spec->from_cgroup_only)
      see(container.cgroup);
  return youngest;
}

}  // namespace evenkeel::per_cgroup
