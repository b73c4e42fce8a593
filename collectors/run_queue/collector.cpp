// The collector of waits for a CPU and their causes, direct reclaim, waits for disks, and the number of
// running tasks, while interference detection or a trial of `proof` needs them. Without BPF, waits come from
// each task's files in /proc. Also raises alarms for services that wait for best effort, while the brake is
// on.
#include "collectors/base/collector.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "cgroup/features/features.h"
#include "collectors/run_queue/alarms.h"
#include "collectors/run_queue/reader.h"
#include "collectors/run_queue/task_walk.h"

namespace evenkeel::run_queue {
namespace {

/// The reason of a failed load rarely changes, and a try costs tens of milliseconds.
constexpr Duration kBetweenTries = std::chrono::minutes(10);
/// Counting running tasks means reading each one's file.
constexpr Duration kBetweenCounts = std::chrono::seconds(5);
constexpr RunQueueFeatures kNoUse{.measure = false, .brake = false};

class RunQueueCollector final : public collectors::Collector {
 public:
  void follow(const tree::CgroupTree& tree) override {
    const auto& layout = tree.layout();
    unified_ = layout.v2(Controller::cpu);
    root_ = layout.root(Controller::cpu);
    cgroups_.clear();
    // The tasks of a subgroup (crun) are its container's, which everything else knows them by.
    for (const auto* cgroup : tree.all())
      if (cgroup->kind != CgroupKind::subgroup) cgroups_.push_back({cgroup->id, cgroup->inode});
    changed_ = true;
    walk_.follow(tree);
  }

  void set_alarm_source(const collectors::AlarmDescriptors& waiting) override {
    alarms_.reset();
    waiting_ = waiting;
  }

  void collect(collectors::Tick& tick) override {
    const RunQueueFeatures use = wanted(tick.node);
    if (use != use_) stop(tick.node);
    use_ = use;
    if (!use.measure && !use.brake) return;
    work(tick);
    say_alarms(tick.node.run_queue);
  }

 private:
  [[nodiscard]] RunQueueFeatures wanted(const NodeSnapshot& node) const {
    if (node.slo == nullptr) return kNoUse;
    const auto& settings = node.slo->evenkeel;
    return {
        .measure = (settings.interference.enable && settings.interference.run_queue) ||
                   (settings.proof.enable && node.trials_compare_waits),
        .brake = waiting_.add && settings.brake.enable && settings.brake.run_queue && !settings.hands_off};
  }

  void work(collectors::Tick& tick) {
    if (reader_ && outgrown(tick.node)) unload();
    if (!reader_ && !start(tick)) return use_.measure ? stand_in(tick) : void();
    const bool moved = changed_;
    if (changed_) changed_ = !reader_->watch(cgroups_, tick.node.at);
    if (use_.brake && !alarms_) listen();
    if (alarms_) alarms_->follow(tick.node, moved);
    if (!use_.measure) return;
    reader_->read(tick.node.run_queue, tick.node.stalls, cpu_share(tick.node.node));
    count_tasks(tick);
  }

  /// Waits on each program's alarms; they are in a ring buffer of its own.
  void listen() {
    if (!why_no_alarms_.empty()) return;
    auto alarms = RunQueueAlarms::start(reader_->program(), reader_->slots(), waiting_);
    if (alarms)
      alarms_ = std::move(*alarms);
    else
      why_no_alarms_ = std::string("its ring buffer: ") + errno_name(alarms.error().code);
  }
  void say_alarms(RunQueue& run_queue) const {
    run_queue.alarms = alarms_ != nullptr;
    if (use_.brake && !alarms_)
      run_queue.alarms_unavailable_reason = reader_ ? why_no_alarms_ : why_no_program_;
    else
      run_queue.alarms_unavailable_reason.clear();
  }
  void unload() {
    alarms_.reset();
    why_no_alarms_.clear();
    reader_.reset();
  }
  [[nodiscard]] bool outgrown(const NodeSnapshot& node) const {
    return reader_->too_small_for(cgroups_.size()) || node.topology.online != online_;
  }

  /// The program cannot be loaded: reads each task's files instead.
  void stand_in(collectors::Tick& tick) {
    auto& run_queue = tick.node.run_queue;
    if (!real_) return;
    const auto trouble = walk_.scan(tick, true);
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

  /// From the last walk; both are in the order of the tree, but either may have cgroups that the other lacks.
  void count_tasks(collectors::Tick& tick) {
    if (!counted_ || tick.node.at - *counted_ >= kBetweenCounts) {
      counted_ = tick.node.at;
      const auto trouble = walk_.scan(tick, false);
      if (trouble != trouble_)
        tick.node.run_queue.why = trouble.empty() ? "" : "tasks are not counted: " + std::string(trouble);
      trouble_ = trouble;
    }
    auto next = walk_.seen().begin();
    const auto end = walk_.seen().end();
    for (TaskStalls& stall : tick.node.stalls) {
      const auto seen = std::ranges::find(next, end, stall.cgroup, &TaskWalk::Result::cgroup);
      const bool found = seen != end;
      stall.running = found ? std::optional(seen->running) : std::nullopt;
      stall.uninterruptible = found ? std::optional(seen->uninterruptible) : std::nullopt;
      if (found) next = std::next(seen);
    }
  }

  /// The wanted features changed: it starts again.
  void stop(NodeSnapshot& node) {
    unload();
    tried_.reset();
    counted_.reset();
    forget(node, "");
  }

  static void forget(NodeSnapshot& node, const std::string& why) {
    node.run_queue = RunQueue{.why = why};
    node.stalls.clear();
  }

  bool start(collectors::Tick& tick) {
    if (tried_ && tick.node.at - *tried_ < kBetweenTries) return false;
    tried_ = tick.node.at;
    real_ = !root_.empty() && tick.host.on_kernel_fs(root_);
    trouble_ = {};
    why_no_program_ = features::bpf_unavailable_reason(tick.host, root_);
    forget(tick.node, use_.measure ? why_no_program_ : "");
    if (!why_no_program_.empty()) return false;
    auto reader = RunQueueReader::start(
        {.unified = unified_, .cgroups = cgroups_.size(), .topology = &tick.node.topology, .use = use_});
    if (!reader) {
      why_no_program_ = features::bpf_load_problem(reader.error().code);
      forget(tick.node, use_.measure ? why_no_program_ : "");
      return false;
    }
    reader_.emplace(std::move(*reader));
    tried_.reset();
    online_ = tick.node.topology.online;
    changed_ = true;
    if (use_.measure) tick.node.run_queue.source = RunQueueSource::bpf;
    return true;
  }

  collectors::AlarmDescriptors waiting_{};
  RunQueueFeatures use_ = kNoUse;
  std::optional<RunQueueReader> reader_{};
  std::unique_ptr<RunQueueAlarms> alarms_{};  ///< use the reader's program
  std::string why_no_alarms_{};
  std::optional<MonoTime> tried_{};
  std::optional<MonoTime> counted_{};
  TaskWalk walk_{};
  std::string why_no_program_{};
  std::string_view trouble_{};  ///< why nothing is known of single tasks
  std::vector<bpf::WatchedCgroup> cgroups_{};
  std::string root_{};
  CpuSet online_{};
  bool unified_ = false, changed_ = false, real_ = false;
};

}  // namespace

// Nothing is loaded unless configured, so it is never reported as off; the programs need only a few
// descriptors.
extern const collectors::CollectorSpec run_queue_collector;
const collectors::CollectorSpec run_queue_collector{
    "run-queue",
    {},
    [](const Host&) { return std::size_t{32}; },
    [](const Host&) -> std::unique_ptr<collectors::Collector> {
      return std::make_unique<RunQueueCollector>();
    }};

}  // namespace evenkeel::run_queue
