// Counts on each CPU all the time and lets a BPF program attribute the events to cgroups: needs events x CPUs
// descriptors, however many containers there are. It costs one reading of the counters at each switch between
// containers on a CPU.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "cgroup/features/features.h"
#include "collectors/counters/cpu_counters.h"
#include "collectors/counters/cpu_counting.h"
#include "collectors/counters/windowed_counting.h"

namespace evenkeel::counters {
namespace {

class PerCpu final : public WindowedCounting {
 public:
  explicit PerCpu(CounterEvents events) : WindowedCounting(CounterBackend::per_cpu, std::move(events)) {}

  void follow(const tree::CgroupTree& tree) override {
    WindowedCounting::follow(tree);
    layout_ = tree.layout();
    cgroups_.clear();
    for (const tree::Cgroup* cgroup : tree.all())
      if (is_leaf(cgroup->kind)) cgroups_.push_back({cgroup->id, cgroup->inode});
    changed_ = true;
  }

  /// Returns an empty text on success, otherwise the reason.
  std::string start(const collectors::Tick& tick, const InterferenceSettings& settings) {
    counters_.reset();
    end_all();
    if (const auto wanted = wanted_descriptors(tick.node); wanted > most(settings))
      return "mostCounterDescriptors is too low: the CPUs take " + std::to_string(wanted);
    if (auto why = features::bpf_unavailable_reason(tick.host, layout_.root(Controller::cpu)); !why.empty())
      return why;
    auto groups = open_cpu_groups(tick.node.topology, events());
    if (!groups) return features::counter_unavailable_reason(groups.error().code);
    auto counters = CpuCounters::start({.unified = layout_.v2(Controller::cpu), .cgroups = cgroups_.size()},
                                       std::move(*groups));
    if (!counters) return features::bpf_load_problem(counters.error().code);
    counters_.emplace(std::move(*counters));
    online_ = tick.node.topology.online;
    counted_ = events().size();
    changed_ = true;
    return {};
  }

 private:
  static std::size_t most(const InterferenceSettings& settings) {
    return static_cast<std::size_t>(settings.most_counter_descriptors);
  }
  [[nodiscard]] std::size_t wanted_descriptors(const NodeSnapshot& node) const {
    return RotationBudget{.events = events().size(), .cpus = node.topology.cpus.size()}
        .descriptors_per_cgroup();
  }
  [[nodiscard]] bool outgrown(const NodeSnapshot& node) const {
    return counters_->too_small_for(cgroups_.size()) || node.topology.online != online_ ||
           events().size() != counted_;
  }

  bool prepare(collectors::Tick& tick, const InterferenceSettings& settings) override {
    const bool anew = outgrown(tick.node) || descriptors() > most(settings);
    if (anew && !start(tick, settings).empty()) return false;
    if (changed_) changed_ = !counters_->watch(cgroups_, tick.node.at);
    return true;
  }

  std::size_t max_windows(const collectors::Tick& /*tick*/, const InterferenceSettings& /*settings*/,
                          std::string& /*why*/) override {
    return cgroups_.size();
  }

  Result<> begin(std::size_t place, const Countable& who, const collectors::Tick& /*tick*/) override {
    const auto slot = counters_->slot_of(who.id);
    if (!slot) return fail(ENOSPC, Op::other, "slots");
    from_.resize(std::max(from_.size(), place + 1));
    from_[place].slot = *slot;
    counters_->read(*slot, from_[place].cells);
    return {};
  }

  bool read(std::size_t place, ScaledCounts& into) override {
    const Begun& from = from_[place];
    counters_->read(from.slot, now_);
    for (std::size_t cpu = 0; cpu < now_.size(); ++cpu) {
      const auto counted = counters_->difference(from.cells[cpu], now_[cpu]);
      if (!counted) return false;
      if (counted->enabled_ns > 0) into.add(*counted);
    }
    return true;
  }

  [[nodiscard]] std::size_t descriptors() const override { return counters_->descriptors(); }

  struct Begun {
    bpf::WatchSlot slot = 0;
    std::vector<CountCell> cells{};  ///< by CPU
  };
  tree::Layout layout_{};
  std::vector<bpf::WatchedCgroup> cgroups_{};
  std::optional<CpuCounters> counters_{};
  std::vector<Begun> from_{};  ///< by window
  std::vector<CountCell> now_{};
  CpuSet online_{};
  std::size_t counted_ = 0;
  bool changed_ = false;
};

}  // namespace

PerCpuCounting make_per_cpu_counting(CounterEvents events, const tree::CgroupTree& tree,
                                     const collectors::Tick& tick, const InterferenceSettings& settings) {
  auto counting = std::make_unique<PerCpu>(std::move(events));
  counting->follow(tree);
  auto why = counting->start(tick, settings);
  if (!why.empty()) return {nullptr, std::move(why)};
  return {std::move(counting), {}};
}

}  // namespace evenkeel::counters
