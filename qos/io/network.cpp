#include <algorithm>
#include <array>

#include "qos/io/policies.h"
#include "qos/model/capacity.h"

namespace evenkeel::io {
namespace {

/// A class without a request is guaranteed this part of the whole.
constexpr std::int64_t kLeastShare = 1000;
/// The source of each class's strategy, in the order of NetworkClass.
constexpr std::array<QosClass, decide::kNetworkClasses> kQosOf = {QosClass::system, QosClass::lsr,
                                                                  QosClass::ls, QosClass::be};

const NetworkQos* enabled_of(const QosStrategy& qos, QosClass of) {
  const auto& strategy = strategy_of(qos, of);
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
  return std::max(rate, decide::kLeastNetworkRate);
}

std::optional<BitRate> limit_of(const std::optional<Bandwidth>& bandwidth, BitRate total) {
  return bandwidth ? limit_of(*bandwidth, total) : std::nullopt;
}

decide::NetworkShare share_of(const NetworkQos* qos, BitRate total) {
  const BitRate least = std::max(BitRate(total.count() / kLeastShare), decide::kLeastNetworkRate);
  if (qos == nullptr) return {least, total, std::nullopt};
  const BitRate limit = limit_of(qos->egress_limit, total).value_or(total);
  const BitRate request = std::max(rate_of(qos->egress_request, total), least);
  return {std::min(request, limit), limit, limit_of(qos->ingress_limit, total)};
}

decide::NetworkClass class_of(QosClass qos) {
  switch (qos) {
    case QosClass::lse:
    case QosClass::lsr:
      return decide::NetworkClass::lsr;
    case QosClass::ls:
      return decide::NetworkClass::ls;
    case QosClass::be:
      return decide::NetworkClass::be;
    case QosClass::system:
      break;
  }
  return decide::NetworkClass::system;
}

/// What no other class is guaranteed goes to system, which its own strategy may limit.
void divide(const QosStrategy& qos, decide::NetworkPlan& plan) {
  BitRate others{};
  for (std::size_t i = 0; i < decide::kNetworkClasses; ++i) {
    plan.classes[i] = share_of(enabled_of(qos, kQosOf[i]), plan.total);
    if (kQosOf[i] != QosClass::system) others += plan.classes[i].egress_request;
  }
  auto& system = plan.classes[static_cast<std::size_t>(decide::NetworkClass::system)];
  system.egress_request = std::min(std::max(system.egress_request, plan.total - others), system.egress_limit);
}

void add_members(const NodeSnapshot& node, decide::NetworkPlan& plan) {
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
  if (const auto total = network_bandwidth(slo.system)) return total;
  return node.network->speed;
}

void decide(const NodeSnapshot& node, const NodeSlo& slo, decide::NoState& /*state*/,
            NetworkPolicy::Facts /*facts*/, decide::Intents& out) {
  if (slo.evenkeel.hands_off) return;
  auto& plan = out.network();
  plan.by = out.policy();
  plan.state = decide::NetworkPlan::State::hold;
  if (!node.network) {
    plan.why_not = "no interface with a default route is known";
    return;
  }
  plan.link = node.network.get();
  const auto total = total_of(node, slo);
  if (!total || *total <= decide::kLeastNetworkRate) {
    plan.why_not = "the node's bandwidth is not known: set systemStrategy.totalNetworkBandwidth";
    return;
  }
  if (!node.pods_known) return;
  plan.total = *total;
  plan.state = decide::NetworkPlan::State::on;
  divide(slo.qos, plan);
  add_members(node, plan);
}

}  // namespace

bool shares_network(const NodeSlo& slo) {
  return slo.qos.net_qos_policy == NetQosPolicy::tc &&
         std::ranges::any_of(kQosOf, [&](QosClass of) { return enabled_of(slo.qos, of) != nullptr; });
}

constinit const NetworkPolicy network_qos_policy{
    {"network-qos", "each class's share of the network, and single pods' limits", shares_network}, decide};

}  // namespace evenkeel::io
