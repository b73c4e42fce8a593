// Tests what counts where the Node object and the kernel disagree.
#include "qos/model/capacity.h"

#include <gtest/gtest.h>

namespace evenkeel {
namespace {

using namespace evenkeel::literals;

constexpr Bytes gib(std::int64_t count) { return Bytes(count << 30); }

NodeSample machine() {
  NodeSample node;
  node.cpu_capacity = 16000_mcpu;
  node.memory = NodeMemory{.total = gib(64), .available = gib(40), .hugepages = gib(8)};
  return node;
}

TEST(Capacity, TheSmallerOfObjectAndKernelCounts) {
  NodeObject object;
  EXPECT_EQ(cpu_capacity(object, machine()), 16000_mcpu);
  EXPECT_EQ(memory_capacity(object, machine()), gib(56));
  object.cpu_capacity = 32000_mcpu;
  object.memory_capacity = gib(128);
  EXPECT_EQ(cpu_capacity(object, machine()), 16000_mcpu) << "CPUs went offline";
  EXPECT_EQ(memory_capacity(object, machine()), gib(56));
  object.cpu_capacity = 8000_mcpu;
  object.memory_capacity = gib(32);
  EXPECT_EQ(cpu_capacity(object, machine()), 8000_mcpu);
  EXPECT_EQ(memory_capacity(object, machine()), gib(24));
}

TEST(Capacity, WhatTheKernelDoesNotSayIsNotGuessed) {
  const NodeObject object{.cpu_capacity = 8000_mcpu, .memory_capacity = gib(32)};
  EXPECT_EQ(cpu_capacity(object, {}), 8000_mcpu);
  EXPECT_EQ(cpu_capacity({}, {}), 0_mcpu);
  EXPECT_EQ(memory_capacity(object, {}), std::nullopt) << "the pools of huge pages are unknown";
}

TEST(Capacity, AmplifiedAmountsProtectNoMoreThanThereIs) {
  NodeObject object{.cpu_capacity = 16000_mcpu,
                    .cpu_allocatable = 30000_mcpu,
                    .memory_capacity = gib(64),
                    .memory_allocatable = gib(108)};
  EXPECT_EQ(cpu_allocatable(object, machine()), 16000_mcpu);
  EXPECT_EQ(memory_allocatable(object, machine()), gib(56));
  EXPECT_EQ(kubelet_reserved_cpu(object, machine()), 0_mcpu);
  object.cpu_raw_allocatable = 15000_mcpu;
  object.memory_raw_allocatable = gib(54);
  EXPECT_EQ(cpu_allocatable(object, machine()), 15000_mcpu);
  EXPECT_EQ(memory_allocatable(object, machine()), gib(54));
  EXPECT_EQ(kubelet_reserved_cpu(object, machine()), 1000_mcpu);
  EXPECT_EQ(kubelet_reserved_memory(object, machine()), gib(10));
}

TEST(Capacity, TheKubeletsReservationIsThatOfItsOwnFigures) {
  const NodeObject older{.cpu_capacity = 32000_mcpu, .cpu_allocatable = 30000_mcpu};
  EXPECT_EQ(kubelet_reserved_cpu(older, machine()), 2000_mcpu);
  EXPECT_EQ(cpu_allocatable(older, machine()), 16000_mcpu);
  EXPECT_EQ(cpu_allocatable({}, machine()), std::nullopt);
  EXPECT_EQ(kubelet_reserved_cpu({}, machine()), 0_mcpu);
}

}  // namespace
}  // namespace evenkeel
