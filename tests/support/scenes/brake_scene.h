// A machine on which a service waits, possibly because of best effort, and the policy "brake" that decides on
// it.
#pragma once

#include "qos/brake/brake.h"
#include "tests/support/scenes/one_policy.h"
#include "tests/support/scenes/snapshot_builder.h"

namespace evenkeel::test {

inline SnapshotBuilder brake_machine() {
  return node().cpus(16).v2().besteffort().unlimited().pod("batch").be().pod("cart").ls().container("main");
}

/// 16 CPUs; best effort has run for 80 ms and uses 4 GiB of 16, of which 1 is anonymous; 1 GiB is free.
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
  /// An alarm of the service's trigger, with every condition for braking met.
  [[nodiscard]] Alarm alarm(Contended what = Contended::cpu) {
    using namespace literals;
    return {.what = what,
            .victim = service().id,
            .at = node.at,
            .waited = std::chrono::milliseconds(10),
            .victim_stalled = std::chrono::milliseconds(50),
            .victim_throttled = Duration{},
            .besteffort_cpu_time = CpuTime(80'000'000),
            .besteffort_memory = 4000_MiB};
  }
  /// An alarm of the run-queue program, which needs no further evidence.
  [[nodiscard]] Alarm call() {
    return {.source = AlarmSource::run_queue,
            .victim = service().id,
            .at = node.at,
            .waited = std::chrono::milliseconds(11)};
  }
  /// The value wanted after some time, which is then applied.
  std::int64_t intent(Knob knob = Knob::cpu_quota, Duration later = {}) {
    node.at += later;
    out.clear();
    decide_one(brake::brake_policy, node, slo, state, out);
    node.alarms.clear();
    if (!out.all().empty())
      obey(node, out);
    else
      besteffort().applied = own;  // values without an intent are restored
    return intended(out, besteffort().id, knob);
  }
  std::int64_t intent_on(const Alarm& alarm, Knob knob = Knob::cpu_quota, Duration later = {}) {
    node.at += later;
    node.alarms = {alarm};
    node.alarms[0].at = node.at;
    return intent(knob);
  }
  NodeSnapshot node;
  CgroupIndex place;  ///< of best effort, whatever the node's snapshot says of it
  Applied own{};
  NodeSlo slo{};
  decide::PolicyState state{};
  decide::Intents out{};
};

}  // namespace evenkeel::test
