// The senses together: every number of the snapshot that comes from a kernel file is read here, once per
// tick, with kept descriptors and pread into one buffer. A steady tick allocates nothing; absence is the only
// failure. May not: write, decide, or know what a pod wants.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "cgroup/tree.h"
#include "qos/snapshot.h"

namespace evenkeel {

struct SamplerOptions {
  std::size_t descriptor_limit =
      0;  ///< how many files may be kept open; 0 = ask getrlimit and leave a reserve
  bool settings_every_tick = false;  ///< re-read settings each tick: on trees that give no events
};

struct SamplerHealth {
  std::size_t descriptors_needed = 0, descriptors_kept = 0, files_reopened = 0;
  std::vector<std::string> off{};  ///< collectors that are off, "name: reason"
};

class Sampler {
 public:
  Sampler(const Host& host, SamplerOptions options);
  ~Sampler();

  /// The tree changed: open what is new, close what is gone. May allocate.
  void follow(const CgroupTree& tree);
  /// Somebody wrote a setting of this cgroup: read its settings again at the next tick.
  void settings_changed(CgroupId cgroup);
  /// Fills the measurements of `node` (node.node, node.topology, and every member of node.cgroups, which is
  /// in the order of the tree given to follow()). Sets at and since_previous.
  void collect(NodeSnapshot& node, MonoTime now);

  [[nodiscard]] const SamplerHealth& health() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace evenkeel
