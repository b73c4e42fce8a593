// What the peak predictor learns from a training round, what it forgets, and what it does not pretend to
// know.
#include "qos/lending/peak_predictor.h"

#include <gtest/gtest.h>

#include "tests/support/alloc_guard.h"

namespace evenkeel {
namespace {

using namespace literals;
using std::chrono::hours;
using std::chrono::minutes;

constexpr PredictionSettings kSettings{};
constexpr MonoTime kStart{hours(100)};

PodUsage pod(const std::string& uid, PriorityClass priority_class, Usage usage) {
  return {.uid = uid, .priority_class = priority_class, .usage = usage};
}
Usage uses(MilliCpu cpu, Bytes memory) { return {cpu, memory}; }

/// The prediction of one sample: the end of its bucket.
MilliCpu cpu_peak(double cores) {
  return MilliCpu(
      static_cast<std::int64_t>(lending::kCpuScale.start(lending::kCpuScale.bucket(cores) + 1) * 1000));
}
Bytes memory_peak(Bytes bytes) {
  const auto bucket = lending::kMemoryScale.bucket(static_cast<double>(bytes.count()));
  return Bytes(static_cast<std::int64_t>(lending::kMemoryScale.start(bucket + 1)));
}

/// 8 CPUs and 8000 MiB in use: two services, one batch pod, and what is left for the system.
lending::TrainingRound ordinary_round() {
  return {.node = uses(8000_mcpu, 8000_MiB),
          .pods = {pod("web", PriorityClass::prod, uses(2000_mcpu, 1000_MiB)),
                   pod("db", PriorityClass::prod, uses(1000_mcpu, 3000_MiB)),
                   pod("job", PriorityClass::batch, uses(4000_mcpu, 500_MiB))}};
}

TEST(PeakPredictor, LearnsPodsClassesTheSystemAndTheNode) {
  lending::PeakPredictor predictor;
  predictor.train(ordinary_round(), kSettings, kStart);
  EXPECT_EQ(predictor.predict("web"), uses(2001_mcpu, memory_peak(1000_MiB)));
  EXPECT_EQ(predictor.predict("@prod"), uses(cpu_peak(3), memory_peak(4000_MiB)));
  EXPECT_EQ(predictor.predict("@batch"), uses(4217_mcpu, memory_peak(500_MiB)));
  EXPECT_EQ(predictor.predict(lending::kSystemModel), uses(cpu_peak(1), memory_peak(3500_MiB)));
  EXPECT_EQ(predictor.predict(lending::kNodeModel), uses(8394_mcpu, memory_peak(8000_MiB)));
}

TEST(PeakPredictor, AClassWithoutPodsUsesNothing) {
  lending::PeakPredictor predictor;
  predictor.train(ordinary_round(), kSettings, kStart);
  for (const auto idle : {PriorityClass::mid, PriorityClass::free, PriorityClass::none})
    EXPECT_EQ(predictor.predict(lending::class_model(idle)), uses(25_mcpu, 5_MiB));
}

TEST(PeakPredictor, EveryClassHasAModelOfItsOwn) {
  for (const auto priority_class : {PriorityClass::none, PriorityClass::prod, PriorityClass::mid,
                                    PriorityClass::batch, PriorityClass::free}) {
    lending::PeakPredictor predictor;
    predictor.train({.node = {}, .pods = {pod("p", priority_class, uses(4000_mcpu, 1_MiB))}}, kSettings,
                    kStart);
    for (const auto key : lending::kClassModels)
      EXPECT_EQ(predictor.predict(key).cpu, key == lending::class_model(priority_class) ? 4217_mcpu : 25_mcpu)
          << key;
  }
}

TEST(PeakPredictor, WhatWasNeverMeasuredIsUnknown) {
  lending::PeakPredictor predictor;
  EXPECT_EQ(predictor.predict("web"), Usage{});
  EXPECT_EQ(predictor.predict(lending::kSystemModel), Usage{});
}

TEST(PeakPredictor, WithoutTheNodeNothingIsLearnedOfTheSystem) {
  lending::PeakPredictor predictor;
  auto round = ordinary_round();
  round.node.reset();
  predictor.train(round, kSettings, kStart);
  EXPECT_EQ(predictor.predict(lending::kSystemModel), Usage{});
  EXPECT_EQ(predictor.predict(lending::kNodeModel), Usage{});
  EXPECT_EQ(predictor.predict("web").cpu, 2001_mcpu);
  // With the memory alone unknown, the CPU is learned all the same.
  round.node = Usage{.cpu = 8000_mcpu};
  predictor.train(round, kSettings, kStart + minutes(1));
  EXPECT_EQ(predictor.predict(lending::kSystemModel), (Usage{.cpu = cpu_peak(1)}));
}

TEST(PeakPredictor, APodThatCouldNotBeMeasuredCountsAsTheSystem) {
  lending::PeakPredictor predictor;
  auto round = ordinary_round();
  round.pods[0].usage = {};
  round.pods[1].usage.cpu.reset();
  predictor.train(round, kSettings, kStart);
  EXPECT_EQ(predictor.predict("web"), Usage{}) << "no model is made of nothing";
  EXPECT_EQ(predictor.predict("db"), (Usage{.memory = memory_peak(3000_MiB)}));
  EXPECT_EQ(predictor.predict("@prod"), uses(25_mcpu, memory_peak(3000_MiB)));
  EXPECT_EQ(predictor.predict(lending::kSystemModel), uses(cpu_peak(4), memory_peak(4500_MiB)));
}

TEST(PeakPredictor, PodsThatTogetherPeakAboveTheNodeDidNotPeakTogether) {
  lending::PeakPredictor predictor;
  predictor.train({.node = uses(4000_mcpu, 100_MiB),
                   .pods = {pod("a", PriorityClass::prod, uses(3000_mcpu, 30_MiB)),
                            pod("b", PriorityClass::prod, uses(3000_mcpu, 30_MiB))}},
                  kSettings, kStart);
  EXPECT_EQ(predictor.predict("@prod").cpu, 4217_mcpu) << "4000m, what the node used";
  EXPECT_EQ(predictor.predict("@prod").memory, memory_peak(60_MiB));
  EXPECT_EQ(predictor.predict(lending::kSystemModel).cpu, 25_mcpu) << "not below zero";
}

TEST(PeakPredictor, AbsurdMeasurementsDoNotWrapAround) {
  lending::PeakPredictor predictor;
  lending::TrainingRound round{.node = uses(4000_mcpu, 100_MiB), .pods = {}};
  for (const auto* uid : {"a", "b", "c"})
    round.pods.push_back(pod(uid, PriorityClass::prod, uses(1_mcpu, Bytes(INT64_MAX / 2))));
  predictor.train(round, kSettings, kStart);
  EXPECT_EQ(predictor.predict("@prod").memory, memory_peak(100_MiB)) << "what the node used";
  EXPECT_EQ(predictor.predict(lending::kSystemModel).memory, 5_MiB);
}

TEST(PeakPredictor, ALevelIsAPercentileOfThePast) {
  lending::PeakPredictor predictor;
  for (int i = 0; i < 100; ++i) {
    const auto usage = i % 10 == 0 ? uses(8000_mcpu, 1024_MiB) : uses(1000_mcpu, 256_MiB);
    predictor.train({.node = {}, .pods = {pod("web", PriorityClass::prod, usage)}}, kSettings,
                    kStart + minutes(i));
  }
  EXPECT_EQ(predictor.predict("web", {.cpu = 0.6, .memory = 0.6}), uses(1035_mcpu, Bytes(286'623'669)));
  EXPECT_EQ(predictor.predict("web"), uses(8394_mcpu, Bytes(1'097'586'419)));
  EXPECT_EQ(predictor.predict("web", {.cpu = 0, .memory = 1}), uses(1035_mcpu, Bytes(1'097'586'419)));
}

// --- forgetting
// ----------------------------------------------------------------------------------------------

TEST(PeakPredictor, AModelThatLearnsNothingIsDropped) {
  lending::PeakPredictor predictor;
  predictor.train(ordinary_round(), kSettings, kStart);
  auto later = ordinary_round();
  later.pods.erase(later.pods.begin());
  predictor.train(later, kSettings, kStart + minutes(30));
  EXPECT_NE(predictor.find("web"), nullptr) << "not yet above the expiration";
  predictor.train(later, kSettings, kStart + minutes(31));
  EXPECT_EQ(predictor.find("web"), nullptr);
  EXPECT_EQ(predictor.models().size(), 2 + 7U);
}

TEST(PeakPredictor, EachResourceExpiresByItself) {
  lending::PeakPredictor predictor;
  predictor.train(ordinary_round(), kSettings, kStart);
  auto later = ordinary_round();
  later.pods[0].usage.memory.reset();
  later.node.reset();
  for (int minute = 1; minute <= 31; ++minute) predictor.train(later, kSettings, kStart + minutes(minute));
  EXPECT_EQ(predictor.predict("web"), (Usage{.cpu = 2001_mcpu}));
  EXPECT_EQ(predictor.find(lending::kSystemModel), nullptr);
}

TEST(PeakPredictor, WhatComesBackBeginsAnew) {
  lending::PeakPredictor predictor;
  predictor.train(ordinary_round(), kSettings, kStart);
  predictor.train({}, kSettings, kStart + hours(1));
  predictor.train(ordinary_round(), kSettings, kStart + hours(2));
  EXPECT_EQ(predictor.find("web")->since, kStart + hours(2));
  EXPECT_EQ(predictor.find("web")->cpu.total(), 1);
}

TEST(PeakPredictor, HalfLivesAreThoseOfTheSettings) {
  lending::PeakPredictor predictor;
  const PredictionSettings settings{.cpu_half_life = hours(1), .memory_half_life = hours(2)};
  predictor.train(ordinary_round(), settings, kStart);
  predictor.train(ordinary_round(), settings, kStart + hours(2));
  EXPECT_NEAR(predictor.find("web")->cpu.total(), 1.25, 1e-6);
  EXPECT_NEAR(predictor.find("web")->memory.total(), 1.5, 1e-6);
}

// --- coming back from a checkpoint
// ---------------------------------------------------------------------------

lending::PeakModel model_of(MilliCpu cpu, Bytes memory, MonoTime at) {
  lending::PeakPredictor predictor;
  predictor.train({.node = {}, .pods = {pod("p", PriorityClass::prod, uses(cpu, memory))}}, kSettings, at);
  return *predictor.find("p");
}

TEST(PeakPredictor, ARestoredModelHasLostWeightAndNothingElse) {
  lending::PeakPredictor predictor;
  const auto saved = model_of(2000_mcpu, 256_MiB, kStart);
  ASSERT_TRUE(predictor.restore("web", saved, kSettings, kStart + hours(12)));
  EXPECT_EQ(predictor.predict("web"), uses(2001_mcpu, Bytes(286'623'669)));
  EXPECT_NEAR(predictor.find("web")->cpu.total(), 0.5, 1e-6);
  EXPECT_EQ(predictor.find("web")->since, kStart);
}

TEST(PeakPredictor, ARestoredModelIsGivenTimeToLearnHoweverLongTheOutageWas) {
  lending::PeakPredictor predictor;
  const auto back = kStart + hours(5);
  ASSERT_TRUE(predictor.restore("web", model_of(2000_mcpu, 256_MiB, kStart), kSettings, back));
  predictor.train({}, kSettings, back + minutes(29));
  EXPECT_NE(predictor.find("web"), nullptr) << "its cgroup may not be measured yet";
  predictor.train({}, kSettings, back + minutes(31));
  EXPECT_EQ(predictor.find("web"), nullptr);
}

TEST(PeakPredictor, OfAnAncientModelNothingIsLeft) {
  lending::PeakPredictor predictor;
  const auto saved = model_of(2000_mcpu, 256_MiB, kStart);
  EXPECT_FALSE(predictor.restore("web", saved, kSettings, kStart + hours(24 * 60)));
  EXPECT_TRUE(predictor.models().empty());
}

// --- cost
// ----------------------------------------------------------------------------------------------------

TEST(PeakPredictor, LearningAboutKnownPodsAllocatesNothing) {
  lending::PeakPredictor predictor;
  lending::TrainingRound round{.node = uses(60000_mcpu, 60000_MiB), .pods = {}};
  for (int i = 0; i < 500; ++i)
    round.pods.push_back(pod("11111111-aaaa-bbbb-cccc-000000000" + std::to_string(100 + i),
                             PriorityClass::prod, uses(100_mcpu, 100_MiB)));
  predictor.train(round, kSettings, kStart);
  const test::AllocGuard guard;
  for (int minute = 1; minute <= 10; ++minute) {
    predictor.train(round, kSettings, kStart + minutes(minute));
    EXPECT_NE(predictor.predict("@prod"), Usage{});
  }
  EXPECT_EQ(guard.allocations(), 0U);
  EXPECT_EQ(predictor.models().size(), 507U);
}

}  // namespace
}  // namespace evenkeel
