#include "tests/support/scenes/random_node.h"

#include "tests/support/scenes/snapshot_builder.h"

namespace evenkeel::test {

using std::chrono::milliseconds;

namespace {

void random_settings(Dice& dice, CgroupSample& sample) {
  if (dice.chance(80)) sample.cpu_use = MilliCpu(dice.roll(0, 20000));
  if (dice.chance(70)) sample.throttling = Throttling{.periods = 10, .throttled_periods = dice.roll(0, 3)};
  const Duration period = dice.chance(90) ? milliseconds(100) : milliseconds(dice.roll(1, 1000));
  if (dice.chance(90)) sample.applied.cpu_limit = CpuLimit{std::nullopt, period};
  if (sample.applied.cpu_limit && dice.chance(60))
    sample.applied.cpu_limit->quota = QuotaTime(dice.roll(1000, 900000));
  if (dice.chance(80)) sample.applied.cpu_burst = QuotaTime(0);
  if (dice.chance(80)) sample.applied.cpu_idle = 0;
  if (dice.chance(20)) sample.applied.plain.set(Knob::cpu_bvt, 0);
  if (dice.chance(80)) sample.applied.cpu_shares = dice.roll(2, 1024);
  if (dice.chance(80))
    sample.applied.cpus = dice.chance(30) ? CpuSet{} : CpuSet::range(0, static_cast<int>(dice.roll(0, 15)));
  if (dice.chance(80)) sample.applied.cpus_effective = CpuSet::range(0, static_cast<int>(dice.roll(0, 15)));
  sample.hands_off = dice.chance(5);
  if (dice.chance(80)) sample.applied.plain.set(Knob::memory_limit, kPlainMax);
  if (dice.chance(70)) sample.memory.current = Bytes(dice.roll(0, std::int64_t{16} << 30));
  if (dice.chance(30)) return;  // cgroup v1
  for (const Knob knob : {Knob::memory_min, Knob::memory_low}) sample.applied.plain.set(knob, 0);
  sample.applied.plain.set(Knob::memory_high,
                           dice.chance(70) ? kPlainMax : dice.roll(0, std::int64_t{8} << 30));
  sample.applied.plain.set(Knob::memory_oom_group, dice.roll(0, 1));
}

}  // namespace

NodeSnapshot random_node(Dice& dice) {
  auto builder = node();
  if (dice.chance(90)) builder.cpus(static_cast<int>(dice.roll(1, 64)));
  if (dice.chance(90)) builder.uses(MilliCpu(dice.roll(0, 64000)));
  if (dice.chance(50)) builder.v2();
  const auto pods = dice.roll(0, 8);
  for (std::int64_t i = 0; i < pods; ++i) {
    builder.pod("pod").kube(static_cast<KubeQos>(dice.roll(0, 2)));
    if (dice.chance(70)) builder.label(static_cast<QosClass>(dice.roll(0, 4)));
    if (dice.chance(20)) builder.cgroup_only();
    if (dice.chance(20)) builder.allocated("0-3");
    if (dice.chance(20)) builder.phase(static_cast<PodPhase>(dice.roll(0, 4)));
    const auto containers = dice.roll(0, 3);
    for (std::int64_t c = 0; c < containers; ++c) {
      builder.container("container");
      if (dice.chance(80)) builder.limit(MilliCpu(dice.roll(0, 8000)));
      if (dice.chance(10)) builder.waiting();
      if (dice.chance(20)) builder.batch_cpu(MilliCpu(dice.roll(0, 500)), MilliCpu(dice.roll(0, 8000)));
      if (dice.chance(20)) builder.batch_memory(Bytes(dice.roll(0, 1 << 30)), Bytes(dice.roll(0, 1 << 30)));
      const Bytes request(dice.roll(0, std::int64_t{8} << 30)), more(dice.roll(0, std::int64_t{8} << 30));
      if (dice.chance(70))
        builder.memory(request, dice.chance(70) ? std::optional(request + more) : std::nullopt);
    }
  }
  for (auto apps = dice.roll(0, 3); apps > 0; --apps)
    builder.host_app(static_cast<QosClass>(dice.roll(0, 4)), static_cast<HostAppBase>(dice.roll(0, 3)));
  NodeSnapshot snapshot = builder.build();
  for (CgroupSample& sample : snapshot.cgroups) random_settings(dice, sample);
  const Bytes memory(dice.roll(1, std::int64_t{64} << 30));
  snapshot.object.kubelet_static_cpu_manager = dice.chance(10);
  if (dice.chance(30))
    snapshot.object.cpu_normalization_ratio = static_cast<double>(dice.roll(50, 300)) / 100;
  for (const Knob knob : {Knob::min_free_kbytes, Knob::watermark_scale_factor})
    if (dice.chance(80)) snapshot.node.settings.set(knob, dice.roll(1, 3000));
  if (dice.chance(95)) snapshot.node.memory = NodeMemory{memory, memory, {}, {}, {}};
  for (ContainerSample& container : snapshot.containers) {
    if (dice.chance(5)) container.cgroup = kNoCgroup;
    if (dice.chance(5)) container.spec = nullptr;
  }
  for (PodSample& pod : snapshot.pods)
    if (dice.chance(5)) pod.cgroup = kNoCgroup;
  if (dice.chance(5)) snapshot.besteffort = kNoCgroup;
  if (dice.chance(5)) snapshot.pods_known = false;
  if (dice.chance(20)) snapshot.since_previous.reset();
  return snapshot;
}

NodeSlo random_slo(Dice& dice) {
  NodeSlo slo;
  slo.threshold.enable = dice.chance(90);
  slo.threshold.cpu_suppress_policy = static_cast<SuppressPolicy>(dice.roll(0, 1));
  slo.threshold.cpu_suppress_threshold_percent = Percent(dice.roll(0, 100));
  if (dice.chance(30)) slo.threshold.cpu_suppress_min_percent = Percent(dice.roll(0, 100));
  slo.qos.be.cpu.enable = slo.qos.ls.cpu.enable = dice.chance(80);
  MemoryQos memory{.enable = dice.chance(80)};
  memory.min_limit_percent = Percent(dice.roll(0, 150));
  memory.low_limit_percent = Percent(dice.roll(0, 150));
  memory.throttling_percent = Percent(dice.roll(0, 100));
  memory.oom_kill_group = dice.roll(0, 1);
  slo.qos.lsr.memory = slo.qos.ls.memory = slo.qos.be.memory = memory;
  if (dice.chance(50)) slo.system.min_free_kbytes_factor = dice.roll(1, 10000);
  if (dice.chance(50)) slo.system.watermark_scale_factor = dice.roll(1, 400);
  slo.cpu_burst.policy = static_cast<BurstPolicy>(dice.roll(0, 3));
  slo.cpu_burst.cpu_burst_percent = Percent(dice.roll(1, 10000));
  slo.cpu_burst.cfs_quota_burst_percent = Percent(dice.roll(100, 1000));
  slo.cpu_burst.cfs_quota_burst_period_seconds = dice.roll(-1, 600);
  return slo;
}

}  // namespace evenkeel::test
