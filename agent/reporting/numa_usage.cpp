#include "agent/reporting/numa_usage.h"

#include <algorithm>

#include "cgroup/tree/layout.h"

namespace evenkeel::reporting {
namespace {

constexpr int kSlots = 180;  ///< ten seconds each; reports are less frequent

history::UsageWindow new_window() { return {history::kLongestWindow, kSlots}; }

/// Absent also where CPUs went on- or offline: the sums are of different CPUs then.
std::optional<MilliCpu> cpu_between(const node::NumaReading& before, const node::NumaReading& now,
                                    Duration passed) {
  if (!before.cpu_time || !now.cpu_time || before.cpus != now.cpus) return std::nullopt;
  return rate(*now.cpu_time - *before.cpu_time, passed);
}

std::optional<Bytes> rest(std::optional<Bytes> whole, Bytes part) {
  return whole ? std::optional(std::max(*whole - part, Bytes(0))) : std::nullopt;
}

/// Absent: the CPU use of one is not known.
std::optional<MilliCpu> sum_of_cpu(const std::vector<NumaUsage>& usages) {
  MilliCpu out{};
  for (const auto& one : usages) {
    if (!one.whole.cpu) return std::nullopt;
    out += *one.whole.cpu;
  }
  return out;
}

}  // namespace

NumaUsageMeter::NumaUsageMeter(const std::string& host_root) : host_(Host::open(host_root)) {
  if (!host_) return;
  if (const auto layout = tree::detect_layout(*host_, "")) memory_root_ = layout->root(Controller::memory);
}

std::map<int, Bytes> NumaUsageMeter::memory_of_cgroups(const NodeSnapshot& node,
                                                       const std::vector<node::NumaReading>& readings) const {
  std::map<int, Bytes> out;
  const auto add = [&](CgroupIndex index) {
    const auto* cgroup = node.cgroup(index);
    if (cgroup == nullptr) return;
    const auto text = host_->slurp(memory_root_ + '/' + std::string(cgroup->path) + "/memory.numa_stat");
    if (!text) return;
    for (const auto& reading : readings)
      if (const auto bytes = node::anonymous_in(*text, reading.node)) out[reading.node] += *bytes;
  };
  if (memory_root_.empty()) return out;
  for (const auto& pod : node.pods) add(pod.cgroup);
  for (const auto& application : node.host_applications) add(application.cgroup);
  return out;
}

void NumaUsageMeter::measure(const NodeSnapshot& node, MonoTime now) {
  if (!host_ || (measured_ && now <= *measured_)) return;
  const Duration passed = measured_ ? now - *measured_ : Duration::zero();
  measured_ = now;
  const auto readings = node::numa_readings(*host_);
  std::erase_if(entries_, [&](const auto& entry) {
    return std::ranges::find(readings, entry.first, &node::NumaReading::node) == readings.end();
  });
  auto in_cgroups = memory_of_cgroups(node, readings);
  for (const auto& reading : readings) {
    const auto found = entries_.find(reading.node);
    if (found == entries_.end()) {
      entries_.emplace(reading.node, Entry{new_window(), new_window(), reading});
      continue;
    }
    Entry& entry = found->second;
    entry.whole.add(now, passed, {cpu_between(entry.last, reading, passed), reading.memory});
    entry.system.add(now, passed, {std::nullopt, rest(reading.memory, in_cgroups[reading.node])});
    entry.last = reading;
  }
}

std::vector<NumaUsage> NumaUsageMeter::averages(Duration window, const Usage& system) const {
  std::vector<NumaUsage> out;
  if (!measured_) return out;
  const MonoTime since = *measured_ - window;
  for (const auto& [number, entry] : entries_)
    out.push_back({number, entry.whole.average(since), entry.system.average(since)});
  const auto all = sum_of_cpu(out);
  if (!system.cpu || !all) return out;
  for (auto& one : out) {
    const auto share =
        all->count() > 0 ? scaled(system.cpu->count(), one.whole.cpu->count(), all->count()) : 0;
    one.system.cpu = MilliCpu(share);
  }
  return out;
}

}  // namespace evenkeel::reporting
