#include "qos/network_qos.h"

#include <algorithm>

namespace evenkeel {
namespace {

/// The kernel's queue has to be guaranteed something: so much of the whole, where nothing is said.
constexpr std::int64_t kLeastShare = 1000;
constexpr BitRate kLeastRate{8000};

const NetworkQos* enabled_of(const QosClassStrategy& strategy) {
  return strategy.network && strategy.network->enable ? &*strategy.network : nullptr;
}

BitRate rate_of(const Bandwidth& bandwidth, BitRate total) {
  const BitRate rate(bandwidth.is_percent ? scaled(total.count(), bandwidth.value, 100) : bandwidth.value);
  return std::clamp(rate, BitRate(0), total);
}

/// 0 is no limit.
std::optional<BitRate> limit_of(const Bandwidth& bandwidth, BitRate total) {
  const BitRate rate = rate_of(bandwidth, total);
  if (rate == BitRate(0) || rate == total) return std::nullopt;
  return std::max(rate, kLeastRate);
}

std::optional<BitRate> limit_of(const std::optional<Bandwidth>& bandwidth, BitRate total) {
  return bandwidth ? limit_of(*bandwidth, total) : std::nullopt;
}

NetworkShare share_of(const NetworkQos* qos, BitRate total) {
  const BitRate least = std::max(BitRate(total.count() / kLeastShare), kLeastRate);
  if (qos == nullptr) return {least, total, std::nullopt};
  const BitRate limit = limit_of(qos->egress_limit, total).value_or(total);
  const BitRate request = std::max(rate_of(qos->egress_request, total), least);
  return {std::min(request, limit), limit, limit_of(qos->ingress_limit, total)};
}

NetworkClass class_of(QosClass qos) {
  switch (qos) {
    case QosClass::lse:
    case QosClass::lsr:
      return NetworkClass::lsr;
    case QosClass::ls:
      return NetworkClass::ls;
    case QosClass::be:
      return NetworkClass::be;
    case QosClass::system:
      break;
  }
  return NetworkClass::system;
}

/// What nobody else is guaranteed is system's, which its own strategy may limit.
void divide(const QosStrategy& qos, NetworkPlan& plan) {
  auto& of = plan.classes;
  const auto at = [&](NetworkClass name) -> NetworkShare& { return of[static_cast<std::size_t>(name)]; };
  at(NetworkClass::lsr) = share_of(enabled_of(qos.lsr), plan.total);
  at(NetworkClass::ls) = share_of(enabled_of(qos.ls), plan.total);
  at(NetworkClass::be) = share_of(enabled_of(qos.be), plan.total);
  auto& system = at(NetworkClass::system) = share_of(enabled_of(qos.system), plan.total);
  BitRate rest = plan.total;
  for (const auto name : {NetworkClass::lsr, NetworkClass::ls, NetworkClass::be})
    rest -= at(name).egress_request;
  system.egress_request = std::min(std::max(system.egress_request, rest), system.egress_limit);
}

void add_members(const NodeSnapshot& node, NetworkPlan& plan) {
  for (const PodSample& pod : node.pods) {
    const auto* cgroup = node.cgroup(pod.cgroup);
    const auto& network = pod.spec->network;
    if (!cgroup || cgroup->hands_off || !is_active(*pod.spec)) continue;
    plan.members.push_back({cgroup->id, class_of(default_qos(*pod.spec)), network.of_host, network.addresses,
                            limit_of(network.limits.egress, plan.total),
                            limit_of(network.limits.ingress, plan.total)});
  }
  for (const auto& app : node.host_applications)
    if (const auto* cgroup = node.cgroup(app.cgroup))
      plan.members.push_back({cgroup->id, class_of(app.spec->qos), true, {}, std::nullopt, std::nullopt});
}

std::optional<BitRate> total_of(const NodeSnapshot& node, const NodeSlo& slo) {
  if (node.object.network_bandwidth) return node.object.network_bandwidth;
  if (slo.system.total_network_bandwidth) return slo.system.total_network_bandwidth;
  return node.network->speed;
}

void decide(const NodeSnapshot& node, const NodeSlo& slo, PolicyState& /*state*/, Intents& out) {
  if (slo.evenkeel.hands_off) return;
  auto& plan = out.network();
  plan.by = out.speaker();
  plan.state = NetworkPlan::State::hold;
  if (!node.network) {
    plan.why_not = "no interface with a default route is known";
    return;
  }
  plan.link = node.network.get();
  const auto total = total_of(node, slo);
  if (!total || *total <= kLeastRate) {
    plan.why_not = "the node's bandwidth is not known: say it in systemStrategy.totalNetworkBandwidth";
    return;
  }
  if (!node.pods_known) return;
  plan.total = *total;
  plan.state = NetworkPlan::State::on;
  divide(slo.qos, plan);
  add_members(node, plan);
}

void reset(PolicyState& /*state*/) {}

}  // namespace

bool shares_network(const NodeSlo& slo) {
  const auto& qos = slo.qos;
  return qos.net_qos_policy == NetQosPolicy::tc &&
         (enabled_of(qos.lsr) || enabled_of(qos.ls) || enabled_of(qos.be) || enabled_of(qos.system));
}

constinit const PolicySpec network_qos_policy{"network-qos",
                                              "each class's share of the network, and single pods' limits",
                                              shares_network, decide, reset};

}  // namespace evenkeel
