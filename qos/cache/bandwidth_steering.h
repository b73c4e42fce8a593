// Steers how much memory bandwidth best effort may use at each cache, by what is measured there: all that the
// configuration grants while there is plenty to spare, less while the services' misses and its own traffic
// fill the memory. Does not know groups or masks.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "qos/model/nodeslo.h"
#include "qos/model/snapshot.h"

namespace evenkeel::cache {

/// The state kept from measurement to measurement.
class BandwidthSteering {
 public:
  /// One memory: the CPUs at one last-level cache, as resctrl numbers them.
  struct Memory {
    std::int32_t cache = 0;
    Percent share{};                                      ///< that best effort may have
    std::optional<Bytes> moved{}, best_effort_traffic{};  ///< per second; absent: not known
    MonoTime known{}, changed{};
  };

  /// Reads the snapshot's counters, once per measurement. `batch` is the group of best effort, `most` what
  /// the configuration grants it.
  void steer(const NodeSnapshot& node, std::string_view batch, const ResctrlDynamic& settings, Percent most);
  void forget() { *this = {}; }
  /// In the order of the counters; empty: nothing was measured yet.
  [[nodiscard]] std::span<const Memory> memories() const { return memories_; }

 private:
  struct Counter {
    std::string group{};
    std::int32_t cache = 0;
    std::optional<Bytes> traffic{};
  };
  void find_memories(const NodeSnapshot& node, Percent most);
  void measure(const NodeSnapshot& node, std::string_view batch, Duration passed);
  void remember(const NodeSnapshot& node);

  std::optional<MonoTime> measured_{};
  std::vector<Counter> before_{};
  std::vector<Memory> memories_{};
};

}  // namespace evenkeel::cache
