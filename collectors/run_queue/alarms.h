// Raises an alarm between two ticks when the run-queue program saw a service wait for CPUs that best effort
// had. Does not decide whether the brake should be on (qos/brake/brake.h does).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "collectors/base/collector.h"
#include "collectors/bpf/brake_shared.h"
#include "collectors/bpf/program.h"
#include "collectors/bpf/watched_cgroups.h"
#include "qos/model/snapshot.h"

namespace evenkeel::run_queue {

/// The side of each slot for the brake: best effort, a service (with its slot), or neither. Everything below
/// best effort's directory is throttled by the brake, whatever the QoS of its pod.
std::vector<std::uint32_t> brake_sides(const NodeSnapshot& node, const bpf::WatchedSlots& slots);

class RunQueueAlarms {
 public:
  /// `program` (loaded with RunQueueShape::brake), `slots` and `waiting` must outlive it.
  static Result<std::unique_ptr<RunQueueAlarms>> start(const bpf::BpfProgram& program,
                                                       const bpf::WatchedSlots& slots,
                                                       const collectors::AlarmDescriptors& waiting);
  ~RunQueueAlarms();
  RunQueueAlarms(const RunQueueAlarms&) = delete;
  RunQueueAlarms& operator=(const RunQueueAlarms&) = delete;

  /// Called once per tick, after the slots; `moved`: they have changed. Allocates only when cgroups come or
  /// go.
  void follow(const NodeSnapshot& node, bool moved);

 private:
  RunQueueAlarms(const bpf::BpfProgram& program, const bpf::WatchedSlots& slots,
                 const collectors::AlarmDescriptors& waiting);
  void drain(std::span<const std::byte> record) const;

  const bpf::WatchedSlots& slots_;
  const collectors::AlarmDescriptors& alarm_source_;
  BrakeThresholds& terms_;
  std::span<BrakeSide> sides_;
  std::optional<bpf::BpfRing> ring_{};
  bool registered_fd_ = false;
  std::shared_ptr<const std::vector<Pod>> pods_{};  ///< from which the sides were computed
  std::shared_ptr<const NodeSlo> slo_{};            ///< under these settings
};

}  // namespace evenkeel::run_queue
