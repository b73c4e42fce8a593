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
  const auto& said = object.cpu_raw_allocatable ? object.cpu_raw_allocatable : object.cpu_allocatable;
  return said ? smaller(said, online(node)) : said;
}

std::optional<Bytes> memory_allocatable(const NodeObject& object, const NodeSample& node) {
  const auto& said =
      object.memory_raw_allocatable ? object.memory_raw_allocatable : object.memory_allocatable;
  return said ? smaller(said, memory_capacity(object, node)) : said;
}

MilliCpu kubelet_reserved_cpu(const NodeObject& object, const NodeSample& node) {
  const auto whole = object.cpu_capacity ? object.cpu_capacity : online(node);
  return difference(whole, object.cpu_raw_allocatable ? object.cpu_raw_allocatable : object.cpu_allocatable);
}

Bytes kubelet_reserved_memory(const NodeObject& object, const NodeSample& node) {
  const auto whole = object.memory_capacity ? object.memory_capacity : total(node);
  return difference(
      whole, object.memory_raw_allocatable ? object.memory_raw_allocatable : object.memory_allocatable);
}

std::optional<BitRate> network_bandwidth(const SystemStrategy& strategy) {
  const auto& total = strategy.total_network_bandwidth;
  return total != BitRate{} ? total : std::nullopt;
}

}  // namespace evenkeel
