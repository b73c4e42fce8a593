// Reads the addresses that identify a pod's packets, and the annotation koordinator.sh/networkQOS: the pod's
// bandwidth limits in each direction.
#include <arpa/inet.h>

#include "agent/config/schema_read.h"
#include "agent/pods/kube_text.h"
#include "agent/pods/pod_list.h"

namespace evenkeel::pods {
namespace {

constexpr const char* kKey = "koordinator.sh/networkQOS";
constexpr std::size_t kMostAddresses = 16;

std::optional<IpAddress> parse_address(const std::string& text) {
  IpAddress out;
  if (::inet_pton(AF_INET, text.c_str(), out.bytes.data()) == 1) return out;
  out.v6 = true;
  if (::inet_pton(AF_INET6, text.c_str(), out.bytes.data()) == 1) return out;
  return std::nullopt;
}

/// Not empty: why it is invalid.
std::string read_limits(const Pod& pod, NetworkLimits& limits) {
  const auto parsed = annotation_object(pod.annotations, kKey);
  if (!parsed.problems.empty()) return parsed.problems.front().text();
  if (parsed.root.null()) return {};
  config::SchemaRead read{.file = kKey};
  NetworkLimits out;
  config::read_section(parsed.root, config::network_limit_rows(), &out, "", false, read);
  if (!read.problems.empty()) return read.problems.front().text();
  limits = out;
  return {};
}

}  // namespace

void read_network(const document::Value& item, Pod& pod, std::vector<std::string>& notices) {
  auto& network = pod.network;
  network.of_host = text_at(item, {"spec", "hostNetwork"}) == "true";
  if (const auto why = read_limits(pod, network.limits); !why.empty())
    notices.push_back("pod " + pod_title(pod) + ": annotation ignored, no limits of its own: " + why);
  if (network.of_host) return;
  const auto addresses = list_at(item, {"status", "podIPs"});
  for (const auto& one : addresses.value_or(std::span<const document::Value>()))
    if (const auto address = parse_address(text_at(one, {"ip"}));
        address && network.addresses.size() < kMostAddresses)
      network.addresses.push_back(*address);
}

}  // namespace evenkeel::pods
