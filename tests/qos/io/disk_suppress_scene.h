// A node whose disk best effort keeps busy while a service waits for it.
#pragma once

#include <functional>
#include <map>

#include "qos/io/disk_suppress.h"
#include "tests/support/scenes/one_policy.h"
#include "tests/support/scenes/snapshot_builder.h"

namespace evenkeel::test {

inline constexpr DiskNumber kVda = 253U << 20U, kVdb = (253U << 20U) | 16U;
inline constexpr std::int64_t kMoves = 1000 << 20,
                              kRequests = 4000;  ///< of an unlimited best effort, in a second

inline SnapshotBuilder usual() {
  return node().v2().pod("db").ls().container("db").pod("batch").be().container("writer");
}

/// A node on which best effort keeps a disk busy, and a service waits for it: by default 300 thousandths of
/// the time, and 20 while best effort moves no more than 64 MiB a second.
struct DiskScene {
  explicit DiskScene(const SnapshotBuilder& builder = usual()) : node(builder.build()) {
    slo.evenkeel.disk_suppress.enable = true;
    node.at = MonoTime{} + std::chrono::seconds(1000);
    node.disk_use = {{.disk = kVda, .besteffort_moved = Bytes{}},
                     {.disk = kVdb, .besteffort_moved = Bytes{}}};
    for (auto& cgroup : node.cgroups) cgroup.pressure.io = cgroup.pressure.cpu = Pressure{};
    read();
  }

  /// `time` passes, with a tick each second and readings every fifth.
  void pass(Duration time) {
    for (Duration passed{}; passed < time; passed += std::chrono::seconds(1)) tick();
  }
  void tick() {
    node.at += std::chrono::seconds(1);
    const std::int64_t moves = besteffort_moves(limit() < 0 ? kMoves : limit());
    auto& vda = node.disk_use[0];
    vda.moved += Bytes(moves);
    vda.requests += scaled(kRequests, moves, kMoves);
    vda.busy += disk_busy;
    if (vda.besteffort_moved) *vda.besteffort_moved += Bytes(moves);
    stalls[besteffort()] += besteffort_stalls;
    stalls[service()] += std::chrono::milliseconds(waits(moves));
    cpu_stall += std::chrono::milliseconds(waits_for_cpu(moves));
    if (++ticks % 5 == 0) read();
    out.clear();
    decide_one(io::disk_suppress_policy, node, slo, state, out);
  }
  void read() {
    for (std::size_t i = 0; i < node.cgroups.size(); ++i) {
      if (!node.cgroups[i].pressure.io) continue;
      node.cgroups[i].pressure.io->some.total = stalls[i];
      node.cgroups[i].pressure.io->at = node.at;
    }
    for (auto& cgroup : node.cgroups) cgroup.pressure.cpu->at = node.at;
    node.cgroups[service()].pressure.cpu->some.total = cpu_stall;
    node.disk_use_read = node.at;
  }
  /// Their places in node.cgroups.
  [[nodiscard]] std::size_t service() const { return static_cast<std::size_t>(node.pods[0].cgroup); }
  [[nodiscard]] std::size_t besteffort() const { return static_cast<std::size_t>(node.besteffort); }
  [[nodiscard]] std::int64_t limit(Knob knob = Knob::io_write_bps, DiskNumber disk = kVda) const {
    return intended(out, {node.cgroup(node.besteffort)->id.value, disk}, knob);
  }
  [[nodiscard]] std::int64_t limit_mib() const { return limit() < 0 ? -1 : limit() >> 20; }
  [[nodiscard]] decide::LeversOnTrial& on_trial() { return state.shared.of<decide::LeversOnTrial>(); }

  NodeSnapshot node;
  NodeSlo slo{};
  decide::PolicyState state{};
  decide::Intents out{};
  std::map<std::size_t, Duration> stalls{};
  std::function<std::int64_t(std::int64_t)> besteffort_moves = [](std::int64_t allowed) { return allowed; };
  std::function<std::int64_t(std::int64_t)> waits = [](std::int64_t moves) {
    return moves > 64 << 20 ? 300 : 20;
  };
  std::function<std::int64_t(std::int64_t)> waits_for_cpu = [](std::int64_t /*moves*/) { return 10; };
  Duration cpu_stall{};
  Duration besteffort_stalls = std::chrono::milliseconds(900), disk_busy = std::chrono::milliseconds(900);
  int ticks = 0;
};

}  // namespace evenkeel::test
