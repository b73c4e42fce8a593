#include "agent/reporting/topology_reporting.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "collectors/node/numa_memory.h"

namespace evenkeel::reporting {
namespace {

/// The mask of all ways of the last-level cache; 0: resctrl is not mounted, or does not divide it.
std::uint64_t l3_ways(const ResctrlSystem* resctrl) {
  if (resctrl == nullptr) return 0;
  const auto found = std::ranges::find(resctrl->resources, "L3", &ResctrlResource::name);
  return found == resctrl->resources.end() ? 0 : found->full;
}

}  // namespace

TopologyReporting::TopologyReporting(lender::Lender& lender, const NodeSnapshot& node,
                                     record::ServerActivity& servers, const std::string& host_root,
                                     const runtime::Clock& clock, runtime::Log& log)
    : lender_(lender),
      node_(node),
      servers_(servers),
      clock_(clock),
      log_(log),
      host_(Host::open(host_root)),
      kubelet_state_(std::filesystem::path(host_root) / "var/lib/kubelet/cpu_manager_state") {}

TopologyReporting::~TopologyReporting() { servers_.topology_reports = nullptr; }

bool TopologyReporting::begin(runtime::EventLoop& loop, kube::KubeClient& api, kube::KubeClient* kubelet,
                              const kube::Random& random, kube::TopologyReporter::Options options) {
  if (!host_) return false;
  node_name_ = options.node;
  if (kubelet != nullptr) {
    auto poller = kube::SettingsPoller::open(loop, *kubelet, clock_, random, [this](const std::string& why) {
      log_.warning("kubelet-settings-unknown").with("why", why);
    });
    if (!poller) return false;
    settings_.emplace(std::move(*poller));
  }
  auto reporter =
      kube::TopologyReporter::open(loop, api, clock_, random, std::move(options),
                                   {.object = [this](const std::string& uid) -> kube::TopologyBody {
                                      const auto topology = current();
                                      if (!topology) return tl::unexpected(topology.error());
                                      return topology_object(*topology, node_name_, uid);
                                    },
                                    .patch = [this](const std::string& standing) { return patch(standing); },
                                    .on_change = [this](const auto& state) { log_outcome(state); }});
  if (!reporter) return false;
  reporter_.emplace(std::move(*reporter));
  servers_.topology_reports = &reporter_->state();
  return true;
}

kube::TopologyBody TopologyReporting::patch(const std::string& standing) {
  const auto topology = current();
  if (!topology) return tl::unexpected(topology.error());
  const auto& strategy = lender_.lending().strategy();
  // As with the Node's amounts: a small difference is written when the last one was written long ago.
  const bool due = !refreshed_ ||
                   clock_.now() - *refreshed_ >= std::chrono::seconds(strategy.update_time_threshold_seconds);
  auto out = topology_patch(*topology, standing, due ? 0 : strategy.resource_diff_threshold);
  if (!out) return tl::unexpected(std::string("the answer is not a NodeResourceTopology"));
  if (due || !out->empty()) refreshed_ = clock_.now();
  // Once the agent's own amounts are gone, another process may write some.
  if (!strategy.enable && out->empty()) lent_.reset();
  return *out;
}

std::string TopologyReporting::unknown_input() {
  if (!node_.pods_known || !node_.pod_specs) return "the pods are not known yet";
  // Without it, CPUs that the kubelet has given away would look free.
  kubelet_state_.refresh();
  if (!kubelet_state_.readable()) return kubelet_state_.path() + " cannot be read";
  // The first report would say that there are none, and the next one what there is.
  if (settings_ && !settings_->answered()) return "the kubelet's configuration is not known yet";
  const auto& lending = lender_.lending();
  const bool first = !reporter_ || !reporter_->state().last_accepted;
  if (first && lending.strategy().enable && !lending.lendable()) return "what can be lent is not known yet";
  return {};
}

tl::expected<NodeTopology, std::string> TopologyReporting::current() {
  const auto unknown = [](std::string why) { return tl::unexpected(std::move(why)); };
  if (auto why = unknown_input(); !why.empty()) return unknown(std::move(why));
  const auto kubelet = pods::kubelet_cpus(kubelet_state_.text(), kubelet_state_.path());
  if (kubelet.policy.empty()) return unknown(kubelet_state_.path() + " is not the state of a CPU manager");
  const auto memory = node::numa_memory(*host_);
  if (!memory) return unknown("the memory of a NUMA node is not known");
  const auto lent = lendable(*memory);
  auto out = node_topology({.cpus = node_.topology,
                            .object = node_.object,
                            .pods = *node_.pod_specs,
                            .kubelet = kubelet,
                            .memory = *memory,
                            .lendable = lent,
                            .settings = settings_ ? settings_->settings() : nullptr,
                            .l3_ways = l3_ways(node_.resctrl.get())});
  if (!out) return unknown("the CPUs, or the NUMA node of one, are not known");
  return std::move(*out);
}

std::vector<lending::Zone> TopologyReporting::zones(const std::vector<node::NumaMemory>& memory) const {
  std::vector<lending::Zone> out;
  out.reserve(memory.size());
  for (const auto& of_node : memory) out.push_back({.cpu = MilliCpu{}, .memory = of_node.ordinary});
  for (const auto& cpu : node_.topology.cpus)
    if (cpu.numa >= 0 && static_cast<std::size_t>(cpu.numa) < out.size())
      *out[static_cast<std::size_t>(cpu.numa)].cpu += MilliCpu(1000);
  return out;
}

std::optional<lending::ZoneLendables> TopologyReporting::lendable(
    const std::vector<node::NumaMemory>& memory) {
  const auto& lending = lender_.lending();
  const bool lends = lending.strategy().enable;
  if (!lends && !lent_) return std::nullopt;  // Koordinator's manager may write these amounts
  if (!lends) return lending::ZoneLendables{};
  const auto usage = lending.history().recent();
  auto out = lending::lendable_zones({.object = node_.object,
                                      .node = node_.node,
                                      .pods = *node_.pod_specs,
                                      .usage = usage,
                                      .strategy = lending.strategy(),
                                      .pods_known = node_.pods_known},
                                     zones(memory));
  // As on the Node: what is not known stays as it is, until that has lasted too long.
  const bool known = out.unknown_reason.empty();
  if (known || !lent_) lent_ = clock_.now();
  const std::chrono::duration<double, std::ratio<60>> minutes = clock_.now() - *lent_;
  const bool degraded = minutes.count() > static_cast<double>(lending.strategy().degrade_time_minutes);
  return known || degraded ? std::optional(std::move(out)) : std::nullopt;
}

void TopologyReporting::log_outcome(const record::ReportState& state) {
  if (!state.last_error.empty())
    return void(log_.warning("topology-not-reported").with("why", state.last_error));
  log_.info("reports-topology").with("node", node_name_);
}

}  // namespace evenkeel::reporting
