// Reports the node's CPUs and NUMA nodes to Koordinator's scheduler, in the NodeResourceTopology. Does not
// render it (node_topology.h does) or send it (agent/kube/node/topology_reporter.h does).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "agent/kube/node/topology_reporter.h"
#include "agent/kube/settings_poller.h"
#include "agent/lender/lending.h"
#include "agent/record/health.h"
#include "agent/reporting/node_topology.h"
#include "agent/runtime/files.h"
#include "agent/runtime/log.h"
#include "cgroup/base/host.h"
#include "qos/model/snapshot.h"

namespace evenkeel::reporting {

class TopologyReporting {
 public:
  /// All of these must outlive it.
  TopologyReporting(lender::Lender& lender, const NodeSnapshot& node, record::ServerActivity& servers,
                    const std::string& host_root, const runtime::Clock& clock, runtime::Log& log);
  TopologyReporting(const TopologyReporting&) = delete;
  TopologyReporting& operator=(const TopologyReporting&) = delete;
  ~TopologyReporting();

  /// False: reporting is not possible. `kubelet` is asked for its configuration; null: it is not.
  bool begin(runtime::EventLoop& loop, kube::KubeClient& api, kube::KubeClient* kubelet,
             const kube::Random& random, kube::TopologyReporter::Options options);

 private:
  /// Or why it is not known.
  [[nodiscard]] tl::expected<NodeTopology, std::string> current();
  /// Why an input of the report is not known; empty: all are.
  [[nodiscard]] std::string unknown_input();
  [[nodiscard]] std::vector<lending::Zone> zones(const std::vector<node::NumaMemory>& memory) const;
  /// Absent: the amounts that the object has stay.
  [[nodiscard]] std::optional<lending::ZoneLendables> lendable(const std::vector<node::NumaMemory>& memory);
  kube::TopologyBody patch(const std::string& standing);
  void log_outcome(const record::ReportState& state);

  lender::Lender& lender_;
  const NodeSnapshot& node_;
  record::ServerActivity& servers_;
  const runtime::Clock& clock_;
  runtime::Log& log_;
  Result<Host> host_;
  runtime::WatchedTextFile kubelet_state_;
  /// When this run last knew the amounts to lend, or first asked for them; absent: it has not lent, or its
  /// amounts are gone again.
  std::optional<MonoTime> lent_{};
  std::optional<MonoTime> refreshed_{};
  std::string node_name_{};
  std::optional<kube::SettingsPoller> settings_{};
  std::optional<kube::TopologyReporter> reporter_{};
};

}  // namespace evenkeel::reporting
