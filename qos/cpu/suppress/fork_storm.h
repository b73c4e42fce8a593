// Whether best effort starts so many processes that services have to wait for it. Does not decide what is
// left to them then (qos/cpu/suppress/target.cpp).
#pragma once

#include <cstdint>
#include <optional>

#include "qos/model/snapshot.h"
#include "qos/model/units.h"

namespace evenkeel::suppress {

/// To start and to end a process is work in the kernel, and a kernel that is not fully preemptible
/// (CONFIG_PREEMPT_NONE, CONFIG_PREEMPT_VOLUNTARY) does long stretches of it before a waking task has the
/// CPU, however small the weight of the process is. Best effort that does little else keeps services waiting.
struct ForkStorm {
  struct Window {
    MonoTime began{};
    Duration in_kernel{};            ///< of best effort, in all, when the window began
    std::int64_t tasks_started = 0;  ///< on the node, in all, when the window began
  };
  std::optional<Window> window{};
  Duration used{}, usable{};  ///< CPU time in the window, and what the CPUs of best effort had for it
  MonoTime seen{};
  Percent in_kernel{};                    ///< of best effort's CPU time, in the last whole window
  std::int64_t tasks_per_cpu_second = 0;  ///< started on the node, for each second of that time
  bool on = false;
};

/// Judges the last ten seconds. A storm begins when best effort spends 30 % of its CPU time in the kernel,
/// the node starts 500 tasks for each second of that CPU time, and best effort uses 70 % of what its CPUs
/// have for it, so that a service finds none of them idle. It ends below 15 %, 250 tasks or 50 %. As long as
/// one of them cannot be read nothing changes.
void watch_forks(const NodeSnapshot& node, ForkStorm& storm);

}  // namespace evenkeel::suppress
