// The collector of hardware counters per container; counts while extensions.evenkeel.interference asks for
// it.
#include "collectors/base/collector.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>

#include "collectors/counters/cpu_counting.h"

namespace evenkeel::counters {
namespace {

/// The reason may pass: a module is loaded, a sysctl changes, a profiler stops.
constexpr Duration kBetweenProbes = std::chrono::minutes(10);
/// The longest interval, for when a new attempt interrupts counting and the last ones found nothing new.
constexpr Duration kMostPatience = std::chrono::hours(24);

class CountersCollector final : public collectors::Collector {
 public:
  void follow(const tree::CgroupTree& tree) override {
    tree_ = &tree;
    containers_ = static_cast<std::size_t>(
        std::ranges::count_if(tree.all(), [](const tree::Cgroup* cgroup) { return is_leaf(cgroup->kind); }));
    if (counting_) counting_->follow(tree);
  }

  void collect(collectors::Tick& tick) override {
    tick.node.cpu_counts.clear();
    const auto* slo = tick.node.slo.get();
    if (slo == nullptr || !slo->evenkeel.interference.enable || !slo->evenkeel.interference.counters)
      return stop(tick.node);
    if (tree_ == nullptr) return;
    const InterferenceSettings& settings = slo->evenkeel.interference;
    if (!probed_ || tick.node.at - *probed_ >= patience_) probe(tick);
    if (events_.empty()) return;
    if (settings.counter_backend != choice_ || settings.most_counter_descriptors != most_descriptors_)
      restart();
    choice_ = settings.counter_backend;
    most_descriptors_ = settings.most_counter_descriptors;
    if (!tried_) begin(tick, settings);
    if (!counting_) return;
    if (!counting_->collect(tick, settings)) return restart();
    note_room(tick.node, settings);
    auto& said = tick.node.counters.why;
    for (const auto* why : {&crowded_, &refused_, &missing_})
      if (!why->empty()) said.append(said.empty() ? "" : "; ").append(*why);
  }

 private:
  void stop(NodeSnapshot& node) {
    if (!probed_) return;
    node.counters = {};
    probed_.reset();
    patience_ = kBetweenProbes;
    events_.clear();
    restart();
  }

  /// Probes which events can be counted, and again while something is missing. Running counters would disturb
  /// the probe, so counting continues with the known events unless some may be free now.
  void probe(collectors::Tick& tick) {
    if (probed_ && (per_cpu_ ? !busy_ : missing_.empty() && refused_.empty())) return;
    if (per_cpu_) counting_.reset();
    const std::size_t before = events_.size();
    probed_ = tick.node.at;
    const auto wanted = encode_counter_events();
    auto found = wanted ? probe_counters(*wanted, tick.host) : CounterProbe{{}, wanted.error().file};
    missing_ = std::move(found.error);
    busy_ = found.busy;
    tried_ = tried_ && refused_.empty();
    patience_ =
        per_cpu_ && found.events.size() == before ? std::min(2 * patience_, kMostPatience) : kBetweenProbes;
    // Working counters are not interrupted while the missing ones are still taken.
    if (counting_ && found.events.size() == events_.size()) return;
    events_ = std::move(found.events);
    restart();
    if (events_.empty()) tick.node.counters = {.why = missing_};
  }

  void restart() {
    counting_.reset();
    tried_ = per_cpu_ = false;
    refused_.clear();
    crowded_.clear();
    containers_told_ = turns_told_ = 0;
  }

  void begin(collectors::Tick& tick, const InterferenceSettings& settings) {
    tried_ = true;
    if (choice_ != CounterChoice::rotating) {
      auto begun = make_per_cpu_counting(events_, *tree_, tick, settings);
      per_cpu_ = begun.counting != nullptr;
      refused_ = per_cpu_ ? "" : "no counters by CPU: " + begun.error;
      if (per_cpu_) counting_ = std::move(begun.counting);
    }
    if (counting_) return;
    const auto& root = tree_->layout().root(Controller::perf_event);
    if (choice_ != CounterChoice::per_cpu && !root.empty() && tick.host.on_kernel_fs(root)) {
      counting_ = make_rotating_counting(events_);
      counting_->follow(*tree_);
      return;
    }
    if (choice_ != CounterChoice::per_cpu)
      refused_ += (refused_.empty() ? "" : "; ") + std::string("no hierarchy of cgroups with perf_event");
    tick.node.counters = {.why = refused_};
  }

  /// Reports when rotation cannot serve all containers within a period; counting continues.
  void note_room(const NodeSnapshot& node, const InterferenceSettings& settings) {
    if (node.counters.backend != CounterBackend::rotating) return;
    const RotationBudget room{.events = events_.size(), .cpus = node.topology.cpus.size()};
    const std::size_t turns = room.per_period(settings);
    if (containers_ == containers_told_ && turns == turns_told_) return;
    containers_told_ = containers_;
    turns_told_ = turns;
    crowded_ = containers_ <= turns ? ""
                                    : "mostCounterDescriptors allows " + std::to_string(turns) +
                                          " turns in counterPeriod: " + std::to_string(containers_) +
                                          " containers are counted less often";
  }

  const tree::CgroupTree* tree_ = nullptr;  ///< lives as long as the sampler follows it
  std::size_t containers_ = 0;
  CounterEvents events_{};  ///< those that this machine can count
  std::unique_ptr<CpuCounting> counting_{};
  CounterChoice choice_ = CounterChoice::automatic;
  std::int64_t most_descriptors_ = 0;
  bool tried_ = false, per_cpu_ = false;
  bool busy_ = false;  ///< some events are missing only because no counter is free
  std::optional<MonoTime> probed_{};
  Duration patience_ = kBetweenProbes;
  std::string missing_{};  ///< which events cannot be counted, and why
  std::string refused_{};  ///< which way of counting does not work, and why
  std::string crowded_{};  ///< set while there are more containers than turns
  std::size_t containers_told_ = 0, turns_told_ = 0;
};

}  // namespace

// Most virtual machines have no counters; its status reports that, and the collector is never listed as off.
extern const collectors::CollectorSpec counters_collector;
const collectors::CollectorSpec counters_collector{"counters",
                                                   {},
                                                   [](const Host&) { return std::size_t{0}; },
                                                   [](const Host&) -> std::unique_ptr<collectors::Collector> {
                                                     return std::make_unique<CountersCollector>();
                                                   }};

}  // namespace evenkeel::counters
