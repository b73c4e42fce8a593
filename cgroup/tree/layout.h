// Detects where the cgroup hierarchies are and how the kubelet names its directories, by reading the real
// tree.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cgroup/base/host.h"
#include "qos/model/knob.h"
#include "qos/model/pod.h"

namespace evenkeel::tree {

enum class CgroupVersion : std::uint8_t { v1, v2, hybrid };
enum class CgroupDriver : std::uint8_t { cgroupfs, systemd };
const char* name(CgroupVersion version);
const char* name(CgroupDriver driver);

struct Layout {
  CgroupVersion version = CgroupVersion::v1;
  CgroupDriver driver = CgroupDriver::cgroupfs;
  /// Per controller: its hierarchy's directory, relative to the host root ("sys/fs/cgroup/cpu,cpuacct");
  /// empty where no hierarchy has it. On v2 all are the unified root, whether or not the controller is
  /// enabled further down.
  std::array<std::string, kControllerCount> roots{};
  std::array<bool, kControllerCount> on_v2{};
  std::string unified{};      ///< the cgroup2 mount (PSI of a hybrid host is there); empty on pure v1
  std::string cgroup_root{};  ///< the kubelet's --cgroup-root, relative ("" or "a/b")

  [[nodiscard]] const std::string& root(Controller c) const { return roots[static_cast<std::size_t>(c)]; }
  [[nodiscard]] bool v2(Controller c) const { return on_v2[static_cast<std::size_t>(c)]; }
  /// The hierarchy that determines which cgroups exist: cpu's, or the first that exists.
  [[nodiscard]] const std::string& primary() const;
  /// Every hierarchy's directory once, the primary one first, the unified one included.
  [[nodiscard]] std::vector<std::string> hierarchies() const;
  /// "kubepods.slice" or "kubepods", below cgroup_root.
  [[nodiscard]] std::string kubepods() const;
  /// Where kubepods may appear, whichever driver the kubelet uses.
  [[nodiscard]] std::vector<std::string> kubepods_candidates() const;
  /// The directory of a QoS class: kubepods itself for guaranteed.
  [[nodiscard]] std::string qos_dir(KubeQos qos) const;
};

/// Reads sys/fs/cgroup below the host's root. Fails only if there is no cgroup
/// file system at all. `cgroup_root` is the kubelet's flag of that name ("" or "/a/b").
Result<Layout> detect_layout(const Host& host, std::string_view cgroup_root);

/// Detects again how the kubelet names its directories, since it may start after the agent. Returns whether
/// the layout changed.
bool detect_driver(const Host& host, Layout& layout);

/// Whether this directory of a hierarchy (one of Layout::hierarchies()) is its root, and not the cgroup that
/// a container sees as the root.
bool is_true_root(const Host& host, const Layout& layout, const std::string& hierarchy);

/// What a directory below kubepods is, judged by its name alone.
struct PodDirName {
  std::string uid{};  ///< with '-' as in the API
};
std::optional<PodDirName> parse_pod_dir(std::string_view name);
/// The container id in a directory name: "cri-containerd-<id>.scope", "crio-<id>.scope", "docker-<id>.scope",
/// "pouch-<id>.scope", or a bare id (cgroupfs). Absent for anything else ("crio-conmon-…", "init.scope").
std::optional<std::string> parse_container_dir(std::string_view name);

/// Whether a directory of this name is a pod's or a QoS class's, in whatever directory it is: the kubelet may
/// have made one in kubepods that is not known here ("kubepods-system-pod<uid>.slice", "burstable").
bool is_of_pods(std::string_view name);
/// How the kubelet would name the directories of the two QoS classes in this directory.
std::array<std::string, 2> qos_dir_names(std::string_view dir);

/// crun puts the processes of a container into a cgroup of this name inside of the container's scope, and
/// writes the limits there as well (cgroup v2, systemd driver; `run.oci.systemd.subgroup` in crun(1)).
inline constexpr std::string_view kSubgroupDir = "container";
/// Whether a container's directory may have that one in it.
bool may_have_subgroup(const Layout& layout, std::string_view container_dir);

/// Whether systemd manages the cgroup: its name is that of a unit (".slice", ".scope", ".service").
bool is_systemd_unit(std::string_view dir);

}  // namespace evenkeel::tree
