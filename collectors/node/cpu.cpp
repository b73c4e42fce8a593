#include <unistd.h>

#include <array>

#include "cgroup/base/file.h"
#include "cgroup/base/text.h"
#include "collectors/base/collector.h"
#include "collectors/base/counter.h"
#include "collectors/node/parsers.h"

namespace evenkeel::node {
namespace {

constexpr std::array<std::string_view, 1> kFiles = {"proc/stat"};

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
  }

 private:
  [[nodiscard]] std::optional<MilliCpu> cpus(std::optional<std::int64_t> ticks,
                                             std::optional<Duration> passed) const {
    if (!ticks || !passed) return std::nullopt;
    return rate(CpuTime(scaled(*ticks, 1'000'000'000, ticks_per_second_)), *passed);
  }
  static std::int64_t clock_ticks() {
    const auto ticks = ::sysconf(_SC_CLK_TCK);
    return ticks > 0 ? ticks : 100;  // USER_HZ of every architecture except alpha and ia64
  }
  ReadFile stat_{std::string(kFiles[0]), Hold::kept};
  collectors::Counter used_{}, stolen_{};
  std::int64_t ticks_per_second_ = clock_ticks();
};

}  // namespace

std::optional<CpuTicks> cpu_ticks(std::string_view proc_stat) {
  Scanner line(Scanner(proc_stat).line());
  if (!line.eat("cpu ")) return std::nullopt;
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

extern const collectors::CollectorSpec node_cpu_collector;
const collectors::CollectorSpec node_cpu_collector{
    "node-cpu", kFiles, [](const Host&) { return std::size_t{1}; },
    [](const Host&) -> std::unique_ptr<collectors::Collector> { return std::make_unique<NodeCpu>(); }};

}  // namespace evenkeel::node
