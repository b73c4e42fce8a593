// The collector of facts about the kernel's scheduler: which algorithm, whether tasks' request sizes can be
// set, whether a BPF scheduler is loaded.
#include <array>
#include <string>

#include "cgroup/base/host.h"
#include "cgroup/base/text.h"
#include "cgroup/sched/request_size_writer.h"
#include "collectors/base/collector.h"
#include "collectors/node/parsers.h"

namespace evenkeel::node {

FairScheduler fair_scheduler_of(std::string_view release) {
  Scanner scan(release);
  const auto major = scan.number();
  if (!major || !scan.eat(".")) return FairScheduler::unknown;
  const auto minor = scan.number();
  if (!minor) return FairScheduler::unknown;
  return *major > 6 || (*major == 6 && *minor >= 6) ? FairScheduler::eevdf : FairScheduler::cfs;
}

namespace {

constexpr std::string_view kRelease = "proc/sys/kernel/osrelease";
constexpr std::string_view kExtState = "sys/kernel/sched_ext/state";
constexpr std::array<std::string_view, 1> kFiles = {kRelease};
constexpr int kEveryTicks = 10;  ///< a BPF scheduler is loaded rarely

class SchedulerCollector final : public collectors::Collector {
 public:
  explicit SchedulerCollector(const Host& host) : ext_(std::string(kExtState), Hold::reopened) {
    // No file that every kernel has tells EEVDF from CFS, so the release does: 6.6 replaced one by the other.
    if (const auto release = host.slurp(std::string(kRelease))) facts_.fair = fair_scheduler_of(*release);
    facts_.request_sizes = sched::request_size_problem(host).empty();
    has_ext_ = host.exists(std::string(kExtState));
  }

  void collect(collectors::Tick& tick) override {
    if (has_ext_ && age_ticks_++ % kEveryTicks == 0) {
      const auto state = ext_.read(tick.host, tick.buffer);
      facts_.sched_ext = state && trimmed(*state) == "enabled";
    }
    facts_.request_sizes_refused = tick.node.scheduler.request_sizes_refused;  // no fact that is read here
    tick.node.scheduler = facts_;
  }

 private:
  ReadFile ext_;
  bool has_ext_ = false;
  int age_ticks_ = 0;
  SchedulerFacts facts_{};
};

}  // namespace

extern const collectors::CollectorSpec scheduler_collector;
const collectors::CollectorSpec scheduler_collector{
    "scheduler", kFiles, [](const Host& /*host*/) { return std::size_t{0}; },
    [](const Host& host) -> std::unique_ptr<collectors::Collector> {
      return std::make_unique<SchedulerCollector>(host);
    }};

}  // namespace evenkeel::node
