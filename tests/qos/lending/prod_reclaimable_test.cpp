// What services will not need of what they request: Koordinator's unit test, each row of its table, and what
// must hold for any numbers.
#include "qos/lending/prod_reclaimable.h"

#include <gtest/gtest.h>

#include <random>

namespace evenkeel {
namespace {

using namespace literals;
using std::chrono::hours;
using std::chrono::minutes;

Usage both(MilliCpu cpu, Bytes memory) { return {cpu, memory}; }

/// Koordinator's test: a cold pod of 1 CPU and 1 GiB, a warm one of 2 CPUs and 2 GiB on 3 CPUs and 3 GiB.
lending::ReclaimInput koordinators_node() {
  return {.allocatable = both(3000_mcpu, 3072_MiB),
          .pods = {{.request = both(1000_mcpu, 1024_MiB), .peak = {}, .cold = true},
                   {.request = both(2000_mcpu, 2048_MiB), .peak = both(500_mcpu, 1024_MiB)}},
          .system = both(300_mcpu, 512_MiB),
          .prod = both(1000_mcpu, 1024_MiB),
          .none = both(0_mcpu, 0_MiB),
          .margin = 10_pct};
}

TEST(ProdReclaimable, KoordinatorsNumbers) {
  const auto found = lending::prod_reclaimable(koordinators_node());
  EXPECT_EQ(found.reclaimable, both(1450_mcpu, Bytes(966'367'642))) << "2 GiB less 1.1 * 1 GiB";
  EXPECT_EQ(found.peak, both(1550_mcpu, Bytes(2'254'857'830)));
  EXPECT_EQ(found.unknown_reason, "");
}

TEST(ProdReclaimable, KoordinatorsNumbersOnASmallerNode) {
  auto node = koordinators_node();
  node.allocatable = both(1000_mcpu, 3072_MiB);
  EXPECT_EQ(lending::prod_reclaimable(node).reclaimable, both(0_mcpu, Bytes(966'367'642)));
}

TEST(ProdReclaimable, EveryTermIsShown) {
  const auto terms = lending::prod_reclaimable(koordinators_node()).terms;
  const auto cpu = [&](const std::string& name) {
    for (const auto& term : terms)
      if (term.name == name) return term.cpu;
    return std::optional<MilliCpu>();
  };
  EXPECT_EQ(cpu("allocatable"), 3000_mcpu);
  EXPECT_EQ(cpu("services: peaks of each"), 550_mcpu);
  EXPECT_EQ(cpu("services: requested above their peaks"), 1450_mcpu);
  EXPECT_EQ(cpu("services: requested, not predictable yet"), 1000_mcpu);
  EXPECT_EQ(cpu("services: requested by all"), 3000_mcpu);
  EXPECT_EQ(cpu("services and system: peak together"), 1430_mcpu);
  EXPECT_EQ(cpu("reclaimable, pod by pod"), 1450_mcpu);
  EXPECT_EQ(cpu("reclaimable, all together"), 1570_mcpu);
  EXPECT_EQ(cpu("reclaimable from services"), 1450_mcpu);
}

TEST(ProdReclaimable, AnythingUnknownMakesTheWholeUnknown) {
  struct Case {
    Usage lending::ReclaimInput::*part;
    const char* because;
  };
  for (const auto& [part, because] :
       {Case{&lending::ReclaimInput::allocatable, "allocatable"},
        Case{&lending::ReclaimInput::system, "the system"}, Case{&lending::ReclaimInput::prod, "services"},
        Case{&lending::ReclaimInput::none, "services"}}) {
    for (const auto& value : {Usage{}, Usage{.cpu = 1000_mcpu}, Usage{.memory = 1_MiB}}) {
      auto node = koordinators_node();
      node.*part = value;
      const auto found = lending::prod_reclaimable(node);
      EXPECT_EQ(found.reclaimable, std::nullopt);
      EXPECT_EQ(found.peak, std::nullopt);
      EXPECT_NE(found.unknown_reason.find(because), std::string::npos) << found.unknown_reason;
    }
  }
}

/// One pod of 4 CPUs with a peak of 1 on a large node without anything else; U is 1 CPU.
lending::ProdReclaimable of_one_pod(bool cold, bool ending, bool predicted) {
  return lending::prod_reclaimable({.allocatable = both(64000_mcpu, 1_MiB),
                                    .pods = {{.request = both(4000_mcpu, 0_MiB),
                                              .peak = predicted ? both(1000_mcpu, 0_MiB) : Usage{},
                                              .cold = cold,
                                              .ending = ending}},
                                    .system = both(1000_mcpu, 0_MiB),
                                    .prod = both(0_mcpu, 0_MiB),
                                    .none = both(0_mcpu, 0_MiB),
                                    .margin = 0_pct});
}

TEST(ProdReclaimable, EachStateOfAPod) {
  struct Case {
    bool cold, ending, predicted;
    MilliCpu reclaimable, peak, requests;
  };
  for (const auto& each : {
           Case{false, false, true, 3000_mcpu, 1000_mcpu, 4000_mcpu},
           Case{true, false, true, 0_mcpu, 4000_mcpu, 4000_mcpu},
           Case{true, false, false, 0_mcpu, 4000_mcpu, 4000_mcpu},
           Case{true, true, true, 0_mcpu, 4000_mcpu, 0_mcpu},   // young and ending: still its request
           Case{false, true, true, 0_mcpu, 1000_mcpu, 0_mcpu},  // the peak is the system's
           Case{false, true, false, 0_mcpu, 1000_mcpu, 0_mcpu},
           Case{false, false, false, 0_mcpu, 4000_mcpu, 0_mcpu},
       }) {
    const auto found = of_one_pod(each.cold, each.ending, each.predicted);
    EXPECT_EQ(found.reclaimable->cpu, each.reclaimable) << each.cold << each.ending << each.predicted;
    EXPECT_EQ(found.peak->cpu, each.peak) << each.cold << each.ending << each.predicted;
    EXPECT_EQ(found.terms.at(4).cpu, each.requests) << each.cold << each.ending << each.predicted;
  }
}

TEST(ProdReclaimable, AbsurdRequestsDoNotWrapAround) {
  auto node = koordinators_node();
  node.pods.assign(20, {.request = {1'000'000'000_mcpu, Bytes(INT64_MAX / 2)}, .peak = both(1_mcpu, 1_B)});
  const auto found = lending::prod_reclaimable(node);
  EXPECT_EQ(found.reclaimable, both(1570_mcpu, Bytes((3072LL << 20) - 1'771'674'009)));
}

TEST(ProdReclaimable, NeverMoreThanEitherViewAllows) {
  std::mt19937 random(7);
  const auto amount = [&](int most) {
    return both(MilliCpu(static_cast<int>(random() % static_cast<unsigned>(most))),
                Bytes(static_cast<int>(random() % static_cast<unsigned>(most))));
  };
  for (int round = 0; round < 500; ++round) {
    lending::ReclaimInput node{.allocatable = amount(20000),
                               .pods = {},
                               .system = amount(2000),
                               .prod = amount(8000),
                               .none = amount(200),
                               .margin = 10_pct};
    std::int64_t requested = 0;
    for (int i = 0; i < 8; ++i) {
      node.pods.push_back({.request = amount(3000), .peak = amount(2000), .cold = random() % 4 == 0});
      if (!node.pods.back().cold) requested += node.pods.back().request.cpu->count();
    }
    const auto found = lending::prod_reclaimable(node);
    const auto cpu = found.reclaimable->cpu->count();
    EXPECT_GE(cpu, 0);
    EXPECT_LE(cpu, requested) << "nothing comes from cold pods";
    EXPECT_LE(cpu + found.terms.at(1).cpu->count(),
              std::max(node.allocatable.cpu->count(), found.terms.at(1).cpu->count()));
    node.margin = 50_pct;
    EXPECT_LE(lending::prod_reclaimable(node).reclaimable->cpu->count(), cpu)
        << "more margin never lends more";
  }
}

// --- from the pods to the sum
// --------------------------------------------------------------------------------

class FromPods : public testing::Test {
 protected:
  FromPods() {
    web_.uid = "web";
    web_.label_qos = QosClass::ls;
    web_.phase = PodPhase::running;
    web_.created_unix_seconds = kNowUnix - 25 * 3600;
    web_.containers.resize(2);
    web_.containers[0].requests = {.cpu = 1000_mcpu, .memory = 1024_MiB};
    web_.containers[1].requests = {.cpu = 500_mcpu};
  }
  void learn(Duration watched) {
    for (auto at = kNow - watched; at <= kNow; at += minutes(1))
      predictor_.train(
          {.node = both(4000_mcpu, 4096_MiB),
           .pods = {{.uid = "web", .priority_class = PriorityClass::prod, .usage = both(500_mcpu, 256_MiB)}}},
          settings_, at);
  }
  [[nodiscard]] lending::ReclaimInput input() const {
    return lending::reclaim_input({.predictor = predictor_,
                                   .settings = settings_,
                                   .allocatable = both(8000_mcpu, 8192_MiB),
                                   .pods = {web_},
                                   .measured = measured_,
                                   .now = kNow,
                                   .unix_seconds = unix_seconds_});
  }

  static constexpr std::int64_t kNowUnix = 1'767'225'600;
  static constexpr MonoTime kNow{hours(1000)};
  Pod web_{};
  PredictionSettings settings_{};
  std::vector<PodUsage> measured_{{.uid = "other"}, {.uid = "web", .usage = both(1_mcpu, 1_B)}};
  std::optional<std::int64_t> unix_seconds_ = kNowUnix;
  lending::PeakPredictor predictor_{};
};

TEST_F(FromPods, RequestsAndPredictionsMeet) {
  learn(hours(1));
  const auto sum = input();
  EXPECT_EQ(sum.system, predictor_.predict(lending::kSystemModel));
  EXPECT_EQ(sum.prod, predictor_.predict("@prod"));
  EXPECT_EQ(sum.none, both(25_mcpu, 5_MiB));
  ASSERT_EQ(sum.pods.size(), 1U);
  EXPECT_EQ(sum.pods[0].request, both(1500_mcpu, 1024_MiB));
  EXPECT_EQ(sum.pods[0].peak, both(539_mcpu, Bytes(286'623'669)));
  EXPECT_FALSE(sum.pods[0].cold);
  EXPECT_FALSE(sum.pods[0].ending);
  // Pod by pod it would be 1500 - 1.1 * 539 = 908m; the system's 3.5 CPUs are more than all that is
  // requested.
  EXPECT_EQ(lending::prod_reclaimable(sum).reclaimable->cpu, 0_mcpu);
}

TEST_F(FromPods, OnlyServicesThatWereMeasuredAreInTheSum) {
  learn(hours(1));
  measured_[1].usage.memory.reset();
  EXPECT_TRUE(input().pods.empty()) << "half a measurement is none";
  measured_.pop_back();
  EXPECT_TRUE(input().pods.empty());
  measured_.push_back({.uid = "web", .usage = both(1_mcpu, 1_B)});
  EXPECT_EQ(input().pods.size(), 1U);
  for (const auto other : {PriorityClass::mid, PriorityClass::batch, PriorityClass::free}) {
    web_.priority_class = other;
    EXPECT_TRUE(input().pods.empty());
  }
  web_.priority_class = PriorityClass::none;
  web_.label_qos = QosClass::be;
  EXPECT_TRUE(input().pods.empty()) << "without a priority class the QoS class says";
}

TEST_F(FromPods, AYoungPodIsCold) {
  learn(hours(1));
  web_.created_unix_seconds = kNowUnix - 24 * 3600;
  EXPECT_TRUE(input().pods.at(0).cold);
  web_.created_unix_seconds = kNowUnix - 24 * 3600 - 1;
  EXPECT_FALSE(input().pods.at(0).cold);
  web_.created_unix_seconds = kNowUnix + 3600;
  EXPECT_TRUE(input().pods.at(0).cold) << "a clock that was set back makes it no older";
  settings_.cold_start = hours(0);
  web_.created_unix_seconds = kNowUnix - 1;
  EXPECT_FALSE(input().pods.at(0).cold);
}

TEST_F(FromPods, AnOldPodThatWasHardlyWatchedIsColdToo) {
  learn(minutes(4));
  EXPECT_TRUE(input().pods.at(0).cold);
  settings_.least_history = minutes(4);
  EXPECT_FALSE(input().pods.at(0).cold);
}

TEST_F(FromPods, APodOfUnknownAgeIsAsOldAsItsHistory) {
  web_.created_unix_seconds.reset();
  learn(hours(24));
  EXPECT_TRUE(input().pods.at(0).cold);
  predictor_ = {};
  learn(hours(24) + minutes(1));
  EXPECT_FALSE(input().pods.at(0).cold);
  web_.created_unix_seconds = kNowUnix;
  unix_seconds_.reset();
  EXPECT_FALSE(input().pods.at(0).cold) << "no wall clock: the same";
}

TEST_F(FromPods, WhatEndsIsNotCounted) {
  learn(hours(1));
  web_.terminating = true;
  EXPECT_TRUE(input().pods.at(0).ending);
  web_.terminating = false;
  for (const auto& [phase, ending] : {std::pair(PodPhase::succeeded, true),
                                      {PodPhase::failed, true},
                                      {PodPhase::pending, false},
                                      {PodPhase::unknown, false}}) {
    web_.phase = phase;
    EXPECT_EQ(input().pods.at(0).ending, ending);
  }
}

TEST_F(FromPods, WithoutAModelNothingIsPredicted) {
  const auto sum = input();
  EXPECT_EQ(sum.pods.at(0).peak, Usage{});
  EXPECT_FALSE(sum.pods.at(0).cold) << "it is old enough, as far as the pod goes";
  EXPECT_EQ(lending::prod_reclaimable(sum).unknown_reason, "nothing has been learned about the system yet");
}

}  // namespace
}  // namespace evenkeel
