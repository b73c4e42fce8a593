// The interface of a collector of node-wide data: opened once, called once per tick, and allowed to report
// nothing. A new collector is a file here with a CollectorSpec, and a line in registry.cpp.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "cgroup/base/host.h"
#include "cgroup/tree/tree.h"
#include "collectors/base/alarm_wait.h"
#include "qos/model/snapshot.h"

namespace evenkeel::collectors {

/// What the sampler passes to a collector for one tick.
struct Tick {
  const Host& host;
  std::span<char> buffer;  ///< holds the content of one file at a time
  NodeSnapshot& node;      ///< `at` and `since_previous` are already set
};

class Collector {
 public:
  virtual ~Collector() = default;
  /// The cgroup tree changed. May allocate.
  virtual void follow(const tree::CgroupTree& /*tree*/) {}
  /// Sets the event loop that waits on this collector's alarm descriptors. It must outlive the collector or
  /// be reset with {}.
  virtual void set_alarm_source(const AlarmDescriptors& /*waiting*/) {}
  /// Replaces its part of `tick.node`; values that cannot be read become absent. Does not fail, and allocates
  /// only when the hardware changed.
  virtual void collect(Tick& tick) = 0;
};

struct CollectorSpec {
  std::string_view name;
  /// Relative to the host's root. If none of them exists, the collector is reported as off and keeps
  /// retrying.
  std::span<const std::string_view> files;
  /// How many descriptors it keeps open on this host.
  std::size_t (*descriptors)(const Host& host);
  std::unique_ptr<Collector> (*make)(const Host& host);
};

}  // namespace evenkeel::collectors
