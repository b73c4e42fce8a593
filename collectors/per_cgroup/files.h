// Every kernel file that is read per cgroup, as one table: where it is, who needs it, how often, how much it
// matters when descriptors are scarce, and what its text means.
#pragma once

#include <span>
#include <string>

#include "cgroup/tree/tree.h"
#include "collectors/per_cgroup/reading.h"

namespace evenkeel::per_cgroup {

/// Which hierarchy a row is about; a row that does not fit the machine is not read.
enum class Where : std::uint8_t {
  v1,        ///< the controller, if it is on v1
  v2,        ///< the controller, if it is on v2
  either,    ///< the controller, wherever it is: a setting whose names are in the knob table
  pressure,  ///< the unified hierarchy, else (vendor kernels) v1 cpuacct
};

/// Who gives way first when not every file can stay open.
enum class Importance : std::uint8_t { low, normal, high };

/// Sets of CgroupKind.
enum Kinds : std::uint8_t {
  kAll = 0b11111,
  kNotKubepods = kAll & ~(1U << static_cast<unsigned>(CgroupKind::kubepods)),
  kContainers = 1U << static_cast<unsigned>(CgroupKind::container),
  kNotContainers = kAll & ~kContainers,
  kPodsAndContainers = kContainers | 1U << static_cast<unsigned>(CgroupKind::pod),
};

struct CgroupFile {
  std::string_view name;  ///< empty: a knob's file
  Where where;
  Controller controller;
  int every;  ///< ticks; counters must be 1, since an increase spans exactly one tick
  Importance importance;
  Kinds kinds;
  ParseFile parse;       ///< null: a plain knob's file
  bool setting = false;  ///< read again when somebody wrote it, too
  bool vendor = false;   ///< not every mainline kernel has it: asked for once, not in every cgroup
  Knob knob{};           ///< of Where::either
};

/// In the order of reading within one cgroup.
std::span<const CgroupFile> cgroup_files();
/// Sets the members of the sample that the text of this file gives.
void parse_file(const CgroupFile& file, Text text, CgroupReading& reading);

/// Relative to the host root; empty when this machine, or this kind of cgroup, has no such file.
std::string file_path(const CgroupFile& file, const tree::CgroupTree& tree, const tree::Cgroup& cgroup);

}  // namespace evenkeel::per_cgroup
