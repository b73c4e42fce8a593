#include "qos/cpu/suppress/fork_storm.h"

#include <algorithm>

#include "qos/cpu/pinning/pinning.h"
#include "qos/cpu/suppress/share.h"

namespace evenkeel::suppress {
namespace {

/// On cgroup v1 the time in the kernel is read every five ticks.
constexpr Duration kWindow = std::chrono::seconds(10);
struct Limits {
  std::int64_t percent_in_kernel = 0, tasks_per_cpu_second = 0, percent_of_usable = 0;
};
constexpr Limits kBegin{30, 500, 70}, kEnd{15, 250, 50};

/// What the CPUs of best effort have for it: those in its CPU set, and not more than others leave.
MilliCpu usable_cpu(const NodeSnapshot& node, const CgroupSample& directory, MilliCpu node_use) {
  const MilliCpu left = node.node.cpu_capacity - (node_use - *directory.cpu_use);
  const auto cpus = pinning::cpus_in_use(&directory);
  const MilliCpu own = cpus ? kWholeCpu * static_cast<std::int64_t>(cpus->size()) : node.node.cpu_capacity;
  return std::max(std::min(left, own), MilliCpu{});
}

void add(Duration& sum, MilliCpu cpu, Duration elapsed) {
  sum += Duration(scaled(elapsed.count(), cpu.count(), 1000));
}

std::int64_t percent(Duration part, Duration whole) {
  return whole > Duration::zero() ? scaled(part.count(), 100, whole.count()) : 0;
}

std::int64_t per_second(std::int64_t tasks, Duration used) {
  return used > Duration::zero() ? scaled(tasks, std::nano::den, used.count()) : 0;
}

/// Judges a window that has ended.
void judge(Duration in_kernel, std::int64_t tasks_started, ForkStorm& storm) {
  const Limits& limits = storm.on ? kEnd : kBegin;
  storm.in_kernel = Percent(std::clamp<std::int64_t>(percent(in_kernel, storm.used), 0, 100));
  storm.tasks_per_cpu_second = per_second(tasks_started, storm.used);
  storm.on = storm.in_kernel.count() >= limits.percent_in_kernel &&
             storm.tasks_per_cpu_second >= limits.tasks_per_cpu_second &&
             percent(storm.used, storm.usable) >= limits.percent_of_usable;
}

void begin_window(const ForkStorm::Window& window, ForkStorm& storm) {
  storm.window = window;
  storm.used = storm.usable = {};
  storm.seen = window.began;
}

}  // namespace

void watch_forks(const NodeSnapshot& node, ForkStorm& storm) {
  const CgroupSample* directory = node.cgroup(node.besteffort);
  if (directory == nullptr) {
    storm = {};
    return;
  }
  const auto& in_kernel = directory->system_time;
  const auto& started = node.node.tasks_started;
  const auto& node_use = node.node.cpu_use;
  if (!in_kernel || !started || !directory->cpu_use || !node_use) {
    storm.window.reset();
    return;
  }
  const bool goes_on =
      storm.window && *in_kernel >= storm.window->in_kernel && *started >= storm.window->tasks_started;
  if (!goes_on) return begin_window({node.at, *in_kernel, *started}, storm);
  const Duration elapsed = node.at - storm.seen;
  storm.seen = node.at;
  add(storm.used, *directory->cpu_use, elapsed);
  add(storm.usable, usable_cpu(node, *directory, *node_use), elapsed);
  if (node.at - storm.window->began < kWindow) return;
  judge(*in_kernel - storm.window->in_kernel, *started - storm.window->tasks_started, storm);
  begin_window({node.at, *in_kernel, *started}, storm);
}

}  // namespace evenkeel::suppress
