#include <algorithm>
#include <array>
#include <utility>

#include "agent/api/metrics.h"

namespace evenkeel::api {
namespace {

void put_traffic(Exposition& out, const AgentView& view) {
  for (const auto* traffic : view.servers.traffic) {
    for (const auto& [status, count] : traffic->requests)
      out.counter(
          "evenkeel_server_requests_total", "Requests to a server, by HTTP status; 0: no complete response.",
          static_cast<double>(count), {{"server", traffic->server}, {"status", std::to_string(status)}});
    out.counter("evenkeel_server_wait_seconds_total",
                "Total time from request to the end of the response, in seconds.",
                runtime::seconds(traffic->waited), {{"server", traffic->server}});
    out.gauge("evenkeel_server_longest_wait_seconds",
              "Time to the end of the slowest response since the agent started, in seconds.",
              runtime::seconds(traffic->longest_wait), {{"server", traffic->server}});
    out.counter("evenkeel_server_received_bytes_total", "Bytes received from a server, without TLS overhead.",
                static_cast<double>(traffic->bytes_in), {{"server", traffic->server}});
    out.counter("evenkeel_server_sent_bytes_total", "Bytes sent to a server, without TLS overhead.",
                static_cast<double>(traffic->bytes_out), {{"server", traffic->server}});
  }
}

/// Outcomes of the events for pods' owners.
void put_pod_events(Exposition& out, const AgentView& view) {
  if (view.servers.pod_events == nullptr) return;
  const auto& events = *view.servers.pod_events;
  for (const auto& [outcome, count] :
       {std::pair{"told", events.sent}, {"repeated", events.repeated}, {"dropped", events.dropped}})
    out.counter("evenkeel_pod_events_total",
                "Kubernetes Events about pods and the Node, by outcome: told (sent), repeated (not sent "
                "again), dropped.",
                static_cast<double>(count), {{"outcome", outcome}});
}

/// Names and help texts of one kind of report.
struct ReportMetrics {
  const record::ReportState* record::ServerActivity::*reports;
  const char *accepted, *of_accepted, *failures, *of_failures, *age, *of_age;
};
constexpr std::array<ReportMetrics, 2> kReports = {
    {{&record::ServerActivity::usage_reports, "evenkeel_node_metric_reports_total",
      "Usage reports that the API server accepted for the NodeMetric.", "evenkeel_node_metric_failures_total",
      "Usage reports that the API server refused or that could not be sent.",
      "evenkeel_node_metric_age_seconds",
      "Time since the API server last accepted a usage report, in seconds."},
     {&record::ServerActivity::topology_reports, "evenkeel_node_topology_reports_total",
      "Answers of the API server that show the NodeResourceTopology as the agent reports it.",
      "evenkeel_node_topology_failures_total",
      "Reports of the topology that the API server refused or that could not be sent.",
      "evenkeel_node_topology_age_seconds",
      "Time since the API server last showed the NodeResourceTopology as the agent reports it, in "
      "seconds."}}};

void put_reports(Exposition& out, const AgentView& view) {
  for (const auto& kind : kReports) {
    const auto* reports = view.servers.*kind.reports;
    if (reports == nullptr) continue;
    out.counter(kind.accepted, kind.of_accepted, static_cast<double>(reports->accepted));
    out.counter(kind.failures, kind.of_failures, static_cast<double>(reports->failures));
    if (reports->last_accepted)
      out.gauge(
          kind.age, kind.of_age,
          runtime::seconds(std::max(view.tick.result().now - *reports->last_accepted, Duration::zero())));
  }
}

void put_listeners(Exposition& out, const AgentView& view) {
  for (const auto& listener : view.servers.listeners)
    out.gauge("evenkeel_endpoint_listening",
              "1 while the agent serves its pages at this address; 0 while it cannot listen there and "
              "tries again.",
              listener.problem.empty() ? 1 : 0, {{"address", listener.address}});
}

}  // namespace

void put_servers(Exposition& out, const AgentView& view) {
  put_listeners(out, view);
  put_traffic(out, view);
  put_pod_events(out, view);
  put_reports(out, view);
}

}  // namespace evenkeel::api
