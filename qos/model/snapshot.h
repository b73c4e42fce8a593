// Everything known about the node at one moment, as one value: the only input of a policy besides the
// NodeSLO. Every measurement may be absent, and absent is never zero. Does not read anything.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "qos/model/disk_map.h"
#include "qos/model/ids.h"
#include "qos/model/io_limits.h"
#include "qos/model/knob.h"
#include "qos/model/nodeslo.h"
#include "qos/model/objective.h"
#include "qos/model/pod.h"
#include "qos/model/reclaim_order.h"
#include "qos/model/resctrl.h"
#include "qos/model/task_measurements.h"
#include "qos/model/topology.h"
#include "qos/model/units.h"

namespace evenkeel {

/// Pressure stall information of one resource (Documentation/accounting/psi.rst).
struct PressureLine {
  double avg10_percent = 0, avg60_percent = 0, avg300_percent = 0;
  Duration total{};  ///< stall time since the cgroup (or the machine) began
};
struct Pressure {
  PressureLine some{};
  std::optional<PressureLine> full{};  ///< absent for node CPU and on old kernels
  MonoTime at{};                       ///< when it was read: not in every tick
};
struct PressureSample {
  std::optional<Pressure> cpu{}, memory{}, io{};
};

/// CFS bandwidth activity since the previous tick.
struct Throttling {
  std::int64_t periods = 0;
  std::int64_t throttled_periods = 0;
  Duration throttled_time{};
  std::int64_t bursts = 0;
  Duration burst_time{};
};

struct MemoryEvents {
  std::int64_t low = 0, high = 0, max = 0, oom = 0, oom_kill = 0;  ///< since the cgroup began
};
struct MemorySample {
  std::optional<Bytes> current{};      ///< all charged memory
  std::optional<Bytes> working_set{};  ///< current - inactive_file: what `kubectl top` shows
  std::optional<Bytes> anonymous{};    ///< active_anon + inactive_anon + unevictable: Koordinator's "usage"
  std::optional<Bytes> page_cache{};   ///< active_file + inactive_file
  std::optional<MemoryEvents> events{};
};

/// A CFS quota; absent `quota` inside is "unlimited".
struct CpuLimit {
  std::optional<QuotaTime> quota{};
  Duration period{std::chrono::milliseconds(100)};
  bool operator==(const CpuLimit&) const = default;
};

/// The kernel's "max" of memory settings.
inline constexpr Bytes kNoMemoryLimit{kPlainMax};

/// The settings that the kernel holds now, read back from it. Absent: the file is not there or could not be
/// read.
struct Applied {
  std::optional<CpuLimit> cpu_limit{};
  std::optional<QuotaTime> cpu_burst{};
  std::optional<std::int64_t> cpu_shares{};  ///< v1 cpu.shares, v2 cpu.weight: the kernel's own number
  std::optional<std::int64_t> cpu_idle{};
  std::optional<CpuSet> cpus{};  ///< cpuset.cpus as configured; empty on v2 means "inherit"
  std::optional<CpuSet> cpus_effective{};
  PlainSettings plain{};
  bool operator==(const Applied&) const = default;
};

enum class CgroupKind : std::uint8_t {
  kubepods,
  qos_dir,
  pod,
  container,
  host_application,
  node,      ///< no cgroup: where the levers of the node itself are
  subgroup,  ///< in a container's: where its runtime (crun) puts its processes, and its limits once more
};
/// Where tasks are, as opposed to cgroups that contain others.
constexpr bool is_leaf(CgroupKind kind) {
  return kind == CgroupKind::container || kind == CgroupKind::host_application;
}
using CgroupIndex = std::int32_t;  ///< position in NodeSnapshot::cgroups; valid for one snapshot only
inline constexpr CgroupIndex kNoCgroup = -1;

struct CgroupSample {
  CgroupId id{};
  CgroupKind kind = CgroupKind::pod;
  CgroupIndex parent = kNoCgroup;     ///< always smaller than the own index: parents come first
  std::string_view path{};            ///< relative to the hierarchy's root; owned by the cgroup tree
  bool hands_off = false;             ///< the pod's owner or the node's forbids writing here
  bool disks_matter = false;          ///< a limit on a disk is configured: see NodeSnapshot::disk_readings
  std::optional<MilliCpu> cpu_use{};  ///< since the previous tick; absent on the first sight
  std::optional<Duration> system_time{};  ///< its tasks ran in the kernel, since the cgroup began
  std::optional<Throttling> throttling{};
  MemorySample memory{};
  PressureSample pressure{};
  Applied applied{};
};

struct ContainerSample {
  const Container* spec = nullptr;  ///< null: a cgroup that the pod's spec does not name (the sandbox)
  CgroupIndex cgroup = kNoCgroup;   ///< kNoCgroup: no directory (yet, or any more)
  std::int32_t pod = 0;
};

struct PodSample {
  const Pod* spec = nullptr;                              ///< never null
  CgroupIndex cgroup = kNoCgroup;                         ///< kNoCgroup: no directory (yet, or any more)
  std::int32_t first_container = 0, container_count = 0;  ///< a range of NodeSnapshot::containers
};

struct HostApplicationSample {
  const HostApplication* spec = nullptr;  ///< never null
  CgroupIndex cgroup = kNoCgroup;
};

/// What the kernel holds of one cgroup on its disks.
struct DiskReading {
  struct Value {
    std::uint32_t disk = 0;
    Knob knob{};
    std::int64_t number = 0;
  };
  CgroupId cgroup{};
  KnobBits known = 0;           ///< the levers whose files could be read
  std::vector<Value> values{};  ///< what is not among them is not limited
};

/// What a disk has done since it appeared (Documentation/admin-guide/iostats.rst).
struct DiskUse {
  std::uint32_t disk = 0;
  Bytes moved{};              ///< read and written
  std::int64_t requests = 0;  ///< as they were asked for, before the kernel merged neighbours
  Duration busy{};            ///< at least one request was on its way
  /// Read and written by best effort since its directory was made. Absent: unknown, as on cgroup v1.
  std::optional<Bytes> besteffort_moved{};
};

struct NodeMemory {
  Bytes total{}, available{};
  std::optional<Bytes> free{};
  std::optional<Bytes> page_cache{};  ///< Active(file) + Inactive(file)
  Bytes hugepages{};  ///< reserved pools (HugePages_Total of every size): not memory that can be lent
  std::optional<Bytes> swap_total{};
};

struct NodeSample {
  MilliCpu cpu_capacity{};            ///< online CPUs; 0 = unknown
  std::optional<MilliCpu> cpu_use{};  ///< user + nice + system + irq + softirq
  /// CPU time that the host of this virtual machine took from it (steal); not part of any use.
  std::optional<MilliCpu> cpu_stolen{};
  std::optional<std::int64_t> tasks_started{};  ///< processes and threads, since boot
  std::optional<NodeMemory> memory{};
  PressureSample pressure{};
  PlainSettings settings{};  ///< levers of the node itself
};

/// Which algorithm schedules ordinary tasks (SCHED_OTHER).
enum class FairScheduler : std::uint8_t {
  unknown,
  cfs,
  eevdf,  ///< Linux 6.6 and later (Documentation/scheduler/sched-eevdf.rst)
};
struct SchedulerFacts {
  FairScheduler fair = FairScheduler::unknown;
  /// The agent can set the request size of tasks (sched_setattr(2) with sched_runtime, Linux 6.12).
  bool request_sizes = false;
  /// But the kernel refused the last ones, so that some tasks lack theirs. Set by the agent.
  bool request_sizes_refused = false;
  /// A BPF scheduler (sched_ext) is loaded: shares, quotas and cpu.idle may have no effect.
  bool sched_ext = false;
  bool operator==(const SchedulerFacts&) const = default;
};

struct NodeSnapshot {
  MonoTime at{};
  std::optional<Duration> since_previous{};  ///< absent for the first snapshot
  /// Of a full tick; false: between two ticks, and rates and sums are those of the tick before.
  bool measured = true;
  /// The shortest time between the last ticks; absent: there were not two yet.
  std::optional<Duration> usual_interval{};
  NodeSample node{};
  CpuTopology topology{};
  SchedulerFacts scheduler{};
  std::shared_ptr<const ResctrlSystem> resctrl{};  ///< null: not mounted; replaced when it changes
  std::vector<ResctrlUse> resctrl_use{};           ///< of our groups and the root's; empty: there are none
  std::optional<MonoTime> resctrl_measured{};      ///< when resctrl_use was read; less often than each tick
  /// Null: no policy needs it, or it was not read yet; replaced when it changes.
  std::shared_ptr<const DiskMap> disks{};
  std::vector<DiskUse> disk_use{};          ///< of whole disks, while "disk-suppress" is on
  std::optional<MonoTime> disk_use_read{};  ///< when: less often than each tick
  /// The same for the interface that leads out of the node.
  std::shared_ptr<const NetworkLink> network{};
  NodeObject object{};
  CpuSet reserved_cpus{};  ///< by `object`: those that it names, or those for the amount that it gives
  /// What can be lent, of the resources that this agent advertises: less than `object.lent` where pods that
  /// the kubelet started request more. Absent: unknown, or another advertises.
  Resources lendable{};
  bool v2_cpu = false;  ///< the cpu controller is on the unified hierarchy
  bool v2_io = false;   ///< the same of the controller of disks
  ReclaimSupport reclaim{};
  std::vector<ReclaimOutcome> reclaimed{};  ///< since the previous tick

  std::vector<CgroupSample> cgroups{};
  std::vector<DiskReading> disk_readings{};  ///< of cgroups with a configured disk limit
  std::vector<PodSample> pods{};
  std::vector<ContainerSample> containers{};
  std::vector<HostApplicationSample> host_applications{};
  CgroupIndex kubepods = kNoCgroup, burstable = kNoCgroup, besteffort = kNoCgroup;

  // Filled only while extensions.evenkeel.interference is on (alarms: brake; waits: also proof, see
  // trials_compare_waits).
  CounterStatus counters{};
  std::vector<CpuCounts> cpu_counts{};  ///< windows that ended since the previous tick
  bool trials_compare_waits = false;    ///< set by the agent: `proof` needs `run_queue.waits`
  RunQueue run_queue{};
  std::vector<TaskStalls> stalls{};
  std::vector<Alarm> alarms{};  ///< since the previous look; the oldest first

  /// What services say of themselves, in the order of EvenkeelSettings::objectives of `slo`.
  std::vector<ObjectiveFigure> objectives{};

  bool pods_known = false;  ///< the pod source has delivered at least once
  /// The pod source has not confirmed its list for too long: no irreversible action may rest on it.
  bool pods_stale = false;
  bool object_stale = false;  ///< the same for `object`

  /// Owners of the objects that the pointers above point to; replaced as a whole, never changed in place.
  std::shared_ptr<const std::vector<Pod>> pod_specs{};
  std::shared_ptr<const NodeSlo> slo{};

  [[nodiscard]] std::span<const ContainerSample> containers_of(const PodSample& pod) const {
    return std::span(containers)
        .subspan(static_cast<std::size_t>(pod.first_container),
                 static_cast<std::size_t>(pod.container_count));
  }
  /// Null: not listed.
  [[nodiscard]] const PodSample* pod(std::string_view uid) const {
    const auto found =
        std::ranges::find_if(pods, [&](const PodSample& sample) { return sample.spec->uid == uid; });
    return found == pods.end() ? nullptr : &*found;
  }
  [[nodiscard]] const CgroupSample* cgroup(CgroupIndex index) const {
    return index == kNoCgroup ? nullptr : &cgroups[static_cast<std::size_t>(index)];
  }
  /// The cgroup that a runtime (crun) made inside of a container's for its processes; kNoCgroup: none. A
  /// cgroup is followed by those below it, and a container has no others.
  [[nodiscard]] CgroupIndex subgroup_of(CgroupIndex container) const {
    const CgroupIndex next = container + 1;
    const bool found = container != kNoCgroup && static_cast<std::size_t>(next) < cgroups.size() &&
                       cgroup(next)->kind == CgroupKind::subgroup && cgroup(next)->parent == container;
    return found ? next : kNoCgroup;
  }
  /// Whether `index` is `ancestor` itself or a cgroup below it. False if either is kNoCgroup.
  [[nodiscard]] bool is_within(CgroupIndex index, CgroupIndex ancestor) const {
    const auto parent_of = [this](CgroupIndex below) { return cgroup(below)->parent; };
    return nearest_upwards(index, parent_of, [&](CgroupIndex up) { return up == ancestor; }) != kNoCgroup;
  }
  /// The same without `ancestor` itself.
  [[nodiscard]] bool is_below(CgroupIndex index, CgroupIndex ancestor) const {
    return index != kNoCgroup && is_within(cgroup(index)->parent, ancestor);
  }
};

/// For how long what grows with time may grow in this tick. Between two ticks not at all (suppression alone
/// goes on, by the time since its last change); after a pause (a suspended machine, an agent without CPU) for
/// two intervals at most, since nothing was watched meanwhile.
inline Duration growth_time(const NodeSnapshot& node) {
  if (!node.measured) return Duration::zero();
  const Duration passed = node.since_previous.value_or(std::chrono::seconds(1));
  return node.usual_interval ? std::min(passed, 2 * *node.usual_interval) : passed;
}

}  // namespace evenkeel
