// The brake limits the BestEffort directory for seconds. That is no step on suppression's way: in several
// places as in one, the allowance before the brake is due when it ends.
#include <gtest/gtest.h>

#include <utility>

#include "qos/cpu/suppress/suppress.h"
#include "tests/support/scenes/one_policy.h"
#include "tests/support/scenes/snapshot_builder.h"

namespace evenkeel {
namespace {

using namespace literals;
using std::chrono::seconds;

constexpr std::int64_t kAllowance = 340000;  ///< 65 % of 16 CPUs less 6 and 1
constexpr std::int64_t kBraked = 50000;

/// A service, the BestEffort directory, and a batch service outside of it that its owner limits to one CPU.
struct CpuSuppressBrake : ::testing::Test {
  NodeSlo slo{};
  NodeSnapshot node = test::node()
                          .cpus(16)
                          .uses(7000_mcpu)
                          .pod("web")
                          .ls()
                          .uses(6000_mcpu)
                          .besteffort()
                          .unlimited()
                          .uses(0_mcpu)
                          .host_app(QosClass::be, HostAppBase::cgroup_root)
                          .uses(0_mcpu)
                          .quota(100000)
                          .build();
  std::vector<HostApplicationSample> outside = node.host_applications;
  decide::PolicyState state{};
  decide::Intents out{};
  bool was_braked = false;

  CpuSuppressBrake() {
    slo.threshold.enable = true;
    slo.threshold.cpu_suppress_policy = SuppressPolicy::cfs_quota;
  }
  CgroupSample& directory() { return node.cgroups[static_cast<std::size_t>(node.besteffort)]; }
  [[nodiscard]] std::int64_t quota_of(const CgroupSample& sample) const {
    return test::intended(out, sample.id, Knob::cpu_quota);
  }
  /// What suppression wants for the directory and the service outside, one second later. The brake decides
  /// after suppression, which learns in the next tick of it.
  std::int64_t total(bool braked) {
    node.at += seconds(1);
    state.shared.of<decide::BrakeInForce>().cpu = std::exchange(was_braked, braked);
    out.clear();
    test::decide_one(suppress::cpu_suppress_policy, node, slo, state, out);
    test::obey(node, out);
    if (braked) directory().applied.cpu_limit->quota = QuotaTime(kBraked);
    std::int64_t sum = quota_of(directory());
    for (const auto& app : node.host_applications)
      sum += quota_of(node.cgroups[static_cast<std::size_t>(app.cgroup)]);
    return sum;
  }
};

TEST_F(CpuSuppressBrake, SeveralPlacesKeepTheirAllowance) {
  ASSERT_EQ(total(false), kAllowance);
  const auto part = quota_of(directory());
  for (int i = 0; i < 5; ++i) EXPECT_EQ(total(true), kAllowance);
  EXPECT_EQ(total(false), kAllowance);
  EXPECT_EQ(quota_of(directory()), part);
}

TEST_F(CpuSuppressBrake, WhenAPlaceIsAddedTheAllowanceBeforeTheBrakeIsShared) {
  node.host_applications.clear();
  ASSERT_EQ(total(false), kAllowance);
  EXPECT_EQ(total(true), kAllowance);
  node.host_applications = outside;
  EXPECT_EQ(total(true), kAllowance);
  EXPECT_EQ(total(false), kAllowance);
}

TEST_F(CpuSuppressBrake, WhenTheLastOtherPlaceGoesTheDirectoryKeepsItsPart) {
  ASSERT_EQ(total(false), kAllowance);
  const auto part = quota_of(directory());
  ASSERT_GT(part, kBraked);
  EXPECT_EQ(total(true), kAllowance);
  node.host_applications.clear();
  EXPECT_GE(total(true), part);
  EXPECT_GE(total(false), part);
}

}  // namespace
}  // namespace evenkeel
