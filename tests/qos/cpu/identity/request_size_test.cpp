// Which pods and host applications get which request size.
#include <gtest/gtest.h>

#include "qos/cpu/identity/policies.h"
#include "tests/support/scenes/one_policy.h"
#include "tests/support/scenes/snapshot_builder.h"

namespace evenkeel {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

NodeSlo suppressing() {
  NodeSlo slo;
  slo.threshold.enable = true;
  slo.threshold.cpu_suppress_policy = SuppressPolicy::cfs_quota;
  return slo;
}

NodeSnapshot batch_and_service() {
  auto snapshot = test::node().besteffort().pod("batch").be().pod("web").ls().build();
  snapshot.scheduler = {.fair = FairScheduler::eevdf, .request_sizes = true};
  return snapshot;
}

/// The planned size of a pod; zero: none.
Duration planned(const NodeSnapshot& snapshot, const NodeSlo& slo, std::size_t pod) {
  decide::Intents out;
  decide::PolicyState state;
  test::decide_one(identity::request_size_policy, snapshot, slo, state, out);
  for (const auto& member : out.request_sizes().members)
    if (member.cgroup == snapshot.cgroup(snapshot.pods[pod].cgroup)->id) return member.value;
  return {};
}

TEST(RequestSizePolicy, IsOnWhileBestEffortMayBeLimitedOrServicesHaveASize) {
  const auto& policy = identity::request_size_policy;
  EXPECT_FALSE(policy.enabled(NodeSlo{}));
  EXPECT_TRUE(policy.enabled(suppressing()));
  NodeSlo services;
  services.evenkeel.request_size.services = microseconds(100);
  EXPECT_TRUE(policy.enabled(services));
  services.evenkeel.request_size.enable = false;
  EXPECT_FALSE(policy.enabled(services));
  NodeSlo brake, interference;
  brake.evenkeel.brake.enable = true;
  EXPECT_TRUE(policy.enabled(brake));
  interference.evenkeel.interference.act = true;
  EXPECT_TRUE(policy.enabled(interference));
}

// `auto` sets no quota on EEVDF kernels, unless a service's own latency asks for less best effort.
TEST(RequestSizePolicy, IsOffWhereNoQuotaCanBeSet) {
  auto slo = suppressing();
  for (const auto policy : {SuppressPolicy::automatic, SuppressPolicy::cpuset}) {
    slo.threshold.cpu_suppress_policy = policy;
    slo.evenkeel.objectives.clear();
    EXPECT_FALSE(identity::request_size_policy.enabled(slo));
    slo.evenkeel.objectives.emplace_back();
    EXPECT_TRUE(identity::request_size_policy.enabled(slo));
  }
}

TEST(RequestSizePolicy, UnderTheCpuSetBestEffortHostApplicationsHaveQuotas) {
  auto slo = suppressing();
  slo.threshold.cpu_suppress_policy = SuppressPolicy::cpuset;
  slo.host_applications = {{.name = "database", .qos = QosClass::ls}};
  EXPECT_FALSE(identity::request_size_policy.enabled(slo));
  slo.host_applications.push_back({.name = "batch", .qos = QosClass::be});
  EXPECT_TRUE(identity::request_size_policy.enabled(slo));
  slo.threshold.cpu_suppress_policy = SuppressPolicy::automatic;
  EXPECT_FALSE(identity::request_size_policy.enabled(slo)) << "the weight is enough";
}

TEST(RequestSizePolicy, ShortRequestsOfServicesBringNoLongOnes) {
  NodeSlo slo;
  slo.evenkeel.request_size.services = microseconds(100);
  EXPECT_EQ(planned(batch_and_service(), slo, 0), Duration::zero());
  EXPECT_EQ(planned(batch_and_service(), slo, 1), microseconds(100));
}

TEST(RequestSizePolicy, BestEffortAsksForMuchAndServicesForWhatIsConfigured) {
  const auto snapshot = batch_and_service();
  auto slo = suppressing();
  EXPECT_EQ(planned(snapshot, slo, 0), milliseconds(4));
  EXPECT_EQ(planned(snapshot, slo, 1), Duration::zero());
  slo.evenkeel.request_size.services = microseconds(100);
  EXPECT_EQ(planned(snapshot, slo, 1), microseconds(100));
  slo.evenkeel.request_size.best_effort = {};
  EXPECT_EQ(planned(snapshot, slo, 0), Duration::zero());
}

TEST(RequestSizePolicy, InTheBestEffortDirectoryALabelMakesNoService) {
  auto snapshot = test::node().besteffort().pod("batch").be().ls().build();
  snapshot.scheduler = {.fair = FairScheduler::eevdf, .request_sizes = true};
  auto slo = suppressing();
  slo.evenkeel.request_size.services = microseconds(100);
  EXPECT_EQ(planned(snapshot, slo, 0), milliseconds(4)) << "the directory's quota throttles it";
}

TEST(RequestSizePolicy, PlansNothingWhereItCannotOrMustNot) {
  auto snapshot = batch_and_service();
  auto slo = suppressing();
  slo.evenkeel.hands_off = true;
  EXPECT_EQ(planned(snapshot, slo, 0), Duration::zero());
  slo.evenkeel.hands_off = false;
  snapshot.cgroups[static_cast<std::size_t>(snapshot.pods[0].cgroup)].hands_off = true;
  EXPECT_EQ(planned(snapshot, slo, 0), Duration::zero());
  auto old_kernel = batch_and_service();
  old_kernel.scheduler.request_sizes = false;
  EXPECT_EQ(planned(old_kernel, slo, 0), Duration::zero());
}

}  // namespace
}  // namespace evenkeel
