// Chooses which files stay open when there are not enough descriptors for all. Arithmetic only.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "collectors/per_cgroup/files.h"

namespace evenkeel::per_cgroup {

/// The files of one row of the file table, over all cgroups.
struct DescriptorNeed {
  std::size_t files = 0;
  Importance importance = Importance::normal;
};

/// How many files of each row stay open within `limit`: important rows first, then earlier ones.
std::vector<std::size_t> share_descriptors(std::span<const DescriptorNeed> rows, std::size_t limit);

/// How many descriptors the collectors may use: raises the soft limit to the hard limit and leaves a reserve
/// for everything else the process opens.
std::size_t descriptor_limit_of_process();

}  // namespace evenkeel::per_cgroup
