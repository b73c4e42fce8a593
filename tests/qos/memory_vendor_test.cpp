// The memory files of vendor kernels: what each level is to hold, and that a kernel without them hears of
// nothing.
#include <gtest/gtest.h>

#include "qos/memory_qos.h"
#include "tests/support/snapshot_builder.h"

namespace evenkeel {
namespace {

using namespace evenkeel::literals;
using test::wished;

constexpr Knob kFiles[] = {
    Knob::memory_oom_group,        Knob::memory_wmark_ratio,    Knob::memory_wmark_scale_factor,
    Knob::memory_wmark_min_adj,    Knob::memory_priority,       Knob::memory_use_priority_oom,
    Knob::page_cache_limit_enable, Knob::page_cache_limit_size, Knob::page_cache_limit_sync};
constexpr std::int64_t kNothing = -1;

/// A service and a batch pod on a kernel with all of the files.
struct Scene {
  explicit Scene(const MemoryQosOverride& of_service = {}) {
    auto builder = test::node().pod("s").ls().memory_qos(of_service).container("a").memory(512_MiB, 1024_MiB);
    node = builder.pod("b").be().container("c").batch_memory(512_MiB, 1024_MiB).build();
    node.node.memory = NodeMemory{32768_MiB, 32768_MiB, {}, {}, {}};
    for (auto& cgroup : node.cgroups)
      for (const Knob knob : kFiles) cgroup.applied.plain.set(knob, row(knob).initial);
  }
  void decide() {
    out.clear();
    PolicyState state;
    memory_qos_policy.decide(node, slo, state, out);
  }
  [[nodiscard]] std::int64_t at(CgroupIndex index, Knob knob) const {
    return wished(out, node.cgroup(index)->id, knob);
  }
  NodeSnapshot node;
  NodeSlo slo{};
  Intents out{};
};

MemoryQos asking() {
  MemoryQos out;
  out.enable = true;
  out.wmark_ratio = 95_pct;
  out.wmark_scale_permill = 20;
  out.wmark_min_adj = -25;
  out.priority_enable = 1;
  out.priority = 7;
  out.oom_kill_group = 1;
  out.page_cache_limit_percent = 50_pct;
  out.page_cache_reclaim_sync = true;
  return out;
}

TEST(MemoryVendor, PodsAndContainersGetWhatTheirClassSays) {
  Scene scene;
  scene.slo.qos.ls.memory = asking();
  scene.decide();
  for (const auto index : {scene.node.pods[0].cgroup, scene.node.containers[0].cgroup}) {
    EXPECT_EQ(scene.at(index, Knob::memory_wmark_ratio), 95);
    EXPECT_EQ(scene.at(index, Knob::memory_wmark_scale_factor), 20);
    EXPECT_EQ(scene.at(index, Knob::memory_wmark_min_adj), -25);
    EXPECT_EQ(scene.at(index, Knob::memory_priority), 7);
    EXPECT_EQ(scene.at(index, Knob::memory_use_priority_oom), 1);
    EXPECT_EQ(scene.at(index, Knob::memory_oom_group), 1);
  }
  EXPECT_EQ(scene.at(scene.node.pods[0].cgroup, Knob::page_cache_limit_size), (512_MiB).count());
  EXPECT_EQ(scene.at(scene.node.pods[0].cgroup, Knob::page_cache_limit_enable), 1);
  EXPECT_EQ(scene.at(scene.node.pods[0].cgroup, Knob::page_cache_limit_sync), 1);
  EXPECT_EQ(scene.at(scene.node.containers[0].cgroup, Knob::page_cache_limit_size), kNothing) << "pods only";
  EXPECT_EQ(scene.at(scene.node.pods[1].cgroup, Knob::memory_wmark_ratio), kNothing) << "its class is off";
}

TEST(MemoryVendor, TheDirectoriesAboveGetRanksAndNothingThatWouldKillThemWhole) {
  Scene scene;
  scene.slo.qos.ls.memory = asking();
  scene.slo.qos.be.memory = MemoryQos{.enable = true, .priority = 1};
  scene.slo.qos.lsr.memory = MemoryQos{.enable = false, .priority = 12};
  scene.decide();
  EXPECT_EQ(scene.at(scene.node.burstable, Knob::memory_priority), 7);
  EXPECT_EQ(scene.at(scene.node.burstable, Knob::memory_use_priority_oom), 1);
  EXPECT_EQ(scene.at(scene.node.besteffort, Knob::memory_priority), 1);
  EXPECT_EQ(scene.at(scene.node.kubepods, Knob::memory_priority), kNothing) << "lsrClass is off";
  for (const Knob knob : {Knob::memory_oom_group, Knob::memory_wmark_ratio})
    EXPECT_EQ(scene.at(scene.node.burstable, knob), kNothing);
}

TEST(MemoryVendor, WhatANewCgroupHasAnywayIsNoWish) {
  Scene scene;
  MemoryQos neutral = asking();
  neutral.wmark_ratio = Percent{};
  neutral.wmark_scale_permill = 50;
  neutral.wmark_min_adj = neutral.priority = neutral.priority_enable = neutral.oom_kill_group = 0;
  neutral.page_cache_limit_percent.reset();
  scene.slo.qos.ls.memory = neutral;
  scene.decide();
  EXPECT_TRUE(scene.out.all().empty());
}

TEST(MemoryVendor, APodsOwnWordsCount) {
  Scene scene({.wmark_min_adj = 10, .priority = 3, .page_cache_limit_size = Bytes{}});
  scene.decide();
  const auto pod = scene.node.pods[0].cgroup;
  EXPECT_EQ(scene.at(pod, Knob::memory_wmark_min_adj), 10);
  EXPECT_EQ(scene.at(pod, Knob::memory_priority), 3);
  EXPECT_EQ(scene.at(pod, Knob::page_cache_limit_size), 0);
  EXPECT_EQ(scene.at(pod, Knob::page_cache_limit_enable), 0) << "worked example 17";
  EXPECT_EQ(scene.at(pod, Knob::page_cache_limit_sync), kNothing);
}

TEST(MemoryVendor, AMainlineKernelIsAskedForNothing) {
  Scene scene;
  scene.slo.qos.ls.memory = scene.slo.qos.be.memory = scene.slo.qos.lsr.memory = asking();
  for (auto& cgroup : scene.node.cgroups)
    for (const Knob knob : kFiles) cgroup.applied.plain.set(knob, std::nullopt);
  scene.decide();
  EXPECT_TRUE(scene.out.all().empty());
}

}  // namespace
}  // namespace evenkeel
