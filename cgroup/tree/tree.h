// The table of known cgroups: kubepods, its QoS directories, pods, containers with their subgroups, and the
// host applications, each with an id that is never reused; and a walk through the cgroups that a container
// creates for itself. Does not read statistics or settings.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "cgroup/base/host.h"
#include "cgroup/base/result.h"
#include "cgroup/tree/layout.h"
#include "qos/model/ids.h"
#include "qos/model/snapshot.h"

namespace evenkeel::tree {

struct Cgroup {
  CgroupId id{};
  CgroupId parent{};
  CgroupKind kind = CgroupKind::pod;
  KubeQos qos = KubeQos::guaranteed;  ///< for pods: the QoS class's directory that it is in
  std::string path{};       ///< relative to a hierarchy's root ("kubepods/besteffort/pod1"), no leading slash
  std::string uid{};        ///< pods and all in them: the pod's uid
  std::string container{};  ///< containers and their subgroups: the id in the directory name
  std::uint64_t inode = 0;  ///< of the directory in the primary hierarchy (cpu on v1, unified on v2)
  int depth = 0;            ///< components of path
};

/// The known cgroups by path, each with its path once.
struct CgroupHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view path) const { return std::hash<std::string_view>()(path); }
  std::size_t operator()(const Cgroup& cgroup) const { return (*this)(cgroup.path); }
};
struct SamePath {
  using is_transparent = void;
  bool operator()(const Cgroup& a, const Cgroup& b) const { return a.path == b.path; }
  bool operator()(const Cgroup& a, std::string_view b) const { return a.path == b; }
  bool operator()(std::string_view a, const Cgroup& b) const { return a == b.path; }
};
using CgroupsByPath = std::unordered_set<Cgroup, CgroupHash, SamePath>;

/// A directory in kubepods, or in that of a QoS class, that is neither a QoS class's nor a pod's. What limits
/// pods in it is not known.
struct UnknownDir {
  std::string path{};       ///< as Cgroup::path
  bool holds_pods = false;  ///< by the names of the directories in it
};

class CgroupTree {
 public:
  /// `host` must outlive the tree. Empty before the first scan().
  CgroupTree(const Host& host, Layout layout);

  /// Follows host applications, too; paths relative to a hierarchy's root. Takes effect at the next scan.
  void follow(std::vector<std::string> host_application_paths);
  [[nodiscard]] const std::vector<std::string>& followed() const { return host_application_paths_; }
  /// Reads every directory and updates the table. Returns whether a cgroup was created or removed.
  bool scan();
  /// The same, but reads only these cgroups and new ones: for when a watch reports where something changed.
  bool scan(std::span<const CgroupId> grown);
  /// The cgroups that got their id since next_id() was `from`.
  [[nodiscard]] std::vector<CgroupId> created_since(CgroupId from) const;
  [[nodiscard]] CgroupId next_id() const { return {next_id_}; }

  /// Parents before children, siblings by name. Valid until the next scan() that returns true.
  [[nodiscard]] const std::vector<const Cgroup*>& all() const { return order_; }
  [[nodiscard]] const Cgroup* find(CgroupId id) const;
  [[nodiscard]] const Cgroup* find_path(std::string_view path) const;
  /// Sorted by path; every scan looks into them again. Pods in them are not in the table.
  [[nodiscard]] const std::vector<UnknownDir>& unknown_dirs() const { return unknown_; }
  /// The directory of a cgroup in one hierarchy, relative to the host root; empty if no hierarchy has the
  /// controller.
  [[nodiscard]] std::string dir(const Cgroup& cgroup, Controller controller) const;
  [[nodiscard]] std::string unified_dir(const Cgroup& cgroup) const;

  [[nodiscard]] const Layout& layout() const { return layout_; }
  [[nodiscard]] const Host& host() const { return host_; }

 private:
  bool scan_children(const Cgroup& above);
  [[nodiscard]] std::vector<const Cgroup*>::const_iterator after(const Cgroup& cgroup) const;
  void insert(Cgroup cgroup, const std::string& parent);
  void forget(const std::string& path);
  void adopt(CgroupsByPath now, std::vector<const Cgroup*> order);

  const Host& host_;
  Layout layout_;
  std::vector<std::string> host_application_paths_{};
  CgroupsByPath by_path_{};
  std::unordered_map<CgroupId, const Cgroup*> by_id_{};
  std::vector<const Cgroup*> order_{};
  std::vector<UnknownDir> unknown_{};
  std::uint32_t next_id_ = 1;
};

/// Buffers for paths and names, kept from one walk to the next.
struct BelowRoom {
  std::string dir{}, names{};
  int left = 0;    ///< directories that this walk may still visit
  Error unread{};  ///< of this walk: the first directory that exists and could not be listed; code 0: none
};

/// For cgroups inside a container's, which the container makes at will; deeper ones, and those beyond this
/// number, are ignored. A runtime inside of a pod makes some, not thousands.
inline constexpr int kMaxDescendantDepth = 8;
inline constexpr int kMaxDescendants = 1000;

/// Keeps the first error that does not say that the cgroup is gone.
void note_unread(Error& first, const Error& error);

/// Walks a directory and the cgroups inside it, as a container creates them for itself, without reading or
/// writing files: calls visit(path) for room.dir and every directory below it; it may append to the path. A
/// false return value skips the directories below this one and all that follow. `lister` has
/// append_subdirs(path, names), as Host and ResctrlFiles do; a directory removed meanwhile counts as empty.
/// Allocates only when a walk is larger than any before.
template <class Lister, class Visit>
bool visit_descendants(BelowRoom& room, Lister& lister, Visit&& visit, int depth = 0) {
  const auto length = room.dir.size(), first = room.names.size();
  if (depth == 0) room.left = kMaxDescendants, room.unread = {};
  if (--room.left < 0) return false;
  bool more = visit(room.dir);
  room.dir.resize(length);
  if (more && depth < kMaxDescendantDepth)
    if (const auto listed = lister.append_subdirs(room.dir, room.names); !listed)
      note_unread(room.unread, listed.error());
  const auto end = room.names.size();
  for (auto at = first; at < end && more;) {
    const std::string_view child(room.names.data() + at);
    at += child.size() + 1;
    room.dir.append(1, '/').append(child);
    more = visit_descendants(room, lister, visit, depth + 1);
    room.dir.resize(length);
  }
  room.names.resize(first);
  return more;
}

}  // namespace evenkeel::tree
