// What a sense of the node as a whole is: opened once, asked once per tick, and allowed to know nothing.
// A new one is a file here with a CollectorSpec, and a line in registry.cpp.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "cgroup/base/host.h"
#include "cgroup/tree/tree.h"
#include "collectors/base/alarm_wait.h"
#include "qos/model/snapshot.h"

namespace evenkeel::collectors {

/// What a collector gets lent for one tick.
struct Tick {
  const Host& host;
  std::span<char> buffer;  ///< the content of one file at a time
  NodeSnapshot& node;      ///< `at` and `since_previous` are set already
};

class Collector {
 public:
  virtual ~Collector() = default;
  /// The tree changed. May allocate.
  virtual void follow(const tree::CgroupTree& /*tree*/) {}
  /// Who waits for what it raises between two ticks, from now on; must outlive it, or be taken away by {}.
  virtual void set_alarm_source(const AlarmDescriptors& /*waiting*/) {}
  /// Replaces its part of `tick.node`; what cannot be read becomes absent. May not fail, nor allocate unless
  /// the machine itself changed.
  virtual void collect(Tick& tick) = 0;
};

struct CollectorSpec {
  std::string_view name;
  /// Relative to the host's root. Without any of them the collector is off: it goes on trying, and says so.
  std::span<const std::string_view> files;
  /// How many descriptors it keeps open on this machine.
  std::size_t (*descriptors)(const Host& host);
  std::unique_ptr<Collector> (*make)(const Host& host);
};

}  // namespace evenkeel::collectors
