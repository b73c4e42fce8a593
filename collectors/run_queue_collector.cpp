// Waits for a CPU and who had it meanwhile, direct reclaim and waits for disks, and how many tasks run: while
// interference is watched. Where BPF is not possible, waits are what each task says of itself.
#include <optional>
#include <string>
#include <vector>

#include "cgroup/bpf_ability.h"
#include "collectors/collector.h"
#include "collectors/run_queue_reader.h"
#include "collectors/task_walk.h"

namespace evenkeel {
namespace {

/// Why it did not load rarely changes while we run: trying costs tens of milliseconds.
constexpr Duration kBetweenTries = std::chrono::minutes(10);
/// How many tasks run is a look at each of them.
constexpr Duration kBetweenCounts = std::chrono::seconds(5);

class RunQueueCollector final : public Collector {
 public:
  void follow(const CgroupTree& tree) override {
    const auto& layout = tree.layout();
    unified_ = layout.v2(Controller::cpu);
    root_ = layout.root(Controller::cpu);
    cgroups_.clear();
    for (const auto* cgroup : tree.all()) cgroups_.push_back({cgroup->id, cgroup->inode});
    changed_ = true;
    walk_.follow(tree);
  }

  void collect(Tick& tick) override {
    if (!wanted(tick.node)) return stop(tick.node);
    if (reader_ && outgrown(tick.node)) reader_.reset();
    if (!reader_ && !start(tick)) return stand_in(tick);
    if (changed_) changed_ = !reader_->watch(cgroups_, tick.node.at);
    reader_->read(tick.node.run_queue, tick.node.stalls);
    count_tasks(tick);
  }

 private:
  static bool wanted(const NodeSnapshot& node) {
    return node.slo != nullptr && node.slo->evenkeel.interference.enable &&
           node.slo->evenkeel.interference.run_queue;
  }
  [[nodiscard]] bool outgrown(const NodeSnapshot& node) const {
    return reader_->outgrown_by(cgroups_.size()) || node.topology.online != online_;
  }

  /// The program cannot be loaded: what each task says of itself.
  void stand_in(Tick& tick) {
    auto& run_queue = tick.node.run_queue;
    if (!real_) return;
    const auto trouble = walk_.look(tick, true);
    if (!trouble.empty()) {
      if (run_queue.source != RunQueueSource::none || trouble != trouble_)
        forget(tick.node, why_no_program_ + "; " + std::string(trouble));
      trouble_ = trouble;
      return;
    }
    if (!trouble_.empty()) run_queue.why = why_no_program_;
    trouble_ = {};
    run_queue.source = RunQueueSource::schedstat;
    run_queue.waits.clear();
    tick.node.stalls.clear();
    for (const auto& one : walk_.seen()) {
      tick.node.stalls.push_back(
          {.cgroup = one.cgroup, .running = one.running, .uninterruptible = one.uninterruptible});
      if (one.since)
        run_queue.waits.push_back(
            {.cgroup = one.cgroup, .waited = one.since->waited, .waits = one.since->timeslices});
    }
  }

  /// As of the last look; both are in the order of the tree.
  void count_tasks(Tick& tick) {
    if (!counted_ || tick.node.at - *counted_ >= kBetweenCounts) {
      counted_ = tick.node.at;
      trouble_ = walk_.look(tick, false);
    }
    auto seen = walk_.seen().begin();
    for (TaskStalls& stall : tick.node.stalls) {
      const bool found = seen != walk_.seen().end() && seen->cgroup == stall.cgroup;
      stall.running = found ? std::optional(seen->running) : std::nullopt;
      stall.uninterruptible = found ? std::optional(seen->uninterruptible) : std::nullopt;
      if (found) ++seen;
    }
  }

  void stop(NodeSnapshot& node) {
    if (!reader_ && !tried_ && node.run_queue.why.empty()) return;
    reader_.reset();
    tried_.reset();
    counted_.reset();
    forget(node, "");
  }

  static void forget(NodeSnapshot& node, const std::string& why) {
    node.run_queue = RunQueue{.why = why};
    node.stalls.clear();
  }

  bool start(Tick& tick) {
    if (tried_ && tick.node.at - *tried_ < kBetweenTries) return false;
    tried_ = tick.node.at;
    real_ = !root_.empty() && tick.host.on_kernel_fs(root_);
    trouble_ = {};
    why_no_program_ = why_no_bpf(tick.host, root_);
    forget(tick.node, why_no_program_);
    if (!why_no_program_.empty()) return false;
    auto reader = RunQueueReader::start(
        {.unified = unified_, .cgroups = cgroups_.size(), .topology = &tick.node.topology});
    if (!reader) {
      why_no_program_ = why_not_loaded(reader.error().code);
      tick.node.run_queue.why = why_no_program_;
      return false;
    }
    reader_.emplace(std::move(*reader));
    tried_.reset();
    online_ = tick.node.topology.online;
    changed_ = true;
    tick.node.run_queue.source = RunQueueSource::bpf;
    return true;
  }

  std::optional<RunQueueReader> reader_{};
  std::optional<MonoTime> tried_{};
  std::optional<MonoTime> counted_{};
  TaskWalk walk_{};
  std::string why_no_program_{};
  std::string_view trouble_{};  ///< why nothing is known of single tasks
  std::vector<WatchedCgroup> cgroups_{};
  std::string root_{};
  CpuSet online_{};
  bool unified_ = false, changed_ = false, real_ = false;
};

}  // namespace

// Nothing is loaded where nobody asks, so it is never said to be off; the programs' descriptors are a few.
extern const CollectorSpec run_queue_collector;
const CollectorSpec run_queue_collector{
    "run-queue",
    {},
    [](const Host&) { return std::size_t{24}; },
    [](const Host&) -> std::unique_ptr<Collector> { return std::make_unique<RunQueueCollector>(); }};

}  // namespace evenkeel
