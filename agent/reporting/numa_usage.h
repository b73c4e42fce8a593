// What each NUMA node used over the last minutes, for the NodeMetric. Reads the kernel only when a report is
// due, so it costs a tick nothing. Does not render or send it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "agent/history/usage_history.h"
#include "cgroup/base/host.h"
#include "collectors/node/numa_use.h"
#include "qos/model/pod_resources.h"
#include "qos/model/snapshot.h"

namespace evenkeel::reporting {

struct NumaUsage {
  int node = 0;  ///< the number of the NUMA node
  Usage whole{};
  Usage system{};  ///< without pods and host applications; memory without page cache
};

class NumaUsageMeter {
 public:
  /// Where no cgroup hierarchy is found below `host_root`, the memory of pods counts as the system's.
  explicit NumaUsageMeter(const std::string& host_root);

  /// Call it once at the beginning and before each report. CPU use is what was used since the call before,
  /// memory is what is in use now; neither is known after the first call.
  void measure(const NodeSnapshot& node, MonoTime now);

  /// Averages over the newest `window`, by ascending number; empty where the kernel has no NUMA. `system` is
  /// the whole machine's: the kernel does not say where pods have used the CPU, so each NUMA node's system
  /// has the same share of its CPU, as in Koordinator.
  [[nodiscard]] std::vector<NumaUsage> averages(Duration window, const Usage& system) const;

 private:
  struct Entry {
    history::UsageWindow whole, system;
    node::NumaReading last{};
  };
  /// The memory of pods and host applications in each NUMA node of `readings`. What is not known counts as
  /// the system's, which is the safe side.
  [[nodiscard]] std::map<int, Bytes> memory_of_cgroups(const NodeSnapshot& node,
                                                       const std::vector<node::NumaReading>& readings) const;

  Result<Host> host_;
  std::string memory_root_{};  ///< of the cgroups, relative to the host's; empty: there is none
  std::optional<MonoTime> measured_{};
  std::map<int, Entry> entries_{};  ///< by the number of the NUMA node
};

}  // namespace evenkeel::reporting
