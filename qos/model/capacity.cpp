#include "qos/model/capacity.h"

#include <algorithm>

namespace evenkeel {
namespace {

template <class Q>
std::optional<Q> smaller(const std::optional<Q>& a, const std::optional<Q>& b) {
  return a && b ? std::min(*a, *b) : a ? a : b;
}

template <class Q>
Q difference(const std::optional<Q>& whole, const std::optional<Q>& part) {
  return whole && part ? std::max(clamped_difference(*whole, *part), Q{}) : Q{};
}

std::optional<MilliCpu> online(const NodeSample& node) {
  return node.cpu_capacity > MilliCpu{} ? std::optional(node.cpu_capacity) : std::nullopt;
}
std::optional<Bytes> total(const NodeSample& node) {
  return node.memory && node.memory->total > Bytes{} ? std::optional(node.memory->total) : std::nullopt;
}

const std::optional<MilliCpu>& unamplified_cpu(const NodeObject& object) {
  return object.cpu_raw_allocatable ? object.cpu_raw_allocatable : object.cpu_allocatable;
}
const std::optional<Bytes>& unamplified_memory(const NodeObject& object) {
  return object.memory_raw_allocatable ? object.memory_raw_allocatable : object.memory_allocatable;
}

}  // namespace

MilliCpu cpu_capacity(const NodeObject& object, const NodeSample& node) {
  return smaller(object.cpu_capacity, online(node)).value_or(MilliCpu{});
}

std::optional<Bytes> memory_capacity(const NodeObject& object, const NodeSample& node) {
  if (!node.memory) return std::nullopt;
  const auto whole = smaller(object.memory_capacity, total(node));
  return whole ? std::optional(difference(whole, std::optional(node.memory->hugepages))) : std::nullopt;
}

std::optional<MilliCpu> cpu_allocatable(const NodeObject& object, const NodeSample& node) {
  const auto& said = unamplified_cpu(object);
  return said ? smaller(said, online(node)) : said;
}

std::optional<Bytes> memory_allocatable(const NodeObject& object, const NodeSample& node) {
  const auto& said = unamplified_memory(object);
  return said ? smaller(said, memory_capacity(object, node)) : said;
}

MilliCpu kubelet_reserved_cpu(const NodeObject& object, const NodeSample& node) {
  return difference(object.cpu_capacity ? object.cpu_capacity : online(node), unamplified_cpu(object));
}

Bytes kubelet_reserved_memory(const NodeObject& object, const NodeSample& node) {
  return difference(object.memory_capacity ? object.memory_capacity : total(node),
                    unamplified_memory(object));
}

std::optional<BitRate> network_bandwidth(const SystemStrategy& strategy) {
  const auto& total = strategy.total_network_bandwidth;
  return total != BitRate{} ? total : std::nullopt;
}

}  // namespace evenkeel
