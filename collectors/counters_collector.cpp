// What containers do with their CPUs, in the snapshot: counted while extensions.evenkeel.interference asks
// for it.
#include <memory>
#include <optional>
#include <string>

#include "collectors/collector.h"
#include "collectors/cpu_counting.h"

namespace evenkeel {
namespace {

/// A module may be loaded, a sysctl changed, a profiler stopped.
constexpr Duration kBetweenProbes = std::chrono::minutes(10);

class CountersCollector final : public Collector {
 public:
  void follow(const CgroupTree& tree) override {
    tree_ = &tree;
    if (counting_) counting_->follow(tree);
  }

  void collect(Tick& tick) override {
    tick.node.cpu_counts.clear();
    const auto* slo = tick.node.slo.get();
    if (slo == nullptr || !slo->evenkeel.interference.enable || !slo->evenkeel.interference.counters)
      return stop(tick.node);
    if (tree_ == nullptr) return;
    if (!complete_ && (!probed_ || tick.node.at - *probed_ >= kBetweenProbes)) begin(tick);
    if (!counting_) return;
    counting_->collect(tick, slo->evenkeel.interference);
    if (tick.node.counters.why.empty() && !missing_.empty()) tick.node.counters.why = missing_;
  }

 private:
  void stop(NodeSnapshot& node) {
    if (!probed_) return;
    node.counters = {};
    counting_.reset();
    probed_.reset();
    complete_ = false;
  }

  void begin(Tick& tick) {
    probed_ = tick.node.at;
    const auto& root = tree_->layout().root(Controller::perf_event);
    if (root.empty() || !tick.host.on_kernel_fs(root)) {
      tick.node.counters.why = "no hierarchy of cgroups with perf_event";
      return;
    }
    const auto wanted = encode_counter_events();
    auto probe = wanted ? probe_counters(*wanted) : CounterProbe{{}, wanted.error().file};
    complete_ = probe.why.empty();
    missing_ = std::move(probe.why);
    if (probe.events.empty()) {
      counting_.reset();
      tick.node.counters = {.why = missing_};
      return;
    }
    // What goes well is not disturbed for a counter that is still taken.
    if (counting_ && probe.events.size() == counted_) return;
    counted_ = probe.events.size();
    counting_ = make_rotating_counting(std::move(probe.events));
    counting_->follow(*tree_);
  }

  const CgroupTree* tree_ = nullptr;  ///< lives as long as the sampler follows it
  std::unique_ptr<CpuCounting> counting_{};
  std::optional<MonoTime> probed_{};
  std::string missing_{};
  std::size_t counted_ = 0;
  bool complete_ = false;
};

}  // namespace

// Most virtual machines have no counters; that is said by its status, never as a collector that is off.
extern const CollectorSpec counters_collector;
const CollectorSpec counters_collector{
    "counters",
    {},
    [](const Host&) { return std::size_t{0}; },
    [](const Host&) -> std::unique_ptr<Collector> { return std::make_unique<CountersCollector>(); }};

}  // namespace evenkeel
