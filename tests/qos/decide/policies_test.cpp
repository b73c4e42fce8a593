// All policies together: the registry, and what must hold whatever the node looks like.
#include <gtest/gtest.h>

#include <set>

#include "qos/decide/intent.h"
#include "qos/registry.h"
#include "tests/support/scenes/random_node.h"
#include "tests/support/scenes/snapshot_builder.h"

namespace evenkeel {
namespace {

using namespace literals;
using std::chrono::milliseconds;
using std::chrono::seconds;
using test::Dice;
using test::node;
using test::random_node;
using test::random_slo;

TEST(Policies, HaveDistinctNamesAndEverythingThatATickNeeds) {
  std::set<std::string_view> names;
  for (const decide::PolicySpec* policy : decide::policies()) {
    EXPECT_TRUE(names.insert(policy->name).second);
    EXPECT_FALSE(policy->summary.empty());
    EXPECT_TRUE(policy->enabled);
  }
  std::apply([](const auto*... each) { EXPECT_TRUE((each->decide && ...)); }, decide::kPolicies);
  EXPECT_EQ(names,
            (std::set<std::string_view>{
                "cpu-suppress",      "cpu-burst",  "cpu-identity",    "memory-qos",    "memory-push-back",
                "batch-resources",   "cpusets",    "system-settings", "resctrl",       "blkio",
                "cpu-normalization", "core-sched", "request-size",    "oom-score-adj", "network-qos",
                "interference",      "brake",      "proof",           "objectives",    "contention",
                "disk-suppress"}));
}

TEST(Policies, SpeakUnderTheirOwnRankAndForgetWhenOff) {
  NodeSlo slo;
  slo.threshold.enable = true;
  slo.threshold.cpu_suppress_policy = SuppressPolicy::cfs_quota;
  slo.qos.be.cpu.enable = true;
  auto builder = node().cpus(8).uses(1000_mcpu).pod("batch").be().idle(0).container("main");
  const auto snapshot = builder.pod("service").ls().kube(KubeQos::besteffort).build();
  decide::PolicyState state;
  decide::Intents out;
  decide::decide_all(snapshot, slo, state, out);
  ASSERT_EQ(out.all().size(), 2U);
  EXPECT_EQ(decide::policies()[out.all()[0].by]->name, "cpu-suppress");
  EXPECT_EQ(decide::policies()[out.all()[1].by]->name, "cpu-identity");
  EXPECT_GT(state.of<suppress::CpuSuppressState>().damping.count, 0U);
  out.clear();
  decide::decide_all(snapshot, NodeSlo{}, state, out);
  EXPECT_TRUE(out.all().empty());
  EXPECT_EQ(state.of<suppress::CpuSuppressState>().damping.count, 0U);
}

bool below_besteffort(const NodeSnapshot& node, CgroupId id) {
  for (const CgroupSample& sample : node.cgroups) {
    if (sample.id != id) continue;
    const CgroupSample* step = &sample;
    while (step && step != node.cgroup(node.besteffort)) step = node.cgroup(step->parent);
    return step != nullptr;
  }
  return false;
}

bool is_best_effort_application(const NodeSnapshot& node, CgroupId id) {
  for (const HostApplicationSample& app : node.host_applications)
    if (node.cgroup(app.cgroup)->id == id) return app.spec->qos == QosClass::be;
  return false;
}

const CgroupSample& sample_of(const NodeSnapshot& node, CgroupId id) { return node.cgroups[id.value - 1]; }

void check_values(const NodeSnapshot& node, const std::vector<decide::Intent>& plan) {
  for (const decide::Intent& intent : plan) {
    EXPECT_TRUE(intent.target == kNodeItself || !sample_of(node, intent.target.itself()).hands_off);
    EXPECT_STRNE(intent.why.sentence, "");
    EXPECT_EQ(intent.why.text().find('?'), std::string::npos) << intent.why.text();
    if (intent.hold) continue;
    const bool whole_cpus = decide::policies()[intent.by]->name == "cpusets";
    EXPECT_TRUE(whole_cpus || !std::holds_alternative<Unlimited>(intent.value));
    const auto* number = std::get_if<std::int64_t>(&intent.value);
    if (number) {
      EXPECT_GE(*number, row(intent.knob).values.lowest);
      EXPECT_LE(*number, row(intent.knob).values.highest);
    }
    const auto* cpus = std::get_if<CpuSet>(&intent.value);
    if (cpus) {
      EXPECT_FALSE(cpus->empty());
      EXPECT_TRUE(cpus->subset_of(node.topology.online));
    }
    const bool suppressing = decide::policies()[intent.by]->name == "cpu-suppress";
    EXPECT_TRUE(!suppressing || below_besteffort(node, intent.target) ||
                is_best_effort_application(node, intent.target));
  }
}

/// Of all pods together no more is protected than there is, and no write of memory.high or of a limit has
/// something to reclaim.
void check_memory(const NodeSnapshot& node, const decide::Intents& plan) {
  for (const Knob knob : {Knob::memory_min, Knob::memory_low}) {
    std::int64_t sum = 0;
    for (const PodSample& pod : node.pods)
      if (const auto* cgroup = node.cgroup(pod.cgroup))
        sum += std::max<std::int64_t>(test::intended(plan, cgroup->id, knob), 0);
    EXPECT_LE(sum, node.node.memory ? node.node.memory->total.count() : 0);
  }
  for (const CgroupSample& sample : node.cgroups) {
    for (const Knob knob : {Knob::memory_high, Knob::memory_limit}) {
      const auto intended = test::intended(plan, sample.id, knob);
      const auto now = sample.applied.plain.bytes(knob);
      if (intended < 0 || !now || Bytes(intended) >= *now) continue;
      EXPECT_GE(Bytes(intended), sample.memory.current.value_or(kNoMemoryLimit));
    }
  }
}

std::optional<QuotaTime> planned_quota(const NodeSnapshot& node, const decide::Intents& plan, CgroupId id) {
  const std::int64_t intended = test::intended(plan, id, Knob::cpu_quota);
  if (intended >= 0) return QuotaTime(intended);
  const auto& limit = sample_of(node, id).applied.cpu_limit;
  return limit ? limit->quota : std::nullopt;
}

void check_burst(const NodeSnapshot& node, const decide::Intents& plan) {
  for (const CgroupSample& sample : node.cgroups) {
    const std::int64_t burst = test::intended(plan, sample.id, Knob::cpu_burst);
    const auto quota = planned_quota(node, plan, sample.id);
    EXPECT_TRUE(burst < 0 || !quota || burst <= quota->count())
        << sample.path << ' ' << sample.id.value << ": burst " << burst << ", quota " << quota->count();
  }
}

void check_pod_sums(const NodeSnapshot& node, const decide::Intents& plan) {
  for (const PodSample& pod : node.pods) {
    const CgroupSample* dir = node.cgroup(pod.cgroup);
    const std::int64_t whole = dir ? test::intended(plan, dir->id, Knob::cpu_quota) : -1;
    if (whole < 0 || pod.spec->from_cgroup_only ||
        decide::policies()[test::intent(plan, dir->id, Knob::cpu_quota)->by]->name != "cpu-burst")
      continue;
    // In CPUs, above the containers' limits: with a limit of the pod's own, the limits need not fit into its
    // quota.
    double granted = 0;
    const auto cpus = [](std::int64_t quota, Duration period) {
      return static_cast<double>(quota) * 1000 / static_cast<double>(period.count());
    };
    for (const ContainerSample& sample : node.containers_of(pod)) {
      const auto* container = node.cgroup(sample.cgroup);
      const std::int64_t part = container ? test::intended(plan, container->id, Knob::cpu_quota) : -1;
      if (part <= 0 || !sample.spec || !sample.spec->limits.cpu) continue;
      if (decide::policies()[test::intent(plan, container->id, Knob::cpu_quota)->by]->name != "cpu-burst")
        continue;
      const double limit = static_cast<double>(sample.spec->limits.cpu->count()) / 1000;
      granted += std::max(cpus(part, container->applied.cpu_limit->period) - limit, 0.0);
    }
    EXPECT_GE(cpus(whole, dir->applied.cpu_limit->period), granted - 1e-9);
  }
}

void check_floor(const NodeSnapshot& node, const NodeSlo& slo, const decide::Intents& plan) {
  const CgroupSample* dir = node.cgroup(node.besteffort);
  if (!dir || slo.threshold.cpu_suppress_policy != SuppressPolicy::cfs_quota) return;
  const std::int64_t quota = test::intended(plan, dir->id, Knob::cpu_quota);
  if (quota < 0) return;
  EXPECT_GE(quota, quota_for(20_mcpu, dir->applied.cpu_limit->period).count());
}

/// In millionths of a CPU, so that nothing hides in rounding.
double cpu_in(std::int64_t quota_us, Duration period) {
  return static_cast<double>(quota_us) * 1000 / static_cast<double>(period.count()) * 1e6;
}

void check_parts(const NodeSnapshot& node, const suppress::CpuSuppressState& state,
                 const decide::Intents& plan) {
  double sum = 0;
  for (const suppress::SuppressShare& share : state.shares) {
    const std::int64_t quota = test::intended(plan, share.place, Knob::cpu_quota);
    if (quota < 0) continue;  // unknown, or the directory by its CPUs
    const Duration period = sample_of(node, share.place).applied.cpu_limit->period;
    sum += cpu_in(quota, period);
    const std::int64_t most = share.own.quota ? share.own.quota->count() : INT64_MAX;
    EXPECT_GE(quota, std::min(quota_for(20_mcpu, period).count(), most));
    EXPECT_TRUE(quota <= most || share.own.period != period);
  }
  EXPECT_LE(sum, static_cast<double>(state.shared.value_or(MilliCpu{}).count()) * 1e3 + 1e-3);
}

TEST(Policies, KeepTheirPromisesOnTenThousandRandomNodes) {
  for (unsigned seed = 0; seed < 2500; ++seed) {
    Dice dice(seed);
    NodeSnapshot snapshot = random_node(dice);
    const NodeSlo slo = random_slo(dice);
    decide::PolicyState state;
    decide::Intents out;
    std::vector<decide::Intent> plan;
    for (int tick = 0; tick < 4; ++tick) {
      SCOPED_TRACE(testing::Message() << "seed " << seed << ", tick " << tick);
      out.clear();
      decide::decide_all(snapshot, slo, state, out);
      check_burst(snapshot, out);
      check_memory(snapshot, out);
      check_pod_sums(snapshot, out);
      check_floor(snapshot, slo, out);
      check_parts(snapshot, state.of<suppress::CpuSuppressState>(), out);
      decide::arbitrate(snapshot, slo, out, plan);
      check_values(snapshot, plan);
      test::obey(snapshot, out);
      snapshot.at += seconds(1);
      snapshot.since_previous = seconds(1);
    }
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace evenkeel
