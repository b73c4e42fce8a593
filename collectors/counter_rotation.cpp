// Perf events of a few cgroups at a time. Their price is paid at context switches between counted cgroups
// and in descriptors (events x CPUs each), so each is counted for a part of the time only.
#include <algorithm>
#include <string>
#include <vector>

#include "collectors/counter_group.h"
#include "collectors/counter_turns.h"
#include "collectors/cpu_counting.h"

namespace evenkeel {
namespace {

/// Less than that of the time in which the tasks ran, and scaling is guessing.
constexpr double kLeastShare = 0.5;

class Rotation final : public CpuCounting {
 public:
  explicit Rotation(CounterEvents events) : events_(std::move(events)) {}

  void follow(const CgroupTree& tree) override {
    turns_.follow(tree);
    for (Window& window : windows_) {
      const auto& all = turns_.all();
      const auto same = std::ranges::find(all, window.cgroup, &Countable::id);
      if (same == all.end())
        window.close();
      else
        window.position = same->position;
    }
  }

  void collect(Tick& tick, const InterferenceSettings& settings) override {
    CounterStatus& status = tick.node.counters;
    status.backend = CounterBackend::rotating;
    for (Window& window : windows_) go_on(window, tick, settings);
    turns_.pass(tick.node.since_previous, settings.counter_period);
    begin_turns(tick, settings);
    status.windows = windows_done_;
    status.dropped = dropped_;
    status.descriptors = 0;
    for (const Window& window : windows_) status.descriptors += window.groups.size() * window.events;
    status.why = refused_;
  }

 private:
  struct Window {
    CgroupId cgroup{};  ///< none: free
    std::size_t position = 0;
    MonoTime began{};
    double used_ns = 0;                  ///< CPU time, as far as it is known
    bool use_known = true;               ///< in every tick
    std::size_t events = 0;              ///< in each group
    std::vector<CounterGroup> groups{};  ///< one per CPU
    void close() {
      cgroup = {};
      groups.clear();
    }
  };

  static std::optional<MilliCpu> use_at(const Tick& tick, std::size_t position) {
    return position < tick.node.cgroups.size() ? tick.node.cgroups[position].cpu_use : std::nullopt;
  }

  void go_on(Window& window, Tick& tick, const InterferenceSettings& settings) {
    if (!window.cgroup) return;
    // Of the tick before: collectors run before the cgroups are read.
    const auto use = use_at(tick, window.position);
    if (use && tick.node.since_previous)
      window.used_ns +=
          static_cast<double>(use->count()) / 1000 * static_cast<double>(tick.node.since_previous->count());
    else
      window.use_known = false;
    if (tick.node.at - window.began < settings.counter_window) return;
    ++windows_done_;
    if (const auto counts = finish(window, tick.node.at - window.began))
      tick.node.cpu_counts.push_back(*counts);
    window.close();
  }

  /// Absent: it did not run, or the counters were somebody else's for most of the time.
  std::optional<CpuCounts> finish(const Window& window, Duration length) {
    std::array<double, kCountedKinds> sums{};
    double enabled = 0, running = 0;
    for (const CounterGroup& group : window.groups) {
      const auto reading = group.read();  // a CPU that went offline has nothing more to say
      if (!reading || reading->enabled_ns == 0) continue;
      enabled += static_cast<double>(reading->enabled_ns);
      running += static_cast<double>(reading->running_ns);
      if (reading->running_ns == 0) continue;
      const double scale =
          static_cast<double>(reading->enabled_ns) / static_cast<double>(reading->running_ns);
      for (std::size_t i = 0; i < sums.size(); ++i)
        sums[i] += static_cast<double>(reading->counts[i]) * scale;
    }
    if (enabled == 0) return std::nullopt;
    const auto sum = [&](Counted what) {
      return static_cast<std::int64_t>(sums[static_cast<std::size_t>(what)]);
    };
    CpuCounts counts{.cgroup = window.cgroup, .window = length, .counted_share = running / enabled};
    counts.cycles = sum(Counted::cycles);
    counts.instructions = sum(Counted::instructions);
    if (counts.counted_share < kLeastShare || counts.cycles <= 0 || counts.instructions <= 0) {
      ++dropped_;
      want_less();
      return std::nullopt;
    }
    if (window.use_known)
      counts.cpu_use =
          MilliCpu(static_cast<std::int64_t>(1000 * window.used_ns / static_cast<double>(length.count())));
    for (const CounterEvent& event : events_) {
      if (event.what == Counted::reference_cycles) counts.reference_cycles = sum(event.what);
      if (event.what == Counted::cache_misses) counts.cache_misses = sum(event.what);
      if (event.what == Counted::stalled_cycles) counts.stalled_cycles = sum(event.what);
    }
    return counts;
  }

  /// Somebody else (the NMI watchdog, a profiler) has counters too: rather few events than none.
  void want_less() {
    if (events_.size() > kCountedAlways) events_.pop_back();
  }

  void begin_turns(Tick& tick, const InterferenceSettings& settings) {
    const std::size_t each = events_.size() * std::max<std::size_t>(tick.node.topology.cpus.size(), 1);
    const auto at_once = static_cast<std::size_t>(settings.most_counter_descriptors) / each;
    if (at_once == 0) {
      refused_ = "mostCounterDescriptors is too low: one container takes " + std::to_string(each);
      return;
    }
    const auto may = [&](const Countable& one) {
      const auto use = use_at(tick, one.position);
      return (!use || use->count() > 0) &&
             std::ranges::find(windows_, one.id, &Window::cgroup) == windows_.end();
    };
    while (true) {
      const auto busy = static_cast<std::size_t>(
          std::ranges::count_if(windows_, [](const Window& window) { return bool(window.cgroup); }));
      if (busy >= at_once) return;
      const Countable* next = turns_.take(tick.node.at, settings.counter_period, may);
      if (next == nullptr) return;
      begin(*next, tick);
    }
  }

  void begin(const Countable& who, Tick& tick) {
    auto free = std::ranges::find(windows_, CgroupId{}, &Window::cgroup);
    if (free == windows_.end()) free = windows_.insert(free, Window{});
    const auto dir = tick.host.open_dir(who.dir);
    if (!dir) return;  // gone since the tree was looked at
    int refused = 0;
    for (const CpuInfo& cpu : tick.node.topology.cpus) {
      auto group = CounterGroup::open(dir->get(), cpu.id, events_);
      if (group)
        free->groups.push_back(std::move(*group));
      else if (group.error().code != ENODEV)  // a CPU that has just gone offline runs nobody
        refused = group.error().code;
    }
    if (refused != 0 || free->groups.empty()) {
      refused_ = std::string(errno_name(refused)) + ": " + who.dir;
      return free->groups.clear();
    }
    refused_.clear();
    free->cgroup = who.id;
    free->position = who.position;
    free->began = tick.node.at;
    free->used_ns = 0;
    free->events = events_.size();
    free->use_known = true;
  }

  CounterEvents events_;
  CounterTurns turns_{};
  std::vector<Window> windows_{};
  std::uint64_t windows_done_ = 0, dropped_ = 0;
  std::string refused_{};
};

}  // namespace

std::unique_ptr<CpuCounting> make_rotating_counting(CounterEvents events) {
  return std::make_unique<Rotation>(std::move(events));
}

}  // namespace evenkeel
