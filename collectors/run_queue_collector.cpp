// Waits for a CPU and who had it meanwhile, direct reclaim and waits for disks: while interference is
// watched.
#include <optional>
#include <string>
#include <vector>

#include "cgroup/bpf_ability.h"
#include "collectors/collector.h"
#include "collectors/run_queue_reader.h"

namespace evenkeel {
namespace {

/// Why it did not load rarely changes while we run: trying costs tens of milliseconds.
constexpr Duration kBetweenTries = std::chrono::minutes(10);

class RunQueueCollector final : public Collector {
 public:
  void follow(const CgroupTree& tree) override {
    const auto& layout = tree.layout();
    unified_ = layout.v2(Controller::cpu);
    root_ = layout.root(Controller::cpu);
    cgroups_.clear();
    for (const auto* cgroup : tree.all()) cgroups_.push_back({cgroup->id, cgroup->inode});
    changed_ = true;
  }

  void collect(Tick& tick) override {
    if (!wanted(tick.node)) return stop(tick.node);
    if (reader_ && outgrown(tick.node)) reader_.reset();
    if (!reader_ && !start(tick)) return;
    if (changed_) changed_ = !reader_->watch(cgroups_, tick.node.at);
    reader_->read(tick.node.run_queue, tick.node.stalls);
  }

 private:
  static bool wanted(const NodeSnapshot& node) {
    return node.slo != nullptr && node.slo->evenkeel.interference.enable &&
           node.slo->evenkeel.interference.run_queue;
  }
  [[nodiscard]] bool outgrown(const NodeSnapshot& node) const {
    return reader_->outgrown_by(cgroups_.size()) || node.topology.online != online_;
  }

  void stop(NodeSnapshot& node) {
    if (!reader_ && !tried_ && node.run_queue.why.empty()) return;
    reader_.reset();
    tried_.reset();
    forget(node, "");
  }

  static void forget(NodeSnapshot& node, const std::string& why) {
    node.run_queue = RunQueue{.why = why};
    node.stalls.clear();
  }

  bool start(Tick& tick) {
    if (tried_ && tick.node.at - *tried_ < kBetweenTries) return false;
    tried_ = tick.node.at;
    forget(tick.node, why_not(tick.host));
    if (!tick.node.run_queue.why.empty()) return false;
    auto reader = RunQueueReader::start(
        {.unified = unified_, .cgroups = cgroups_.size(), .topology = &tick.node.topology});
    if (!reader) {
      tick.node.run_queue.why = why_not_loaded(reader.error().code);
      return false;
    }
    reader_.emplace(std::move(*reader));
    tried_.reset();
    online_ = tick.node.topology.online;
    changed_ = true;
    tick.node.run_queue.source = RunQueueSource::bpf;
    return true;
  }

  [[nodiscard]] std::string why_not(const Host& host) const {
    if (root_.empty()) return "no hierarchy has the cpu controller, by which tasks are told apart";
    if (!host.on_kernel_fs(root_)) return "not tried: /" + root_ + " is not the kernel's";
    return why_no_bpf(host);
  }

  std::optional<RunQueueReader> reader_{};
  std::optional<MonoTime> tried_{};
  std::vector<WatchedCgroup> cgroups_{};
  std::string root_{};
  CpuSet online_{};
  bool unified_ = false, changed_ = false;
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
