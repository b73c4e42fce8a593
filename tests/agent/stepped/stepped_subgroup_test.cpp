// Tests the program as a black box: a container made by crun has its limits twice, in its scope and in the
// cgroup "container" inside of it (cgroup v2).
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/agents/stepped_node.h"

namespace evenkeel::test {
namespace {

using namespace evenkeel::literals;

constexpr const char* kPods = R"({"kind":"PodList","apiVersion":"v1","items":[
 {"metadata":{"uid":"11111111-1111-1111-1111-111111111111","namespace":"shop","name":"cart"},
  "spec":{"containers":[{"name":"a","resources":{"limits":{"cpu":"1","memory":"1Gi"},
                                                 "requests":{"cpu":"500m","memory":"512Mi"}}}]},
  "status":{"phase":"Running","qosClass":"Burstable","containerStatuses":[
    {"name":"a","containerID":"cri-o://aaa","state":{"running":{}}}]}}]})";

constexpr const char* kBurst =
    "cpuBurstStrategy: {policy: auto, cfsQuotaBurstPercent: 200, sharePoolThresholdPercent: 50}\n";

/// One service of one CPU, made by CRI-O with crun.
class SteppedSubgroup : public SteppedNode, public testing::Test {
 protected:
  SteppedSubgroup() : SteppedNode(16, Kernel::v2, kBurst) {
    service = host.pod(KubeQos::burstable, "11111111-1111-1111-1111-111111111111");
    scope = service + "/crio-aaa.scope";
    inner = scope + "/container";
    host.cgroup(inner);
    for (const auto& cgroup : {service, scope, inner}) set_quota(cgroup, "100000");
    throttled(inner, false);
    uses(inner, 1000_mcpu);
  }
  std::string burst_of(const std::string& cgroup) const {
    return setting(Controller::cpu, cgroup, "cpu.max.burst");
  }
  [[nodiscard]] std::string quotas() const {
    return quota_of(inner) + ' ' + quota_of(scope) + ' ' + quota_of(service);
  }
  /// The command line on a node whose CPUs count for 1.25 standard ones.
  [[nodiscard]] std::vector<std::string> normalized() const {
    auto out = args(pods);
    const std::string node = extra("node.yaml",
                                   "{metadata: {name: n, annotations: {node.koordinator.sh/"
                                   "cpu-normalization-ratio: '1.25'}}, status: {}}\n");
    out.insert(out.end(), {"--node", node});
    return out;
  }
  /// Position of the write to that cgroup's cpu.max; -1: none.
  static long place_of(const Step& step, const std::string& cgroup) {
    const auto found = std::ranges::find_if(
        step.writes, [&](const Step::Write& write) { return write.path.ends_with(cgroup + "/cpu.max"); });
    return found == step.writes.end() ? -1 : found - step.writes.begin();
  }
  std::string service{}, scope{}, inner{}, pods = pod_list(kPods);
};

TEST_F(SteppedSubgroup, BurstRaisesParentsFirstAndLowersChildrenFirst) {
  SteppedAgent agent(args(pods));
  seconds(2, agent);
  EXPECT_EQ(burst_of(inner), "100000");
  throttled(inner, true);  // the scope has as much, and is not used up first
  Step step = second(agent);
  ASSERT_GE(place_of(step, scope), 0) << step.line;
  EXPECT_LT(place_of(step, service), place_of(step, scope)) << step.line;
  EXPECT_LT(place_of(step, scope), place_of(step, inner)) << step.line;
  seconds(10, agent);
  EXPECT_EQ(quota_of(scope), "200000");
  EXPECT_EQ(quota_of(inner), "200000");
  throttled(inner, false);
  system_uses(14000_mcpu);
  for (step = second(agent); place_of(step, scope) < 0; step = second(agent))
    ASSERT_NE(quota_of(scope), "100000");
  EXPECT_GE(place_of(step, inner), 0) << step.line;
  EXPECT_LT(place_of(step, inner), place_of(step, scope)) << step.line;
  EXPECT_LT(place_of(step, scope), place_of(step, service)) << step.line;
  agent.quit();
  for (const auto& cgroup : {service, scope, inner}) {
    EXPECT_EQ(quota_of(cgroup), "100000") << cgroup;
    EXPECT_EQ(burst_of(cgroup), "0") << cgroup;
  }
}

// As Debian's crun 1.8 makes it (tests/vm/systemd/crun.sh).
TEST_F(SteppedSubgroup, AQuotaThatIsThereAloneIsTheContainers) {
  set_quota(scope, "max");
  SteppedAgent agent(args(pods));
  seconds(2, agent);
  EXPECT_EQ(burst_of(inner) + ' ' + burst_of(scope), "100000 0");
  throttled(inner, true);
  seconds(10, agent);
  EXPECT_EQ(quota_of(inner), "200000");
  EXPECT_EQ(quota_of(scope), "max") << "unlimited by its owner";
  EXPECT_EQ(quota_of(service), "200000");
  throttled(inner, false);
  seconds(90, agent);
  EXPECT_EQ(quota_of(inner), "200000") << "it uses what it got";
  uses(inner, 100_mcpu);
  seconds(90, agent);
  EXPECT_EQ(quota_of(inner), "100000") << "and gives back what it does not use";
  agent.quit();
  EXPECT_EQ(quotas(), "100000 max 100000");
  EXPECT_EQ(burst_of(inner), "0");
}

TEST_F(SteppedSubgroup, WithoutAQuotaOfItsOwnGetsNone) {
  set_quota(inner, "max");
  SteppedAgent agent(args(pods));
  throttled(scope, true);
  seconds(10, agent);
  EXPECT_EQ(quota_of(scope), "200000");
  EXPECT_EQ(quota_of(inner), "max");
}

TEST_F(SteppedSubgroup, AQuotaThatItsOwnerTakesAwayIsNotSetAgain) {
  SteppedAgent agent(args(pods));
  throttled(inner, true);
  seconds(10, agent);
  ASSERT_EQ(quota_of(inner), "200000");
  for (const auto& cgroup : {service, scope, inner}) set_quota(cgroup, "max");
  seconds(300, agent);
  for (const auto& cgroup : {service, scope, inner}) EXPECT_EQ(quota_of(cgroup), "max") << cgroup;
  agent.quit();
  for (const auto& cgroup : {service, scope, inner}) EXPECT_EQ(quota_of(cgroup), "max") << cgroup;
}

TEST_F(SteppedSubgroup, NormalizationDividesAQuotaThatIsThereAlone) {
  configure("{}\n");
  set_quota(scope, "max");
  SteppedAgent agent(normalized());
  seconds(3, agent);
  EXPECT_EQ(quotas(), "80000 max 80000");
  agent.quit();
  EXPECT_EQ(quotas(), "100000 max 100000");
}

TEST_F(SteppedSubgroup, NormalizationDividesTheQuotasOfBoth) {
  configure("{}\n");
  SteppedAgent agent(normalized());
  seconds(3, agent);
  EXPECT_EQ(quotas(), "80000 80000 80000");
  agent.quit();
  EXPECT_EQ(quotas(), "100000 100000 100000");
}

TEST_F(SteppedSubgroup, MemoryIsProtectedAndLimitedInItToo) {
  configure(
      "resourceQOSStrategy: {lsClass: {memoryQOS: {enable: true, minLimitPercent: 50, lowLimitPercent: 80, "
      "throttlingPercent: 80}}}\n");
  const auto memory = [&](const std::string& cgroup, const std::string& file) {
    return setting(Controller::memory, cgroup, file);
  };
  SteppedAgent agent(args(pods));
  seconds(2, agent);
  for (const auto* file : {"memory.min", "memory.low"}) {
    EXPECT_NE(memory(scope, file), "0") << file;
    EXPECT_EQ(memory(inner, file), memory(scope, file)) << file;
  }
  EXPECT_NE(memory(scope, "memory.high"), "max");
  EXPECT_EQ(memory(inner, "memory.high"), memory(scope, "memory.high"));
  agent.kill();
  EXPECT_EQ(restore().exit_status, 0);
  EXPECT_EQ(memory(inner, "memory.min"), "0");
  EXPECT_EQ(memory(inner, "memory.low"), "0");
  EXPECT_EQ(memory(inner, "memory.high"), "max");
}

}  // namespace
}  // namespace evenkeel::test
