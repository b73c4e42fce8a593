// One look at the cgroup directories: what is there now. Does not compare it with an earlier look (tree.h
// does).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cgroup/base/host.h"
#include "cgroup/tree/tree.h"

namespace evenkeel::tree {

struct Found {
  Cgroup cgroup{};
  std::string parent{};  ///< path; empty = no known cgroup
};

/// What a walk has found.
struct Seen {
  std::vector<Found> found{};  ///< sorted, each path once
  std::vector<UnknownDir> unknown{};
};

/// What was found before.
struct Known {
  const std::vector<const Cgroup*>& cgroups;  ///< in the order of their paths
  const std::vector<UnknownDir>& unknown;
};

/// Component by component: "a/b" is sorted right after "a", before "a-b".
bool path_less(std::string_view a, std::string_view b);

/// Sorted. Absent: not known, for example because no descriptor is free; a removed directory has none.
std::optional<std::vector<SubDir>> list(const Host& host, const Layout& layout, const std::string& path);

/// Whether there are pods in an unknown directory now; as before if it cannot be read.
bool holds_pods(const Host& host, const Layout& layout, const UnknownDir& dir);

/// All cgroups of pods and host applications. If a host application's directory is also a pod's, the pod is
/// kept. A missing directory is skipped; of one that cannot be read now, what was known of it still counts: a
/// cgroup that were taken for removed would lose its values.
Seen look(const Host& host, const Layout& layout, const std::vector<std::string>& applications,
          const Known& known);
/// The cgroups in these directories of a known one.
Seen look_into(const Host& host, const Layout& layout, const Cgroup& above, const std::vector<SubDir>& dirs,
               const Known& known);

}  // namespace evenkeel::tree
