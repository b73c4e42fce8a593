#include "collectors/counters/group.h"

// libpfm's header declares the kernel's types itself unless they are already declared.
#include <linux/perf_event.h>
// (no reordering)
#include <perfmon/pfmlib_perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>

#include <algorithm>

namespace evenkeel::counters {
namespace {

struct Named {
  CounterKind what;
  const char* name;
};
/// In the order of CounterKind. Kernels have no generic name for cache misses on an Intel CPU whose model
/// they do not know (as in many virtual machines): there the architectural event, which every Intel CPU has,
/// is the same. Other vendors' "cache-misses" count another cache level.
constexpr std::array<Named, kCountedKinds + 1> kNamed = {
    {{CounterKind::cycles, "cycles"},
     {CounterKind::instructions, "instructions"},
     {CounterKind::reference_cycles, "ref-cycles"},
     {CounterKind::cache_misses, "LLC-LOAD-MISSES"},
     {CounterKind::cache_misses, "ix86arch::LLC_MISSES"},
     {CounterKind::stalled_cycles, "stalled-cycles-backend"}}};

}  // namespace

Result<CounterEvents> encode_counter_events() {
  if (pfm_initialize() != PFM_SUCCESS) return fail(ENOTSUP, Op::other, "libpfm");
  CounterEvents events;
  for (const auto& [what, spelled] : kNamed) {
    perf_event_attr attr{};
    attr.size = sizeof attr;
    pfm_perf_encode_arg_t into{};
    into.size = sizeof into;
    into.attr = &attr;
    // User and kernel mode: what a service makes the kernel do is its own work, too.
    const int found = pfm_get_os_event_encoding(spelled, PFM_PLM0 | PFM_PLM3, PFM_OS_PERF_EVENT, &into);
    if (found == PFM_SUCCESS)
      events.push_back({what, attr.type, attr.config});
    else if (static_cast<std::size_t>(what) < kCountedAlways)
      return fail(ENOENT, Op::other, spelled);
  }
  return events;
}

std::string_view name(CounterKind what) { return std::ranges::find(kNamed, what, &Named::what)->name; }

Result<CounterGroup> CounterGroup::open(int cgroup, int cpu, std::span<const CounterEvent> events) {
  return open(cgroup, cpu, PERF_FLAG_PID_CGROUP, events);
}

Result<CounterGroup> CounterGroup::open_cpu(int cpu, std::span<const CounterEvent> events) {
  return open(-1, cpu, 0, events);
}

Result<CounterGroup> CounterGroup::open_self(std::span<const CounterEvent> events) {
  return open(0, -1, 0, events);
}

Result<CounterGroup> CounterGroup::open(int target, int cpu, unsigned long flags,
                                        std::span<const CounterEvent> events) {
  CounterGroup group;
  for (const CounterEvent& event : events.first(std::min(events.size(), kCountedKinds))) {
    perf_event_attr attr{};
    attr.size = sizeof attr;
    attr.type = event.type;
    attr.config = event.config;
    attr.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    const int leader = group.size_ == 0 ? -1 : group.descriptors_[0].get();
    // All start with the leader, below: started one by one, each would count from its own moment, and an
    // event of another PMU than the leader's only after the tasks are scheduled again.
    attr.disabled = leader < 0;
    Fd fd(static_cast<int>(
        ::syscall(SYS_perf_event_open, &attr, target, cpu, leader, flags | PERF_FLAG_FD_CLOEXEC)));
    if (!fd) return fail(errno, Op::open, "perf event");
    group.what_[group.size_] = event.kind;
    group.descriptors_[group.size_++] = std::move(fd);
  }
  if (group.size_ > 0 && ::ioctl(group.descriptors_[0].get(), PERF_EVENT_IOC_ENABLE, 0) < 0)
    return fail(errno, Op::write, "perf event");
  return group;
}

Result<GroupReading> CounterGroup::read() const {
  // nr, time_enabled, time_running, then a value per event (perf_event_open(2), PERF_FORMAT_GROUP).
  std::array<std::uint64_t, 3 + kCountedKinds> raw{};
  const auto expected = static_cast<ssize_t>((3 + size_) * sizeof raw[0]);
  const ssize_t got = ::read(descriptors_[0].get(), raw.data(), sizeof raw);
  if (got < 0) return fail(errno, Op::read, "perf event");
  if (got != expected || raw[0] != size_) return fail(ENODATA, Op::read, "perf event");
  GroupReading reading{.enabled_ns = raw[1], .running_ns = raw[2]};
  for (std::size_t i = 0; i < size_; ++i) reading.counts[static_cast<std::size_t>(what_[i])] = raw[3 + i];
  return reading;
}

}  // namespace evenkeel::counters
