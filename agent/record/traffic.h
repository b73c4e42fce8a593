// What was asked of servers since the start, and what they were told.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "agent/record/report_state.h"
#include "qos/model/units.h"

namespace evenkeel::record {

struct KubeTraffic {
  std::string server{};                     ///< "kubelet", "api"
  std::map<int, std::uint64_t> requests{};  ///< by status; 0: no complete answer
  std::uint64_t bytes_in = 0, bytes_out = 0;
  Duration waited{}, longest_wait{};  ///< for answers; a watch, which is to last, has no part in it
};

struct PodEventCounters {
  std::uint64_t sent = 0;      ///< the server has them
  std::uint64_t repeated = 0;  ///< not told again so soon
  std::uint64_t dropped = 0;   ///< too many at once, or not taken by the server
};

/// What goes to and comes from servers, for the metrics: whatever a part of the program adds to it must
/// outlive the last page.
struct ServerActivity {
  std::vector<const KubeTraffic*> traffic{};
  const PodEventCounters* pod_events = nullptr;  ///< null: no pod events are sent
  const ReportState* usage_reports = nullptr;    ///< null: usage is not reported
};

}  // namespace evenkeel::record
