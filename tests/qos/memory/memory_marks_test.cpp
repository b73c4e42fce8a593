// The worked examples of the page cache limit, the marks of background reclaim, and who has a say in them.
#include <gtest/gtest.h>

#include "qos/memory/watermarks.h"
#include "qos/model/snapshot.h"

namespace evenkeel {
namespace {

using namespace evenkeel::literals;
constexpr Bytes kGiB{std::int64_t{1} << 30};

Pod pod_with(std::optional<Bytes> limit, const MemoryQosOverride& own = {}) {
  Pod pod;
  pod.phase = PodPhase::running;
  pod.kube_qos = KubeQos::burstable;
  pod.memory_qos = own;
  pod.containers.resize(1);
  pod.containers[0].limits.memory = pod.containers[0].limits.batch_memory = limit;
  return pod;
}

// Worked examples 14 to 17 of memory QoS.
TEST(PageCacheLimit, WorkedExamples) {
  memory::MemoryTerms half, size, none;
  half.page_cache_percent = 50_pct;
  size.page_cache_size = Bytes(2 * kGiB.count());
  none.page_cache_size = Bytes{};
  EXPECT_EQ(memory::page_cache_limit(half, kGiB), Bytes(536870912));
  EXPECT_EQ(memory::page_cache_limit(size, kGiB), Bytes(1073741824)) << "capped";
  EXPECT_EQ(memory::page_cache_limit(half, std::nullopt), std::nullopt) << "a share of what?";
  EXPECT_EQ(memory::page_cache_limit(none, kGiB), std::nullopt) << "zero is off";
  EXPECT_EQ(memory::page_cache_limit(size, std::nullopt), size.page_cache_size);
  size.page_cache_enable = false;
  EXPECT_EQ(memory::page_cache_limit(size, kGiB), std::nullopt);
}

struct FilesExample {
  std::optional<Percent> percent{};
  std::optional<Bytes> size{}, pod_limit{};
  bool sync = false;
  std::optional<bool> switched{};
  std::optional<Bytes> expect_size{};
  std::optional<bool> expect_enable{}, expect_sync{};
};

// Likewise, where the kernel has files for it.
TEST(PageCacheFiles, WorkedExamples) {
  const FilesExample examples[] = {
      {.percent = 50_pct,
       .pod_limit = kGiB,
       .expect_size = Bytes(536870912),
       .expect_enable = true,
       .expect_sync = false},
      {.size = Bytes(2 * kGiB.count()),
       .pod_limit = kGiB,
       .sync = true,
       .expect_size = kGiB,
       .expect_enable = true,
       .expect_sync = true},
      {.percent = 50_pct},
      {.size = Bytes{}, .expect_size = Bytes{}, .expect_enable = false},
      {.size = kGiB, .switched = false, .expect_size = kGiB, .expect_enable = false, .expect_sync = false},
      {.switched = true, .expect_enable = true},
  };
  for (const auto& e : examples) {
    memory::MemoryTerms terms;
    terms.page_cache_percent = e.percent;
    terms.page_cache_size = e.size;
    terms.page_cache_sync = e.sync;
    terms.page_cache_enable = e.switched;
    const auto files = memory::page_cache_files(terms, e.pod_limit);
    const auto which = &e - examples;
    EXPECT_EQ(files.size, e.expect_size) << which;
    EXPECT_EQ(files.enable, e.expect_enable) << which;
    EXPECT_EQ(files.sync, e.expect_sync) << which;
  }
}

TEST(PageCacheLimit, APodHasALimitWhenEachOfItsContainersHasOne) {
  Pod pod = pod_with(kGiB);
  pod.overhead.memory = 64_MiB;
  EXPECT_EQ(memory::memory_limit(pod), kGiB + 64_MiB);
  pod.containers.emplace_back();
  EXPECT_EQ(memory::memory_limit(pod), std::nullopt);
  EXPECT_EQ(memory::memory_limit(Pod{}), std::nullopt);
  Pod batch = pod_with(kGiB);
  batch.label_qos = QosClass::be;
  batch.containers[0].limits.memory = {};
  EXPECT_EQ(memory::memory_limit(batch), kGiB) << "its batch memory";
}

TEST(PageCacheLimit, APodsOwnLimitCountsInPlaceOfTheContainers) {
  Pod pod = pod_with(kGiB);
  pod.containers[0].limits.memory = {};
  pod.containers.push_back(pod.containers[0]);
  pod.pod_level_limits.memory = kGiB;
  EXPECT_EQ(memory::memory_limit(pod), kGiB) << "once, not for each container";
  pod.overhead.memory = 64_MiB;
  EXPECT_EQ(memory::memory_limit(pod), kGiB + 64_MiB);
}

TEST(ReclaimMarks, AreSharesOfTheTighterLimit) {
  memory::MemoryTerms terms;
  terms.wmark_ratio = 95_pct;
  terms.wmark_scale_permill = 20;
  const auto marks = memory::reclaim_marks(terms, Bytes(1000000), kNoMemoryLimit, Bytes{});
  ASSERT_TRUE(marks);
  EXPECT_EQ(marks->high, Bytes(950000));
  EXPECT_EQ(marks->low, Bytes(930000));
  EXPECT_EQ(memory::reclaim_marks(terms, Bytes(1000000), Bytes(500000), Bytes{})->high, Bytes(475000));
  EXPECT_EQ(memory::reclaim_marks(terms, std::nullopt, Bytes(500000), Bytes{})->low, Bytes(465000));
  EXPECT_FALSE(memory::reclaim_marks(terms, std::nullopt, kNoMemoryLimit, Bytes{})) << "nothing limits it";
  terms.wmark_scale_permill = 1000;
  EXPECT_EQ(memory::reclaim_marks(terms, Bytes(1000000), kNoMemoryLimit, Bytes{})->low, Bytes{});
  terms.wmark_ratio = Percent{};
  EXPECT_FALSE(memory::reclaim_marks(terms, Bytes(1000000), kNoMemoryLimit, Bytes{})) << "zero is off";
}

TEST(ReclaimMarks, WhatIsProtectedIsNotTouched) {
  memory::MemoryTerms terms;
  terms.wmark_ratio = 95_pct;
  terms.wmark_scale_permill = 100;
  EXPECT_EQ(memory::reclaim_marks(terms, Bytes(1000000), kNoMemoryLimit, Bytes(900000))->low, Bytes(900000));
  EXPECT_FALSE(memory::reclaim_marks(terms, Bytes(1000000), kNoMemoryLimit, Bytes(950000)));
}

// Worked examples 18 and 19.
TEST(MemoryTerms, TheBuiltInTableAndRefusal) {
  using Policy = MemoryQosOverride::Policy;
  Pod batch = pod_with(kGiB, {.policy = Policy::automatic, .throttling_percent = 40_pct});
  batch.label_qos = QosClass::be;
  const auto automatic = memory::memory_terms(batch, QosStrategy{});
  ASSERT_TRUE(automatic);
  EXPECT_EQ(automatic->wmark_ratio, 95_pct);
  EXPECT_EQ(automatic->wmark_scale_permill, 20);
  EXPECT_EQ(automatic->wmark_min_adj, 50);
  EXPECT_EQ(automatic->throttling, 40_pct);
  EXPECT_FALSE(memory::memory_terms(pod_with(kGiB, {.policy = Policy::none, .min_limit_percent = 100_pct}),
                                    QosStrategy{}));
}

TEST(MemoryTerms, APodMayAskForReclaimOfItsOwn) {
  const auto own = memory::memory_terms(pod_with(kGiB, {.wmark_ratio = 90_pct}), QosStrategy{});
  ASSERT_TRUE(own);
  EXPECT_EQ(own->wmark_ratio, 90_pct);
  EXPECT_EQ(own->wmark_scale_permill, 50) << "of a class that is off";
  QosStrategy qos;
  qos.ls.memory = MemoryQos{.enable = true, .wmark_ratio = 95_pct, .wmark_scale_permill = 20};
  qos.ls.memory->page_cache_limit_percent = 50_pct;
  const auto off =
      memory::memory_terms(pod_with(kGiB, {.wmark_ratio = Percent{}, .page_cache_enable = false}), qos);
  ASSERT_TRUE(off);
  EXPECT_EQ(off->wmark_ratio, Percent{});
  EXPECT_EQ(off->wmark_scale_permill, 20);
  EXPECT_EQ(memory::page_cache_limit(*off, kGiB), std::nullopt);
}

}  // namespace
}  // namespace evenkeel
