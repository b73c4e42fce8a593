#include "qos/contention/contention.h"

#include <algorithm>
#include <cmath>

#include "qos/memory/watermarks.h"

namespace evenkeel::contention {
namespace {

constexpr double kAverageSeconds = 60;  ///< of PSI's avg60
constexpr std::size_t kCpu = static_cast<std::size_t>(Contended::cpu),
                      kMemory = static_cast<std::size_t>(Contended::memory),
                      kIo = static_cast<std::size_t>(Contended::io);

using Service = ContentionState::Service;

std::optional<double> average(const std::optional<Pressure>& pressure) {
  return pressure ? std::optional(pressure->some.avg60_percent) : std::nullopt;
}

double seconds_of(Duration time) { return std::chrono::duration<double>(time).count(); }

std::optional<Duration> throttled_time(const CgroupSample* cgroup) {
  return cgroup->throttling ? std::optional(cgroup->throttling->throttled_time) : std::nullopt;
}

/// What the service's own limits explain altogether.
struct Explained {
  std::optional<Duration> throttled{};  ///< absent: unknown
  bool memory = false, io = false;      ///< all of it
};

Explained explained_of(const NodeSnapshot& node, const PodSample& pod) {
  auto throttled = throttled_time(node.cgroup(pod.cgroup));
  for (const ContainerSample& container : node.containers_of(pod)) {
    if (container.cgroup == kNoCgroup) continue;
    const auto more = throttled_time(node.cgroup(container.cgroup));
    throttled = throttled && more ? std::optional(*throttled + *more) : std::nullopt;
  }
  return {throttled, memory::is_near_own_limit(node, pod), !pod.spec->blocks.empty()};
}

/// One tick.
class Round {
 public:
  Round(const NodeSnapshot& node, ContentionState& state) : node_(node), state_(state) {}

  void measure() {
    state_.stalls = {};
    for (const PodSample& pod : node_.pods)
      if (pod.cgroup != kNoCgroup && is_active(*pod.spec) && !is_best_effort(*pod.spec))
        measure(*node_.cgroup(pod.cgroup), explained_of(node_, pod));
    for (const HostApplicationSample& app : node_.host_applications)
      if (const CgroupSample* cgroup = node_.cgroup(app.cgroup); cgroup && app.spec->qos != QosClass::be)
        measure(*cgroup, {.throttled = throttled_time(cgroup)});
    std::erase_if(state_.services, [&](const auto& each) { return each.second.seen != node_.at; });
    if (state_.services.empty()) state_.stalls.fill(0);
  }

 private:
  void measure(const CgroupSample& cgroup, const Explained& explained) {
    Service& service = state_.services[cgroup.id];
    service.seen = node_.at;
    service.stalls[kCpu] = cpu_stall(cgroup, explained.throttled, service);
    service.stalls[kMemory] = average(cgroup.pressure.memory);
    service.stalls[kIo] = average(cgroup.pressure.io);
    if (explained.memory && service.stalls[kMemory]) service.stalls[kMemory] = 0;
    if (explained.io && service.stalls[kIo]) service.stalls[kIo] = 0;
    for (std::size_t i = 0; i < kContendedCount; ++i)
      if (const auto& stall = service.stalls[i])
        state_.stalls[i] = std::max(state_.stalls[i].value_or(0), *stall);
  }

  [[nodiscard]] std::optional<double> cpu_stall(const CgroupSample& cgroup,
                                                const std::optional<Duration>& throttled,
                                                Service& service) const {
    const auto waiting = average(cgroup.pressure.cpu);
    const double passed = seconds_of(node_.since_previous.value_or(Duration::zero()));
    if (!throttled || !waiting || passed <= 0) return std::nullopt;
    const double now = std::min(100.0, 100 * seconds_of(*throttled) / passed);
    // The first reading stands for the minute before it, of which only the kernel's average is known.
    const double before = service.throttled_percent.value_or(now);
    service.throttled_percent = before + (1 - std::exp(-passed / kAverageSeconds)) * (now - before);
    return std::max(0.0, *waiting - *service.throttled_percent);
  }

  const NodeSnapshot& node_;
  ContentionState& state_;
};

/// The resource whose stall exceeds its threshold by most; absent: none does.
std::optional<Contended> most_exceeded(const StallPercents& stalls, const ContentionSettings& settings,
                                       double part) {
  const std::array<Percent, kContendedCount> thresholds = {settings.cpu_percent, settings.memory_percent,
                                                           settings.io_percent};
  std::optional<Contended> most;
  double best = part;
  for (std::size_t i = 0; i < kContendedCount; ++i) {
    if (!stalls[i] || thresholds[i] <= Percent{}) continue;
    const double ratio = *stalls[i] / static_cast<double>(thresholds[i].count());
    if (ratio < best) continue;
    best = ratio;
    most = static_cast<Contended>(i);
  }
  return most;
}

bool enabled(const NodeSlo& slo) { return slo.evenkeel.contention.enable; }

/// Does something only after the measurements have said the opposite for long enough; unknown ones say
/// nothing.
void judge(const NodeSnapshot& node, const ContentionSettings& settings, ContentionState& state) {
  const auto known = [](const auto& stall) { return stall.has_value(); };
  const bool unknown = state.contended ? !known(state.stalls[static_cast<std::size_t>(*state.contended)])
                                       : std::ranges::none_of(state.stalls, known);
  const auto most = most_exceeded(state.stalls, settings, state.contended ? kEndsBelow : 1);
  if (unknown || most.has_value() == state.contended.has_value()) return state.otherwise_since.reset();
  if (!state.otherwise_since) state.otherwise_since = node.at;
  const Duration lasting = state.contended ? settings.clear_after : settings.raise_after;
  if (node.at - *state.otherwise_since < lasting) return;
  state.contended = most;
  state.changed = true;
  state.otherwise_since.reset();
}

void decide(const NodeSnapshot& node, const NodeSlo& slo, ContentionState& state,
            ContentionPolicy::Facts /*facts*/, decide::Intents& /*out*/) {
  state.changed = false;
  if (!node.measured) return;
  if (!node.pods_known || node.pods_stale) {
    state.stalls = {};
    return state.otherwise_since.reset();
  }
  Round(node, state).measure();
  judge(node, slo.evenkeel.contention, state);
}

}  // namespace

const StallPercents* stalls_of(const NodeSnapshot& node, std::string_view uid, const ContentionState& state) {
  const PodSample* pod = node.pod(uid);
  const CgroupSample* cgroup = pod == nullptr ? nullptr : node.cgroup(pod->cgroup);
  if (cgroup == nullptr) return nullptr;
  const auto found = state.services.find(cgroup->id);
  return found == state.services.end() ? nullptr : &found->second.stalls;
}

constinit const ContentionPolicy contention_policy{
    {"contention", "tells the scheduler that services wait on this node for a reason that is not their own",
     enabled},
    decide};

}  // namespace evenkeel::contention
