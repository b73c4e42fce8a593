// The sampler and the list of the collectors that it runs.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "cgroup/tree/tree.h"
#include "collectors/base/collector.h"
#include "qos/model/snapshot.h"

namespace evenkeel::collectors {

// The list of node collectors, in the order in which they run.

std::span<const CollectorSpec* const> node_collectors();

// The sampler runs all collectors: every number of the snapshot that comes from a kernel file is read here,
// once per tick, with open descriptors and pread into one buffer. A steady tick allocates nothing; failures
// appear only as absent values. Does not write, decide, or know a pod's spec.
//
//   if (tree.scan()) { build_roster(tree, pods, slo, node); sampler.follow(tree); }
//   sampler.collect(node, clock.now());
//
// The same NodeSnapshot is used from tick to tick: files that are not due keep their value in it.

class Sampler {
 public:
  Sampler(const Host& host, SamplerOptions options);
  ~Sampler();

  /// The tree changed: opens new files, closes those of removed cgroups. May allocate.
  void follow(const tree::CgroupTree& tree);
  /// Another process wrote a setting of this cgroup: its settings are read again at the next tick.
  void settings_changed(CgroupId cgroup);
  /// Sets the event loop that waits on the collectors' alarm descriptors. It must outlive this object or be
  /// reset: set_alarm_source({}).
  void set_alarm_source(const AlarmDescriptors& waiting);
  /// Fills the measurements of `node` (node.node, node.topology, and every member of node.cgroups, which is
  /// in the order of the tree given to follow()). Sets at and since_previous.
  void collect(NodeSnapshot& node, MonoTime now);

  /// Between two ticks: reads only the settings of cgroups that have none yet or whose settings changed.
  /// Measurements, also those of one tick like throttling, stay as they are, and `measured` becomes false.
  /// Sets at and since_previous. Returns whether any setting differs from before.
  bool read_new_settings(NodeSnapshot& node, MonoTime now);

  /// Between two ticks: reads one cgroup now, without any effect on the next tick.
  RecentUse recent_use(CgroupId cgroup);

  [[nodiscard]] const SamplerHealth& health() const;
  [[nodiscard]] std::vector<SamplerRead> reads() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace evenkeel::collectors
