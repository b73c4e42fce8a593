// The memory files of vendor kernels: what each level is to hold, and that a kernel without them hears of
// nothing.
#include <gtest/gtest.h>

#include "qos/memory/policies.h"
#include "tests/support/scenes/one_policy.h"
#include "tests/support/scenes/snapshot_builder.h"

namespace evenkeel {
namespace {

using namespace evenkeel::literals;
using test::intended;

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
      for (const Knob knob : kFiles) cgroup.applied.plain.set(knob, row(knob).values.initial);
  }
  void decide() {
    out.clear();
    decide::PolicyState state;
    test::decide_one(memory::memory_qos_policy, node, slo, state, out);
  }
  [[nodiscard]] std::int64_t at(CgroupIndex index, Knob knob) const {
    return intended(out, node.cgroup(index)->id, knob);
  }
  NodeSnapshot node;
  NodeSlo slo{};
  decide::Intents out{};
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

// --- worked examples 14 to 16 and 18 of memory QoS

TEST(MemoryVendor, ThePageCacheLimitIsAPartOfThePodsLimitAndNeverAbove) {
  struct Example {
    MemoryQosOverride own;
    std::int64_t size, enable, sync;
  };
  const Example examples[] = {
      {{.page_cache_limit_percent = 50_pct}, 536870912, 1, 0},  // 14
      {{.page_cache_limit_size = 2048_MiB}, 1073741824, 1, 0},  // 15: no more than the pod may have
      {{.page_cache_enable = false, .page_cache_limit_percent = 50_pct}, 536870912, 0, 0},
  };
  for (const Example& e : examples) {
    Scene scene(e.own);
    scene.decide();
    const auto pod = scene.node.pods[0].cgroup;
    EXPECT_EQ(scene.at(pod, Knob::page_cache_limit_size), e.size);
    EXPECT_EQ(scene.at(pod, Knob::page_cache_limit_enable), e.enable);
    EXPECT_EQ(scene.at(pod, Knob::page_cache_limit_sync), e.sync);
  }
}

TEST(MemoryVendor, HalfOfNoLimitIsNoPageCacheLimit) {  // 16
  auto node = test::node()
                  .pod("s")
                  .ls()
                  .memory_qos({.page_cache_limit_percent = 50_pct})
                  .container("a")
                  .memory(512_MiB)
                  .build();
  node.node.memory = NodeMemory{32768_MiB, 32768_MiB, {}, {}, {}};
  for (auto& cgroup : node.cgroups)
    for (const Knob knob : kFiles) cgroup.applied.plain.set(knob, row(knob).values.initial);
  decide::PolicyState state;
  decide::Intents out{};
  test::decide_one(memory::memory_qos_policy, node, NodeSlo{}, state, out);
  const CgroupId pod = node.cgroup(node.pods[0].cgroup)->id;
  EXPECT_EQ(intended(out, pod, Knob::page_cache_limit_size), kNothing);
  EXPECT_EQ(intended(out, pod, Knob::page_cache_limit_enable), kNothing);
}

TEST(MemoryVendor, APodsAutoIsItsClassesDefaultAndItsOwnWords) {  // 18
  auto node = test::node()
                  .pod("b")
                  .be()
                  .memory_qos({.policy = MemoryQosOverride::Policy::automatic, .throttling_percent = 40_pct})
                  .container("c")
                  .batch_memory(512_MiB, 1024_MiB)
                  .build();
  node.node.memory = NodeMemory{32768_MiB, 32768_MiB, {}, {}, {}};
  for (auto& cgroup : node.cgroups) {
    for (const Knob knob : kFiles) cgroup.applied.plain.set(knob, row(knob).values.initial);
    cgroup.applied.plain.set(Knob::memory_high, kPlainMax);
    cgroup.memory.current = Bytes{};
  }
  decide::PolicyState state;
  decide::Intents out{};
  test::decide_one(memory::memory_qos_policy, node, NodeSlo{}, state, out);  // the node's class is off
  const CgroupId container = node.cgroup(node.containers[0].cgroup)->id;
  EXPECT_EQ(intended(out, container, Knob::memory_wmark_ratio), 95);
  EXPECT_EQ(intended(out, container, Knob::memory_wmark_scale_factor), 20);
  EXPECT_EQ(intended(out, container, Knob::memory_wmark_min_adj), 50);
  EXPECT_EQ(intended(out, container, Knob::memory_high), Bytes(512_MiB).count() * 14 / 10 / 4096 * 4096);
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
