// What a pod may demand by its own labels and annotations, with and without the operator's trust.
#include "qos/trust/trust.h"

#include <gtest/gtest.h>

#include <functional>

namespace evenkeel::test {
namespace {

using namespace evenkeel::literals;

/// A best-effort pod that requests two CPUs.
Pod tenant() {
  Pod pod;
  pod.namespace_ = "tenant";
  pod.name = "batch-1";
  pod.label_qos = QosClass::be;
  pod.kube_qos = KubeQos::burstable;
  pod.priority = 5500;
  pod.containers.push_back({.name = "a", .requests = {.cpu = 2000_mcpu}});
  return pod;
}

struct Case {
  Claim claim;
  std::function<void(Pod&)> demand;
  const char* told;  ///< a part of the sentence; empty: nothing is lost
};

void demand_latency(Pod& pod) { pod.blocks.push_back({.name = "sda", .io = {.latency_target_us = 100}}); }

std::vector<Case> cases() {
  return {
      {Claim::hands_off, [](Pod& pod) { pod.hands_off = true; }, "cannot exempt itself"},
      {Claim::eviction_policy, [](Pod& pod) { pod.eviction.by = 0; }, "cannot protect itself from eviction"},
      {Claim::cache, [](Pod& pod) { pod.resctrl.push_back({.bandwidth = Percent(100)}); }, "cache"},
      {Claim::cpus, [](Pod& pod) { pod.allocated_cpus = CpuSet::parse("0-2"); }, "more than the whole CPUs"},
      {Claim::disk_latency, demand_latency, "throttle all other pods"},
      {Claim::cpu_burst, [](Pod& pod) { pod.cpu_burst.policy = "auto"; }, "the node's cpuBurstStrategy"},
      {Claim::core_sched_group, [](Pod& pod) { pod.labels["koordinator.sh/core-sched-group-id"] = "theirs"; },
       ""},
      {Claim::memory, [](Pod& pod) { pod.memory_qos.min_limit_percent = Percent(1); },
       "no more than the pod's class"},
      {Claim::group_identity, [](Pod& pod) { pod.group_identity = 1; }, "above that of the pod's class"},
  };
}

NodeSlo trusting(TrustRule rule) {
  NodeSlo slo;
  slo.evenkeel.trust.push_back(std::move(rule));
  return slo;
}

TEST(Trust, NothingIsTakenFromAPodThatClaimsNothing) {
  Pod pod = tenant();
  pod.allocated_cpus = CpuSet::parse("0-1");
  EXPECT_FALSE(trust::is_restricted(pod, {}));
}

TEST(Trust, EachClaimIsRefusedToldAndLeavesNothingBehind) {
  for (const Case& one : cases()) {
    const std::string word = kClaims[static_cast<std::size_t>(one.claim)];
    Pod pod = tenant();
    one.demand(pod);
    const Pod demanded = pod;
    EXPECT_TRUE(trust::is_restricted(pod, {})) << word;
    std::vector<std::string> refused;
    trust::restrict(pod, {}, refused);
    EXPECT_FALSE(pod == demanded) << word;
    if (*one.told == '\0') {
      EXPECT_TRUE(refused.empty());
      continue;
    }
    ASSERT_EQ(refused.size(), 1U) << word;
    EXPECT_NE(refused[0].find("pod tenant/batch-1: "), std::string::npos) << refused[0];
    EXPECT_NE(refused[0].find(one.told), std::string::npos) << refused[0];
    EXPECT_NE(refused[0].find("(extensions.evenkeel.trust, " + word + ')'), std::string::npos) << refused[0];
    EXPECT_FALSE(trust::is_restricted(pod, {})) << word;
  }
}

TEST(Trust, TheOperatorsTrustIsForOneClaim) {
  for (const Case& one : cases()) {
    const std::string word = kClaims[static_cast<std::size_t>(one.claim)];
    Pod pod = tenant();
    one.demand(pod);
    EXPECT_FALSE(trust::is_restricted(pod, trusting({.claims = {word}}))) << word;
    const std::string other = kClaims[one.claim == Claim::cache ? 0U : 2U];
    EXPECT_TRUE(trust::is_restricted(pod, trusting({.claims = {other}}))) << word;
  }
}

TEST(Trust, IsForThePodsThatTheRuleNames) {
  Pod pod = tenant();
  pod.hands_off = true;
  const auto trusts = [&](TrustRule rule) {
    rule.claims = {"hands-off"};
    return !trust::is_restricted(pod, trusting(rule));
  };
  EXPECT_TRUE(trusts({.namespaces = {"other", "tenant"}}));
  EXPECT_FALSE(trusts({.namespaces = {"other"}}));
  EXPECT_TRUE(trusts({.kube_qos = {"Burstable"}}));
  EXPECT_FALSE(trusts({.kube_qos = {"Guaranteed"}})) << "its own label does not count";
  EXPECT_TRUE(trusts({.min_priority = 5500}));
  EXPECT_FALSE(trusts({.min_priority = 5501}));
  EXPECT_FALSE(trusts({.namespaces = {"tenant"}, .min_priority = 9000})) << "all that is given must fit";
  pod.priority.reset();
  EXPECT_FALSE(trusts({.min_priority = -1})) << "an unknown priority is not a low one";
}

// A service that asks not to be touched, or not to be evicted, takes nothing from others.
TEST(Trust, AServiceMayGiveItselfUp) {
  Pod pod = tenant();
  pod.label_qos = QosClass::ls;
  pod.hands_off = true;
  pod.eviction.by = 0;
  pod.resctrl.push_back({.bandwidth = Percent(20)});
  EXPECT_FALSE(trust::is_restricted(pod, {}));
}

TEST(Trust, ABurstCountsAsFarAsTheNodesGoes) {
  NodeSlo slo;
  slo.cpu_burst = {.policy = BurstPolicy::automatic,
                   .cpu_burst_percent = Percent(100),
                   .cfs_quota_burst_percent = Percent(200),
                   .cfs_quota_burst_period_seconds = 10};
  Pod pod = tenant();
  pod.label_qos = QosClass::ls;
  pod.cpu_burst = {.policy = "cpuBurstOnly",
                   .cpu_burst_percent = Percent(50),
                   .cfs_quota_burst_percent = Percent(200),
                   .cfs_quota_burst_period_seconds = 10};
  EXPECT_FALSE(trust::is_restricted(pod, slo)) << "less is its own business";
  pod.cpu_burst.cpu_burst_percent = Percent(101);
  pod.cpu_burst.cfs_quota_burst_period_seconds = -1;  // without end
  std::vector<std::string> refused;
  trust::restrict(pod, slo, refused);
  EXPECT_EQ(pod.cpu_burst,
            (CpuBurstOverride{.policy = "cpuBurstOnly", .cfs_quota_burst_percent = Percent(200)}));
  EXPECT_EQ(refused.size(), 1U);
}

// What a batch pod requests of memory is lent: services get it back when they need it.
TEST(Trust, MemoryIsProtectedAsFarAsThatOfTheClass) {
  NodeSlo slo;
  slo.qos.be.memory = MemoryQos{.enable = true, .low_limit_percent = Percent(30)};
  Pod pod = tenant();
  pod.memory_qos = {.min_limit_percent = Percent(0),
                    .low_limit_percent = Percent(30),
                    .throttling_percent = Percent(50),
                    .wmark_ratio = Percent(80)};
  EXPECT_FALSE(trust::is_restricted(pod, slo)) << "no more than its class has, and limits of its own";
  pod.memory_qos.min_limit_percent = Percent(100);
  pod.memory_qos.low_limit_percent = Percent(31);
  pod.memory_qos.priority = 12;
  std::vector<std::string> refused;
  trust::restrict(pod, slo, refused);
  EXPECT_EQ(pod.memory_qos,
            (MemoryQosOverride{.throttling_percent = Percent(50), .wmark_ratio = Percent(80)}));
  EXPECT_EQ(refused.size(), 1U);
  slo.qos.be.memory->enable = false;
  pod.memory_qos.low_limit_percent = Percent(30);
  EXPECT_TRUE(trust::is_restricted(pod, slo)) << "a class that is off protects nothing";
  pod.label_qos = QosClass::ls;
  EXPECT_FALSE(trust::is_restricted(pod, slo)) << "a service has what it requests";
  pod.memory_qos.priority = 12;
  refused.clear();
  trust::restrict(pod, slo, refused);
  EXPECT_EQ(refused.size(), 1U) << "it cannot put itself before other services";
  EXPECT_EQ(pod.memory_qos, (MemoryQosOverride{.low_limit_percent = Percent(30),
                                               .throttling_percent = Percent(50),
                                               .wmark_ratio = Percent(80)}));
}

TEST(Trust, AGroupIdentityCountsAsFarAsThatOfTheClass) {
  NodeSlo slo;
  slo.qos.ls.cpu = {.enable = true, .group_identity = 1};
  Pod pod = tenant();
  pod.label_qos = QosClass::ls;
  for (const int own : {-1, 0, 1}) {
    pod.group_identity = own;
    EXPECT_FALSE(trust::is_restricted(pod, slo)) << own;
  }
  pod.group_identity = 2;
  std::vector<std::string> refused;
  trust::restrict(pod, slo, refused);
  EXPECT_EQ(refused.size(), 1U);
  EXPECT_FALSE(pod.group_identity) << "the class decides";
  slo.qos.ls.cpu.enable = false;
  pod.group_identity = 1;
  EXPECT_TRUE(trust::is_restricted(pod, slo)) << "a class that is off gives none";
}

TEST(Trust, GroupsOfCoreSchedulingBelongToANamespace) {
  Pod pod = tenant();
  pod.labels["koordinator.sh/core-sched-group-id"] = "team-7";
  std::vector<std::string> refused;
  trust::restrict(pod, {}, refused);
  EXPECT_EQ(pod.labels["koordinator.sh/core-sched-group-id"], "tenant/team-7");
}

TEST(Trust, CpusOfLentResourcesCountAsRequested) {
  Pod pod = tenant();
  pod.containers[0].requests = {.batch_cpu = 3000_mcpu};
  pod.allocated_cpus = CpuSet::parse("0-2");
  EXPECT_FALSE(trust::is_restricted(pod, {}));
  pod.allocated_cpus = CpuSet::parse("0-3");
  EXPECT_TRUE(trust::is_restricted(pod, {}));
}

/// A service that names CPUs within its two.
Pod owner_of(const char* cpus, std::optional<std::int64_t> created) {
  Pod pod = tenant();
  pod.label_qos = QosClass::lsr;
  pod.allocated_cpus = CpuSet::parse(cpus);
  pod.created_unix_seconds = created;
  return pod;
}

TEST(Trust, CpusOfAnOlderPodAreItsOwn) {
  std::vector<Pod> pods = {owner_of("1-2", 200), owner_of("2-3", 100), owner_of("4-5", 300)};
  using Places = std::vector<std::size_t>;
  EXPECT_EQ(trust::pods_on_others_cpus(pods, {}), Places{0});
  std::vector<std::string> refused;
  trust::return_others_cpus(pods[0], refused);
  EXPECT_EQ(pods[0].allocated_cpus, std::nullopt);
  ASSERT_EQ(refused.size(), 1U);
  EXPECT_NE(refused[0].find("pod tenant/batch-1: "), std::string::npos) << refused[0];
  EXPECT_NE(refused[0].find("an older pod has some of them (extensions.evenkeel.trust, cpus)"),
            std::string::npos)
      << refused[0];
  EXPECT_EQ(trust::pods_on_others_cpus(pods, {}), Places{});

  EXPECT_EQ(trust::pods_on_others_cpus({owner_of("0", std::nullopt), owner_of("0", 100)}, {}), Places{0})
      << "a pod of unknown age is no older one";
  Pod plain = owner_of("0", 100);
  plain.label_qos.reset();
  EXPECT_EQ(trust::pods_on_others_cpus({plain, owner_of("0", 200)}, {}), Places{1})
      << "whatever the label, as on a Node with a CPU bind policy";
  Pod ended = owner_of("0", 100), batch = owner_of("0", 100), greedy = owner_of("0-7", 100);
  ended.phase = PodPhase::succeeded;
  batch.label_qos = QosClass::be;
  for (const Pod& nobody : {ended, batch, greedy})
    EXPECT_EQ(trust::pods_on_others_cpus({nobody, owner_of("0", 200)}, {}), Places{}) << "it has none itself";
}

TEST(Trust, WhoIsTrustedWithCpusHasWhatItNames) {
  Pod old = owner_of("0-1", 100), trusted = owner_of("1-2", 200);
  trusted.namespace_ = "kube-system";
  const NodeSlo slo = trusting({.namespaces = {"kube-system"}, .claims = {"cpus"}});
  EXPECT_EQ(trust::pods_on_others_cpus({old, trusted}, {}), std::vector<std::size_t>{1});
  EXPECT_EQ(trust::pods_on_others_cpus({old, trusted}, slo), std::vector<std::size_t>{0});
}

}  // namespace
}  // namespace evenkeel::test
