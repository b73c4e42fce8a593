// A machine on which a service waits and best effort may be why, and the policy "brake" on it.
#pragma once

#include "qos/brake/brake.h"
#include "tests/support/scenes/one_policy.h"
#include "tests/support/scenes/snapshot_builder.h"

namespace evenkeel::test {

inline SnapshotBuilder brake_machine() {
  return node().cpus(16).v2().besteffort().unlimited().pod("batch").be().pod("cart").ls().container("main");
}

/// 16 CPUs; best effort has run for 80 ms and has 4 GiB of 16, 1 of them anonymous; 1 GiB is free.
struct BrakeScene {
  explicit BrakeScene(const SnapshotBuilder& builder = brake_machine())
      : node(builder.build()), place(node.besteffort) {
    using namespace literals;
    slo.evenkeel.brake.enable = true;
    node.at = MonoTime{} + std::chrono::seconds(100);
    node.node.memory = NodeMemory{.total = 16384_MiB, .available = 8192_MiB, .free = 1024_MiB};
    besteffort().applied.plain.set(Knob::memory_high, kPlainMax);
    besteffort().memory.current = 4000_MiB;
    besteffort().memory.anonymous = 1000_MiB;
    own = besteffort().applied;
  }
  CgroupSample& besteffort() { return node.cgroups[static_cast<std::size_t>(place)]; }
  CgroupSample& service() { return node.cgroups[static_cast<std::size_t>(node.pods.back().cgroup)]; }
  /// What a trigger on the service says, with nothing that speaks against braking.
  [[nodiscard]] Alarm alarm(Contended what = Contended::cpu) {
    using namespace literals;
    return {.what = what,
            .victim = service().id,
            .at = node.at,
            .waited = std::chrono::milliseconds(10),
            .victim_stalled = std::chrono::milliseconds(50),
            .victim_throttled = Duration{},
            .besteffort_ran = CpuTime(80'000'000),
            .besteffort_memory = 4000_MiB};
  }
  /// What the run-queue program says of it: nothing else needs to be known.
  [[nodiscard]] Alarm call() {
    return {.source = AlarmSource::run_queue,
            .victim = service().id,
            .at = node.at,
            .waited = std::chrono::milliseconds(11)};
  }
  /// What is wished for after some time, and then in force.
  std::int64_t wish(Knob knob = Knob::cpu_quota, Duration later = {}) {
    node.at += later;
    out.clear();
    decide_one(brake::brake_policy, node, slo, state, out);
    node.alarms.clear();
    if (!out.all().empty())
      obey(node, out);
    else
      besteffort().applied = own;  // what nobody asks for goes back
    return wished(out, besteffort().id, knob);
  }
  std::int64_t wish_on(const Alarm& alarm, Knob knob = Knob::cpu_quota, Duration later = {}) {
    node.at += later;
    node.alarms = {alarm};
    node.alarms[0].at = node.at;
    return wish(knob);
  }
  NodeSnapshot node;
  CgroupIndex place;  ///< of best effort, whatever the node says of it
  Applied own{};
  NodeSlo slo{};
  decide::PolicyState state{};
  decide::Intents out{};
};

}  // namespace evenkeel::test
