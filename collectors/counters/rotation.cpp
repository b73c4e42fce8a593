// Counts a few cgroups at a time with perf events. Context switches between counted cgroups and descriptors
// (events x CPUs each) are the cost, so each cgroup is counted only part of the time.
#include <algorithm>
#include <string>
#include <vector>

#include "collectors/counters/cpu_counting.h"
#include "collectors/counters/windowed_counting.h"

namespace evenkeel::counters {
namespace {

class Rotation final : public WindowedCounting {
 public:
  explicit Rotation(CounterEvents events) : WindowedCounting(CounterBackend::rotating, std::move(events)) {}

 private:
  std::size_t max_windows(const collectors::Tick& tick, const InterferenceSettings& settings,
                          std::string& why) override {
    const RotationBudget room{.events = events().size(), .cpus = tick.node.topology.cpus.size()};
    const std::size_t most = room.concurrent(settings);
    if (most == 0)
      why = "mostCounterDescriptors is too low: one container takes " +
            std::to_string(room.descriptors_per_cgroup());
    return most;
  }

  Result<> begin(std::size_t place, const Countable& who, const collectors::Tick& tick) override {
    if (who.dir.empty()) return fail(ENOENT, Op::open);
    const auto dir = tick.host.open_dir(who.dir);
    if (!dir) return fail(ENOENT, Op::open);  // the cgroup was removed since the tree was scanned
    groups_.resize(std::max(groups_.size(), place + 1));
    auto& groups = groups_[place];
    for (const CpuInfo& cpu : tick.node.topology.cpus) {
      auto group = CounterGroup::open(dir->get(), cpu.id, events());
      if (group) {
        groups.push_back(std::move(*group));
      } else if (group.error().code != ENODEV) {  // nothing runs on a CPU that has just gone offline
        groups.clear();
        return tl::unexpected(group.error());
      }
    }
    if (groups.empty()) return fail(ENODEV, Op::open, "perf event");
    return {};
  }

  bool read(std::size_t place, ScaledCounts& into) override {
    for (const CounterGroup& group : groups_[place])
      if (const auto reading = group.read()) into.add(*reading);  // a CPU that went offline adds nothing
    return true;
  }

  void end(std::size_t place) override { groups_[place].clear(); }

  [[nodiscard]] std::size_t descriptors() const override {
    std::size_t sum = 0;
    for (const auto& groups : groups_)
      for (const CounterGroup& group : groups) sum += group.size();
    return sum;
  }

  std::vector<std::vector<CounterGroup>> groups_{};  ///< by window, one per CPU
};

}  // namespace

std::unique_ptr<CpuCounting> make_rotating_counting(CounterEvents events) {
  return std::make_unique<Rotation>(std::move(events));
}

}  // namespace evenkeel::counters
