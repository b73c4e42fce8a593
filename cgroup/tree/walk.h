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

/// Cgroups in the order of their paths.
using Known = std::vector<const Cgroup*>;

/// Component by component: "a/b" is sorted right after "a", before "a-b".
bool path_less(std::string_view a, std::string_view b);

/// Sorted. Absent: not known, for example because no descriptor is free; a removed directory has none.
std::optional<std::vector<SubDir>> list(const Host& host, const Layout& layout, const std::string& path);

/// All cgroups of pods and host applications, sorted, each path once. If a host application's directory is
/// also a pod's, the pod is kept. A missing directory is skipped; of one that cannot be read now, what was
/// known of it still counts: a cgroup that were taken for removed would lose its values.
std::vector<Found> look(const Host& host, const Layout& layout, const std::vector<std::string>& applications,
                        const Known& known);
/// The cgroups in these directories of a known one.
std::vector<Found> look_into(const Host& host, const Layout& layout, const Cgroup& above,
                             const std::vector<SubDir>& dirs, const Known& known);

}  // namespace evenkeel::tree
