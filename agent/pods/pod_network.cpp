// Reads the addresses that identify a pod's packets, and the annotation koordinator.sh/networkQOS: the pod's
// bandwidth limits in each direction.
// Reads the annotation koordinator.sh/blkioQOS: a pod's disk limits, and the volumes that it may name.
#include <arpa/inet.h>

#include "agent/config/schema_read.h"
#include "agent/pods/kube_text.h"
#include "agent/pods/pod_list.h"

namespace evenkeel::pods {

namespace {

constexpr const char* kNetworkKey = "koordinator.sh/networkQOS";
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
  const auto parsed = annotation_object(pod.annotations, kNetworkKey);
  if (!parsed.problems.empty()) return parsed.problems.front().text();
  if (parsed.root.null()) return {};
  config::SchemaRead read{.file = kNetworkKey};
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

namespace {

constexpr const char* kBlkioKey = "koordinator.sh/blkioQOS";
constexpr std::size_t kMostBlocks = 64;

/// The same keys and ranges as blkioQOS of a class. Not empty: why it is invalid.
std::string read_blocks(const Pod& pod, std::vector<Block>& blocks) {
  // Koordinator writes an empty text for "none".
  const auto text = pod.annotations.find(kBlkioKey);
  if (text == pod.annotations.end() || text->second.find_first_not_of(" \t\n") == std::string::npos)
    return {};
  const auto parsed = annotation_object(pod.annotations, kBlkioKey);
  if (!parsed.problems.empty()) return parsed.problems.front().text();
  if (parsed.root.null()) return {};
  config::SchemaRead read{.file = kBlkioKey};
  BlkioQos out{.enable = true};
  config::read_section(parsed.root, config::blkio_rows(), &out, "", false, read);
  if (!read.problems.empty()) return read.problems.front().text();
  if (out.blocks.size() > kMostBlocks)
    return std::string(kBlkioKey) + ": found " + std::to_string(out.blocks.size()) +
           " blocks; legal: at most " + std::to_string(kMostBlocks);
  for (const auto& block : out.blocks)
    if (block.name.empty()) return std::string(kBlkioKey) + ": found a block without a name";
  if (out.enable) blocks = std::move(out.blocks);
  return {};
}

}  // namespace

void read_blkio(Pod& pod, std::vector<std::string>& notices) {
  if (const auto why = read_blocks(pod, pod.blocks); !why.empty())
    notices.push_back("pod " + pod_title(pod) + ": annotation ignored, no limits of its own: " + why);
}

void read_volumes(const document::Value& item, Pod& pod) {
  const auto volumes = pod.blocks.empty() ? std::nullopt : list_at(item, {"spec", "volumes"});
  if (!volumes) return;
  for (const auto& volume : *volumes) {
    const bool is_claim =
        value_at(volume, {"persistentVolumeClaim"}) != nullptr || value_at(volume, {"ephemeral"}) != nullptr;
    pod.volumes.push_back({text_at(volume, {"name"}), is_claim});
  }
}

}  // namespace evenkeel::pods
