// Counters of requests to servers and of pod events since the agent started, for the metrics.
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
  std::map<int, std::uint64_t> requests{};  ///< by HTTP status; 0: no complete response
  std::uint64_t bytes_in = 0, bytes_out = 0;
  Duration waited{}, longest_wait{};  ///< for responses; watches are not counted
};

struct PodEventCounters {
  std::uint64_t sent = 0;      ///< accepted by the server
  std::uint64_t repeated = 0;  ///< suppressed as a recent repetition
  std::uint64_t dropped = 0;   ///< over the rate limit, or refused by the server
};

/// The exchange with servers, for the metrics. What these pointers refer to must outlive the last rendered
/// page.
struct ServerActivity {
  std::vector<const KubeTraffic*> traffic{};
  const PodEventCounters* pod_events = nullptr;  ///< null: no pod events are sent
  const ReportState* usage_reports = nullptr;    ///< null: usage is not reported
};

}  // namespace evenkeel::record
