#include "collectors/node_cpu.h"

#include <unistd.h>

#include <array>

#include "cgroup/file.h"
#include "cgroup/text.h"
#include "collectors/collector.h"
#include "collectors/counter.h"

namespace evenkeel {
namespace {

constexpr std::array<std::string_view, 1> kFiles = {"proc/stat"};

class NodeCpu final : public Collector {
 public:
  void collect(Tick& tick) override {
    auto& node = tick.node.node;
    node.cpu_capacity = MilliCpu(static_cast<std::int64_t>(tick.node.topology.online.size()) * 1000);
    const auto text = stat_.read(tick.host, tick.buffer);
    const auto ticks = counter_.increase_to(text ? used_ticks(*text) : std::nullopt);
    node.cpu_use.reset();
    if (!ticks || !tick.node.since_previous) return;
    const CpuTime used(scaled(*ticks, 1'000'000'000, ticks_per_second_));
    node.cpu_use = rate(used, *tick.node.since_previous);
  }

 private:
  static std::int64_t clock_ticks() {
    const auto ticks = ::sysconf(_SC_CLK_TCK);
    return ticks > 0 ? ticks : 100;  // USER_HZ of every architecture but alpha and ia64
  }
  ReadFile stat_{std::string(kFiles[0]), Hold::kept};
  Counter counter_{};
  std::int64_t ticks_per_second_ = clock_ticks();
};

}  // namespace

std::optional<std::int64_t> used_ticks(std::string_view proc_stat) {
  Scanner line(Scanner(proc_stat).line());
  if (!line.eat("cpu ")) return std::nullopt;
  // user nice system idle iowait irq softirq
  constexpr std::array<bool, 7> kCounts = {true, true, true, false, false, true, true};
  std::int64_t sum = 0;
  for (const bool counts : kCounts) {
    const auto value = line.number();
    if (!value || *value < 0) return std::nullopt;
    if (counts && __builtin_add_overflow(sum, *value, &sum)) return std::nullopt;
  }
  return sum;
}

extern const CollectorSpec node_cpu_collector;
const CollectorSpec node_cpu_collector{
    "node-cpu", kFiles, [](const Host&) { return std::size_t{1}; },
    [](const Host&) -> std::unique_ptr<Collector> { return std::make_unique<NodeCpu>(); }};

}  // namespace evenkeel
