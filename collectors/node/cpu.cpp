#include <unistd.h>

#include <array>
#include <cstdint>

#include "cgroup/base/host.h"
#include "cgroup/base/text.h"
#include "collectors/base/collector.h"
#include "collectors/base/reading.h"
#include "collectors/node/parsers.h"

namespace evenkeel::node {

namespace {

constexpr std::array<std::string_view, 3> kOnlineFiles = {"sys/devices/system/cpu/online", "proc/cpuinfo",
                                                          "proc/stat"};

std::optional<CpuSet> cpus_of_online(std::string_view text) {
  const auto cpus = CpuSet::parse(trimmed(text));
  return cpus && !cpus->empty() ? cpus : std::nullopt;
}

/// Only with Intel's driver. It can be switched at any time, which is rare.
constexpr const char* kNoTurbo = "sys/devices/system/cpu/intel_pstate/no_turbo";
constexpr std::uint64_t kTicksPerTurbo = 10;

/// Keeps NodeSnapshot::topology up to date; while no CPU goes on- or offline, a tick costs one small read and
/// a comparison.
class Topology final : public collectors::Collector {
 public:
  void collect(collectors::Tick& tick) override {
    const auto online = online_now(tick);
    if (!online)
      known_ = CpuTopology{};
    else if (*online != known_.online)
      known_ = read_topology(tick.host, *online);
    auto& seen = tick.node.topology;
    if (seen.online != known_.online || seen.cpus.size() != known_.cpus.size()) seen = known_;
    if (ticks_++ % kTicksPerTurbo == 0) {
      const auto text = no_turbo_.read(tick.host, tick.buffer);
      turbo_ = text ? turbo_enabled(*text) : std::nullopt;
    }
    seen.turbo = turbo_;
  }

 private:
  std::optional<CpuSet> online_now(collectors::Tick& tick) {
    using Parse = std::optional<CpuSet> (*)(std::string_view);
    constexpr std::array<Parse, 3> kParse = {cpus_of_online, cpus_of_cpuinfo, cpus_of_stat};
    for (std::size_t i = 0; i < files_.size(); ++i) {
      const auto text = files_[i].read(tick.host, tick.buffer);
      if (!text) continue;
      if (auto cpus = kParse[i](*text)) return cpus;
    }
    return std::nullopt;
  }
  // The two fallback files are never opened if the first exists, and are rarely worth a descriptor elsewhere.
  std::array<ReadFile, 3> files_ = {ReadFile(std::string(kOnlineFiles[0]), Hold::kept),
                                    ReadFile(std::string(kOnlineFiles[1]), Hold::reopened),
                                    ReadFile(std::string(kOnlineFiles[2]), Hold::reopened)};
  ReadFile no_turbo_{std::string(kNoTurbo), Hold::reopened};
  std::uint64_t ticks_ = 0;
  std::optional<bool> turbo_{};
  CpuTopology known_{};
};

}  // namespace

extern const collectors::CollectorSpec topology_collector;
const collectors::CollectorSpec topology_collector{
    "topology", kOnlineFiles, [](const Host&) { return std::size_t{1}; },
    [](const Host&) -> std::unique_ptr<collectors::Collector> { return std::make_unique<Topology>(); }};

namespace {

constexpr std::array<std::string_view, 1> kStatFiles = {"proc/stat"};

class NodeCpu final : public collectors::Collector {
 public:
  void collect(collectors::Tick& tick) override {
    auto& node = tick.node.node;
    node.cpu_capacity = MilliCpu(static_cast<std::int64_t>(tick.node.topology.online.size()) * 1000);
    const auto text = stat_.read(tick.host, tick.buffer);
    const auto ticks = text ? cpu_ticks(*text) : std::nullopt;
    const auto passed = tick.node.since_previous;
    node.cpu_use = cpus(used_.increase_to(ticks ? std::optional(ticks->used) : std::nullopt), passed);
    node.cpu_stolen = cpus(stolen_.increase_to(ticks ? ticks->stolen : std::nullopt), passed);
    node.tasks_started = text ? tasks_started(*text) : std::nullopt;
  }

 private:
  static std::optional<MilliCpu> cpus(std::optional<std::int64_t> ticks, std::optional<Duration> passed) {
    return ticks && passed ? rate(time_of_ticks(*ticks), *passed) : std::nullopt;
  }
  ReadFile stat_{std::string(kStatFiles[0]), Hold::kept};
  collectors::Counter used_{}, stolen_{};
};

/// The numbers after the name of a line.
std::optional<CpuTicks> ticks_in(Scanner line) {
  // user nice system idle iowait irq softirq
  constexpr std::array<bool, 7> kCounts = {true, true, true, false, false, true, true};
  CpuTicks out;
  for (const bool counts : kCounts) {
    const auto value = line.number();
    if (!value || *value < 0) return std::nullopt;
    if (counts && __builtin_add_overflow(out.used, *value, &out.used)) return std::nullopt;
  }
  out.stolen = line.number();
  if (out.stolen && *out.stolen < 0) return std::nullopt;
  return out;
}

std::int64_t ticks_per_second() {
  const auto ticks = ::sysconf(_SC_CLK_TCK);
  return ticks > 0 ? ticks : 100;  // USER_HZ of every architecture except alpha and ia64
}

}  // namespace

std::optional<CpuTicks> cpu_ticks(std::string_view proc_stat) {
  Scanner line(Scanner(proc_stat).line());
  return line.eat("cpu ") ? ticks_in(line) : std::nullopt;
}

/// It is one of the last lines: the one with all interrupts in front of it may be long.
std::optional<std::int64_t> tasks_started(std::string_view proc_stat) {
  constexpr std::string_view kLine = "\nprocesses ";
  const auto at = proc_stat.rfind(kLine);
  if (at == std::string_view::npos) return std::nullopt;
  const auto started = Scanner(proc_stat.substr(at + kLine.size())).number();
  return started && *started >= 0 ? started : std::nullopt;
}

std::vector<CpuUse> use_of_each_cpu(std::string_view proc_stat) {
  std::vector<CpuUse> out;
  for (Scanner scan(proc_stat); !scan.done();) {
    Scanner line(scan.line());
    const auto cpu = number_in_name(line.word(), "cpu");
    if (!cpu || *cpu >= static_cast<std::int64_t>(CpuSet::kCapacity)) continue;
    if (const auto ticks = ticks_in(line)) out.push_back({static_cast<CpuId>(*cpu), ticks->used});
  }
  return out;
}

CpuTime time_of_ticks(std::int64_t ticks) {
  static const std::int64_t per_second = ticks_per_second();
  return CpuTime(scaled(ticks, 1'000'000'000, per_second));
}

extern const collectors::CollectorSpec node_cpu_collector;
const collectors::CollectorSpec node_cpu_collector{
    "node-cpu", kStatFiles, [](const Host&) { return std::size_t{1}; },
    [](const Host&) -> std::unique_ptr<collectors::Collector> { return std::make_unique<NodeCpu>(); }};

}  // namespace evenkeel::node
