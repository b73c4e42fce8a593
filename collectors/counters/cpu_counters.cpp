#include "collectors/counters/cpu_counters.h"

#include "collectors/bpf/program.h"

namespace evenkeel::counters {
namespace {

static_assert(kCountedEvents == kCountedKinds);

/// Written by the kernel while we read.
std::uint64_t now_in(const unsigned long long& place) { return __atomic_load_n(&place, __ATOMIC_RELAXED); }

CountCell copy_of(const CountCell& cell) {
  CountCell out{};
  out.sum.enabled_ns = now_in(cell.sum.enabled_ns);
  out.sum.running_ns = now_in(cell.sum.running_ns);
  for (std::size_t i = 0; i < kCountedKinds; ++i) out.sum.counts[i] = now_in(cell.sum.counts[i]);
  out.lost = now_in(cell.lost);
  return out;
}

}  // namespace

Result<std::vector<CpuGroup>> open_cpu_groups(const CpuTopology& topology, const CounterEvents& events) {
  std::vector<CpuGroup> out;
  for (const CpuInfo& cpu : topology.cpus) {
    auto group = CounterGroup::open_cpu(cpu.id, events);
    if (group)
      out.push_back({cpu.id, std::move(*group)});
    else if (group.error().code != ENODEV)  // the CPU has just gone offline
      return tl::unexpected(group.error());
  }
  if (out.empty()) return fail(ENODEV, Op::open, "perf event");
  return out;
}

Result<CpuCounters> CpuCounters::start(const Environment& machine, std::vector<CpuGroup> groups) {
  const auto cpus = bpf::possible_cpus();
  if (cpus == 0 || groups.empty()) return fail(ENODEV, Op::other, "possible CPUs");
  const auto events = static_cast<std::uint32_t>(groups.front().group.size());
  const auto slots = bpf::WatchedCgroups::slots_for(machine.cgroups);
  const CountShape shape{
      .slots = slots, .cpus = cpus, .unified = machine.unified ? 1U : 0U, .events = events};
  const bpf::BpfProgramSpec::Table tables[] = {
      {"watched", slots}, {"cells", cpus * slots}, {"cpus", cpus}, {"events", cpus * events}};
  auto program = bpf::BpfProgram::load({.name = "evenkeel_counts",
                                        .object = bpf::cpu_counters_object,
                                        .tables = tables,
                                        .constants = std::as_bytes(std::span(&shape, 1))});
  if (!program) return tl::unexpected(program.error());
  for (const auto& [cpu, group] : groups) {
    for (std::uint32_t i = 0; i < events; ++i) {
      const std::uint32_t index = i * cpus + static_cast<std::uint32_t>(cpu);
      const int event = group.descriptor(i);
      if (const auto put = bpf::put_row(program->descriptor("events"), &index, &event); !put)
        return tl::unexpected(put.error());
    }
  }
  CpuCounters counters(std::move(*program), std::move(groups), slots, cpus);
  if (const auto tried = counters.settle_cpu(counters.groups_.front().cpu); !tried)
    return tl::unexpected(tried.error());
  return counters;
}

CpuCounters::CpuCounters(bpf::BpfProgram program, std::vector<CpuGroup> groups, std::uint32_t slots,
                         std::uint32_t cpus)
    : program_(std::move(program)),
      groups_(std::move(groups)),
      slots_(slots),
      cpus_(cpus),
      table_(program_, slots),
      cells_(program_.mapped("cells")),
      rows_(program_.mapped("cpus")),
      settle_(program_.callable("settle")) {}

std::size_t CpuCounters::descriptors() const { return groups_.size() * groups_.front().group.size(); }

bool CpuCounters::watch(std::span<const bpf::WatchedCgroup> cgroups, MonoTime now) {
  const bool all = table_.follow(cgroups, now);
  // A task that is alone on its CPU may run for long without a switch: attribute it to its new cgroup now.
  for (const auto& one : groups_) static_cast<void>(settle_cpu(one.cpu));
  return all;
}

Result<> CpuCounters::settle_cpu(CpuId cpu) const {
  return bpf::run_on_cpu(settle_, static_cast<std::uint32_t>(cpu));
}

void CpuCounters::settle_cpus_of(bpf::WatchSlot slot) const {
  const auto* rows = reinterpret_cast<const CountRow*>(rows_.data());
  for (const auto& one : groups_) {
    const auto& runs = rows[static_cast<std::size_t>(one.cpu)].slot;
    // A CPU that has just gone offline has nothing to account for.
    if (__atomic_load_n(&runs, __ATOMIC_RELAXED) == slot) static_cast<void>(settle_cpu(one.cpu));
  }
}

void CpuCounters::read(bpf::WatchSlot slot, std::vector<CountCell>& into) const {
  settle_cpus_of(slot);
  const auto* cells = reinterpret_cast<const CountCell*>(cells_.data());
  into.resize(cpus_);
  for (std::size_t cpu = 0; cpu < cpus_; ++cpu) into[cpu] = copy_of(cells[cpu * slots_ + slot]);
}

std::optional<GroupReading> CpuCounters::difference(const CountCell& from, const CountCell& to) const {
  if (to.lost != from.lost) return std::nullopt;
  GroupReading reading{.enabled_ns = to.sum.enabled_ns - from.sum.enabled_ns,
                       .running_ns = to.sum.running_ns - from.sum.running_ns};
  for (std::size_t i = 0; i < groups_.front().group.size(); ++i) {
    const auto what = static_cast<std::size_t>(groups_.front().group.what(i));
    reading.counts[what] = to.sum.counts[i] - from.sum.counts[i];
  }
  return reading;
}

}  // namespace evenkeel::counters
