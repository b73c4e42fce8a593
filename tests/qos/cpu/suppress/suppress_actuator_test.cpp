// What limits best effort: by the configuration, the kernel's scheduler, and what was found on this node.
#include <gtest/gtest.h>

#include "qos/cpu/suppress/suppress.h"

namespace evenkeel {
namespace {

using std::chrono::milliseconds;

/// What limits best effort on this scheduler.
suppress::SuppressActuator actuator(SuppressPolicy policy, SchedulerFacts scheduler,
                                    RequestSizeSettings requests = {}, bool harmful = false,
                                    bool must_limit = false) {
  NodeSlo slo;
  slo.threshold.cpu_suppress_policy = policy;
  slo.evenkeel.request_size = requests;
  NodeSnapshot snapshot;
  snapshot.scheduler = scheduler;
  return suppress::suppress_actuator(snapshot, slo, {.besteffort_quota = harmful}, must_limit);
}

TEST(SuppressActuator, AutoIsTheWeightAloneOnEveryKernel) {
  using enum suppress::SuppressActuator;
  constexpr auto kAuto = SuppressPolicy::automatic;
  EXPECT_EQ(NodeSlo{}.threshold.cpu_suppress_policy, kAuto);
  EXPECT_EQ(actuator(kAuto, {.fair = FairScheduler::unknown}), weight);
  EXPECT_EQ(actuator(kAuto, {.fair = FairScheduler::cfs}), weight);
  EXPECT_EQ(actuator(kAuto, {.fair = FairScheduler::eevdf}), weight);
  EXPECT_EQ(actuator(kAuto, {.fair = FairScheduler::eevdf, .request_sizes = true}), weight);
}

TEST(SuppressActuator, AQuotaOnEevdfNeedsLongRequests) {
  using enum suppress::SuppressActuator;
  constexpr auto kQuota = SuppressPolicy::cfs_quota;
  constexpr SchedulerFacts kEevdf{.fair = FairScheduler::eevdf};
  constexpr SchedulerFacts kSizes{.fair = FairScheduler::eevdf, .request_sizes = true};
  EXPECT_EQ(actuator(kQuota, {.fair = FairScheduler::cfs}), quota);
  EXPECT_EQ(actuator(kQuota, kEevdf), cpuset);
  EXPECT_EQ(actuator(kQuota, kSizes), quota);
  EXPECT_EQ(actuator(kQuota, kSizes, {.enable = false}), cpuset);
  EXPECT_EQ(actuator(kQuota, kSizes, {.best_effort = milliseconds(3)}), cpuset) << "as short as a service's";
  EXPECT_EQ(actuator(kQuota, kSizes, {.best_effort = std::chrono::microseconds(3001)}), quota)
      << "longer is enough";
  EXPECT_EQ(actuator(kQuota, kSizes, {.best_effort = milliseconds(4), .services = milliseconds(10)}), cpuset)
      << "services may have longer ones by the configuration";
  EXPECT_EQ(actuator(kQuota, kSizes, {.best_effort = milliseconds(11), .services = milliseconds(10)}), quota);
  EXPECT_EQ(actuator(SuppressPolicy::cpuset, kSizes), cpuset);
}

TEST(SuppressActuator, AQuotaWhoseRequestSizesTheKernelRefusesIsTheCpuSet) {
  using enum suppress::SuppressActuator;
  constexpr SchedulerFacts kRefused{
      .fair = FairScheduler::eevdf, .request_sizes = true, .request_sizes_refused = true};
  EXPECT_EQ(actuator(SuppressPolicy::cfs_quota, kRefused), cpuset);
  EXPECT_EQ(actuator(SuppressPolicy::automatic, kRefused, {}, false, true), cpuset);
  EXPECT_EQ(actuator(SuppressPolicy::automatic, kRefused), weight) << "no quota is needed";
}

TEST(SuppressActuator, AQuotaThatWasFoundToHarmIsTheCpuSet) {
  using enum suppress::SuppressActuator;
  constexpr SchedulerFacts kSizes{.fair = FairScheduler::eevdf, .request_sizes = true};
  EXPECT_EQ(actuator(SuppressPolicy::cfs_quota, kSizes, {}, true), cpuset);
  EXPECT_EQ(actuator(SuppressPolicy::cfs_quota, {.fair = FairScheduler::cfs}, {}, true), cpuset);
  EXPECT_EQ(actuator(SuppressPolicy::automatic, kSizes, {}, true), weight) << "no quota is needed";
}

TEST(SuppressActuator, AnObjectiveInTroubleNeedsALimitOnEveryKernel) {
  using enum suppress::SuppressActuator;
  constexpr SchedulerFacts kEevdf{.fair = FairScheduler::eevdf};
  constexpr SchedulerFacts kSizes{.fair = FairScheduler::eevdf, .request_sizes = true};
  EXPECT_EQ(actuator(SuppressPolicy::automatic, kSizes, {}, false, true), quota);
  EXPECT_EQ(actuator(SuppressPolicy::automatic, kSizes, {}, true, true), cpuset);
  EXPECT_EQ(actuator(SuppressPolicy::automatic, kEevdf, {}, false, true), cpuset);
  EXPECT_EQ(actuator(SuppressPolicy::automatic, {.fair = FairScheduler::cfs}, {}, false, true), quota);
}

}  // namespace
}  // namespace evenkeel
