// The table of kernel files that are read per cgroup, and which of them stay open.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "cgroup/tree/tree.h"
#include "collectors/per_cgroup/reading.h"

namespace evenkeel::per_cgroup {

// The table of kernel files read per cgroup: path, kinds of cgroup, interval, importance when descriptors are
// scarce, and parser.

/// The hierarchy of a row; a row that does not fit the machine is not read.
enum class Where : std::uint8_t {
  v1,        ///< the controller, if it is on v1
  v2,        ///< the controller, if it is on v2
  either,    ///< the controller, on either version: a setting whose file names are in the knob table
  pressure,  ///< the unified hierarchy, otherwise (vendor kernels) v1 cpuacct
};

/// Files of low importance are the first to be reopened for each read when descriptors are scarce.
enum class Importance : std::uint8_t { low, normal, high };

/// Sets of CgroupKind.
enum Kinds : std::uint8_t {
  kAll = 0b11111,
  kNotKubepods = kAll & ~(1U << static_cast<unsigned>(CgroupKind::kubepods)),
  kContainers = 1U << static_cast<unsigned>(CgroupKind::container),
  kNotContainers = kAll & ~kContainers,
  kPodsAndContainers = kContainers | 1U << static_cast<unsigned>(CgroupKind::pod),
  kSubgroups = 1U << static_cast<unsigned>(CgroupKind::subgroup),  ///< not among the others
  kAllAndSubgroups = kAll | kSubgroups,
};

struct CgroupFile {
  std::string_view name;  ///< empty: the knob's file
  Where where;
  Controller controller;
  int every;  ///< ticks; must be 1 for counters, because an increase spans exactly one tick
  Importance importance;
  Kinds kinds;
  ParseFile parse;       ///< null: the file of a plain knob
  bool setting = false;  ///< also read after another process wrote it
  bool vendor = false;   ///< not in every mainline kernel: existence is checked once, not for every cgroup
  Knob knob{};           ///< for Where::either
};

/// In the order of reading within one cgroup.
std::span<const CgroupFile> cgroup_files();
/// Sets the members of the sample that the text of this file gives.
void parse_file(const CgroupFile& file, Text text, CgroupReading& reading);

/// The name of its file on this machine; empty: there is none. It lives as long as the program.
std::string_view name_of(const CgroupFile& file, const tree::Layout& layout);

/// Where a cgroup's file of one row is: in the cgroup's directory of this hierarchy.
struct FilePath {
  bool there = false;       ///< false: this machine, or this cgroup, has no such file
  bool unified = false;     ///< in the cgroup2 mount, whichever controllers it has
  Controller controller{};  ///< otherwise: whose hierarchy it is
  [[nodiscard]] const std::string& hierarchy(const tree::Layout& layout) const {
    return unified ? layout.unified : layout.root(controller);
  }
};
FilePath file_path(const CgroupFile& file, const tree::CgroupTree& tree, const tree::Cgroup& cgroup);

// Chooses which files stay open when there are not enough descriptors for all. Arithmetic only.

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
