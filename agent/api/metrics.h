// The agent's metrics in Prometheus' text format.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agent/api/pages.h"

namespace evenkeel::api {

// Renders metrics in Prometheus' text format. The only user of prometheus-cpp (its core; its server is not
// used).

using Labels = std::vector<std::pair<std::string, std::string>>;

class Exposition {
 public:
  /// Series beyond `cap` are left out and counted, which limits the cost of a scrape.
  explicit Exposition(std::size_t cap);
  ~Exposition();

  /// Families keep the order of their first sample. A counter's name ends in _total.
  void gauge(std::string_view name, std::string_view help, double value, Labels labels = {});
  void counter(std::string_view name, std::string_view help, double value, Labels labels = {});
  /// `counts` has one bucket more than `bounds` has upper bounds (in the metric's unit), for values above all
  /// bounds. Each bucket counts as a series.
  void histogram(std::string_view name, std::string_view help, std::span<const double> bounds,
                 std::span<const std::uint64_t> counts, double sum, Labels labels = {});
  [[nodiscard]] std::size_t dropped() const;
  /// All of it so far.
  [[nodiscard]] std::string text();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// One function for each family of metrics, called by metrics_text(). Each renders the agent's counters; none
// measures.

/// How many pods there are, by what the agent knows of them.
void put_pods(Exposition& out, const AgentView& view);
/// Pressure triggers and the brake.
void put_brake(Exposition& out, const AgentView& view);
/// Core scheduling; nothing while it is off.
void put_core_sched(Exposition& out, const AgentView& view);
void put_request_sizes(Exposition& out, const AgentView& view);
void put_oom_scores(Exposition& out, const AgentView& view);
void put_evictions(Exposition& out, const AgentView& view);
void put_contention(Exposition& out, const AgentView& view);
/// Limits and weights on disks; nothing without one.
void put_disks(Exposition& out, const AgentView& view);
/// Interference detection.
void put_interference(Exposition& out, const AgentView& view);
void put_proof(Exposition& out, const AgentView& view);
/// Objectives of services; nothing without one.
void put_objectives(Exposition& out, const AgentView& view);
/// Network classes; nothing while networkQOS is off.
void put_network(Exposition& out, const AgentView& view);
/// Memory reclaimed by memory.reclaim.
void put_reclaim(Exposition& out, const AgentView& view);
/// Cache and memory bandwidth; nothing on machines without resctrl.
void put_resctrl(Exposition& out, const AgentView& view);
/// Requests to the kubelet and the API server.
void put_servers(Exposition& out, const AgentView& view);
/// Time that pods waited for a CPU, memory or disks, and because of which pod; nothing while not measured.
void put_waits(Exposition& out, const AgentView& view);
/// Of these, because of which pod.
void put_blame(Exposition& out, const record::BlameTotals& blame, const record::PodNames& names);

// Renders the agent's metrics (of the node, of each cgroup and of the agent itself) at each scrape from one
// snapshot, so no live series is missing from a scrape.

std::string metrics_text(const AgentView& view);

}  // namespace evenkeel::api
