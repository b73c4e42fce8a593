#include <algorithm>
#include <utility>

#include "qos/memory/policies.h"
#include "qos/memory/watermarks.h"

namespace evenkeel::memory {
namespace {

// A cgroup that was above its mark may be so again within the tick, and is checked more often for a while.
constexpr Duration kWatch = std::chrono::seconds(10);
// Two hundredths of the time: what a service can lose to this without noticing.
constexpr std::int64_t kStallParts = 50;
constexpr Duration kLeastStall = std::chrono::milliseconds(10);
constexpr double kStalledPercent = 10;
constexpr Duration kFirstPause = std::chrono::seconds(10), kMaxRetryDelay = std::chrono::minutes(5);
constexpr Duration kLongestTick = std::chrono::seconds(10);
// This close to its limit a container reclaims for itself.
constexpr std::int64_t kFullPercent = 99;

using Entry = MemoryReclaimState::Entry;

/// The memory limit of best effort: the lower one of push-back and brake.
std::optional<Bytes> held_back(const ReclaimFacts& facts) {
  auto target = facts.read<decide::PushedBackMemory>().target;
  if (const auto& braked = facts.read<decide::BrakeInForce>().memory)
    target = std::min(target.value_or(kNoMemoryLimit), *braked);
  return target;
}

/// One tick.
class Round {
 public:
  Round(const NodeSnapshot& node, const NodeSlo& slo, MemoryReclaimState& state, ReclaimFacts facts,
        std::vector<ReclaimOrder>& out)
      : node_(node),
        slo_(slo),
        state_(state),
        held_back_(held_back(facts)),
        limits_(facts.read<decide::MemoryLimits>().limits),
        tick_(std::min(node.since_previous.value_or(Duration::zero()), kLongestTick)),
        out_(out) {}

  void decide() {
    for (const auto& outcome : node_.reclaimed) learn(outcome);
    for (const auto& pod : node_.pods) decide_pod(pod);
    push_back();
    limit_antagonists();
    std::erase_if(state_.cgroups, [&](const auto& entry) { return entry.second.seen != node_.at; });
  }

  /// The node's budget: first each cgroup's excess, the largest first; what is left serves those that may
  /// grow until the next tick.
  void share_out() {
    std::ranges::sort(out_, [](const ReclaimOrder& a, const ReclaimOrder& b) {
      return a.wanted != b.wanted ? a.wanted > b.wanted : a.target < b.target;
    });
    if (out_.size() > kMostReclaimOrders) out_.resize(kMostReclaimOrders);
    Bytes left(scaled(slo_.evenkeel.reclaim_per_second.count(), tick_.count(), kSecond));
    std::int64_t growing = 0;
    for (auto& order : out_) {
      order.most = std::min(order.wanted, left);
      left -= order.most;
      order.rationed = order.cause == ReclaimCause::watermark || order.most < order.wanted;
      growing += order.cause == ReclaimCause::watermark ? 1 : 0;
    }
    for (auto& order : out_)
      if (order.cause == ReclaimCause::watermark) order.most += Bytes(left.count() / growing);
  }

 private:
  static constexpr std::int64_t kSecond = Duration(std::chrono::seconds(1)).count();

  void learn(const ReclaimOutcome& outcome) {
    const auto found = state_.cgroups.find(outcome.target);
    if (found == state_.cgroups.end()) return;
    Entry& entry = found->second;
    switch (outcome.end) {
      case ReclaimEnd::pressure:
      case ReclaimEnd::nothing_left:
      case ReclaimEnd::failed:
        return pause(entry, outcome.cause);
      case ReclaimEnd::going:
      case ReclaimEnd::done:
      case ReclaimEnd::budget:
        if (outcome.reclaimed > Bytes{}) entry.pause = {};
    }
  }

  /// Longer each time, unless services are short of memory: what cannot be taken now, because it is not
  /// written to its disk yet, may soon be free to take.
  void pause(Entry& entry, ReclaimCause cause) const {
    if (cause == ReclaimCause::push_back || cause == ReclaimCause::interference) {
      entry.urgent_paused_until = node_.at + kFirstPause;
      return;
    }
    entry.pause = entry.pause == Duration::zero() ? kFirstPause : std::min(2 * entry.pause, kMaxRetryDelay);
    entry.paused_until = node_.at + entry.pause;
    entry.draining = false;
    entry.watched_until = {};
  }

  Entry& entry_of(const CgroupSample& cgroup) {
    Entry& entry = state_.cgroups[cgroup.id];
    entry.seen = node_.at;
    return entry;
  }

  void decide_pod(const PodSample& pod) {
    const auto terms = memory_terms(*pod.spec, slo_.qos);
    if (!terms) return;
    if (const auto* cgroup = node_.cgroup(pod.cgroup))
      if (const auto limit = page_cache_limit(*terms, memory_limit(*pod.spec)))
        limit_page_cache(*cgroup, *limit);
    for (const auto& container : node_.containers_of(pod)) {
      const auto* cgroup = node_.cgroup(container.cgroup);
      if (container.spec == nullptr || cgroup == nullptr || cgroup->hands_off) continue;
      const auto& applied = cgroup->applied;
      // With its own file for it the kernel does this itself (qos/memory/vendor_files.cpp).
      if (applied.plain.has(Knob::memory_wmark_ratio) || !applied.plain.has(Knob::memory_high) ||
          !applied.plain.has(Knob::memory_min) || !applied.plain.has(Knob::memory_low))
        continue;
      const auto limit = memory_claim(*pod.spec, *container.spec).limit;
      const auto held =
          std::max(*applied.plain.bytes(Knob::memory_min), *applied.plain.bytes(Knob::memory_low));
      if (const auto marks = reclaim_marks(*terms, limit, *applied.plain.bytes(Knob::memory_high), held))
        keep_below(*cgroup, *marks);
    }
  }

  void keep_below(const CgroupSample& cgroup, const ReclaimMarks& marks) {
    Entry& entry = entry_of(cgroup);
    const auto before = entry.used;
    entry.used = cgroup.memory.current;
    const bool was_ordered = std::exchange(entry.ordered, false);
    if (!cgroup.memory.current || !cgroup.pressure.memory || node_.at < entry.paused_until) return;
    const Bytes used = *cgroup.memory.current;
    const Bytes growth = before ? std::max(used - *before, Bytes{}) : Bytes{};
    if (used > marks.high) entry.draining = true;
    if (used <= marks.low) entry.draining = false;
    if (entry.draining || clamped_sum(used, growth) > marks.high) entry.watched_until = node_.at + kWatch;
    if (node_.at >= entry.watched_until) return;
    // Once it runs, the reclaimer measures the stall itself, at shorter intervals than this average's.
    const Bytes full(scaled(marks.limit.count(), kFullPercent, 100));
    const double stalled = cgroup.pressure.memory->some.avg10_percent;
    if (!was_ordered && used < full && stalled >= kStalledPercent) return;
    entry.ordered = true;
    out_.push_back({.target = cgroup.id,
                    .cause = ReclaimCause::watermark,
                    .above = entry.draining ? marks.low : marks.high,
                    .down_to = marks.low,
                    .wanted = entry.draining ? used - marks.low : Bytes{},
                    .stall_allowed = std::max(tick_ / kStallParts, kLeastStall),
                    .own_stalls_above = full,
                    .why = because("{} are in use; above {} of {} it is brought down to {}", used, marks.high,
                                   marks.limit, marks.low)});
  }

  void limit_page_cache(const CgroupSample& cgroup, Bytes limit) {
    const bool by_kernel = cgroup.applied.plain.has(Knob::page_cache_limit_size);
    if (!can_take_files_only() || cgroup.hands_off || by_kernel) return;
    Entry& entry = entry_of(cgroup);
    const auto& cache = cgroup.memory.page_cache;
    if (!cache || !cgroup.pressure.memory || node_.at < entry.paused_until) return;
    // The reading is some ticks old; the result of reclaim does not show in it.
    if (*cache <= limit || entry.page_cache == cache) return;
    entry.page_cache = cache;
    out_.push_back({.target = cgroup.id,
                    .cause = ReclaimCause::page_cache,
                    .wanted = *cache - limit,
                    .file_only = node_.reclaim.file_only,
                    .stall_allowed = std::max(tick_ / kStallParts, kLeastStall),
                    .why = because("the pod has {} of page cache, its limit is {}", *cache, limit)});
  }

  /// Best effort's excess over its push-back limit. Its stall is intended.
  void push_back() {
    const auto* besteffort = node_.cgroup(node_.besteffort);
    if (!held_back_ || besteffort == nullptr || besteffort->hands_off || !besteffort->memory.current) return;
    const Bytes used = *besteffort->memory.current;
    if (node_.at < entry_of(*besteffort).urgent_paused_until || used <= *held_back_) return;
    out_.push_back({.target = besteffort->id,
                    .cause = ReclaimCause::push_back,
                    .above = *held_back_,
                    .down_to = *held_back_,
                    .wanted = used - *held_back_,
                    .why = because("best effort uses {} and is brought down to {}", used, *held_back_)});
  }

  /// The same for antagonists that make services reclaim, while they are limited for that.
  void limit_antagonists() {
    for (const auto& [antagonist, memory] : limits_) {
      const auto cgroup = std::ranges::find(node_.cgroups, antagonist, &CgroupSample::id);
      if (cgroup == node_.cgroups.end() || cgroup->hands_off) continue;
      if (!cgroup->memory.current || !cgroup->memory.anonymous) continue;
      // What it cannot free without swapping may have grown since it was limited.
      const Bytes limit = std::max(memory, min_besteffort_memory(*cgroup));
      const Bytes used = *cgroup->memory.current;
      if (node_.at < entry_of(*cgroup).urgent_paused_until || used <= limit) continue;
      out_.push_back({.target = cgroup->id,
                      .cause = ReclaimCause::interference,
                      .above = limit,
                      .down_to = limit,
                      .wanted = used - limit,
                      .why = because("a service stalls in memory reclaim while this workload runs: it uses "
                                     "{} and is brought down to {}",
                                     used, limit)});
    }
  }

  /// Where nothing can be swapped, only files are reclaimed.
  [[nodiscard]] bool can_take_files_only() const {
    const auto& memory = node_.node.memory;
    return node_.reclaim.file_only || (memory && memory->swap_total == Bytes{});
  }

  const NodeSnapshot& node_;
  const NodeSlo& slo_;
  MemoryReclaimState& state_;
  std::optional<Bytes> held_back_;
  const std::vector<decide::MemoryLimits::Limit>& limits_;
  Duration tick_;
  std::vector<ReclaimOrder>& out_;
};

}  // namespace

void decide_reclaim(const NodeSnapshot& node, const NodeSlo& slo, MemoryReclaimState& state,
                    ReclaimFacts facts, std::vector<ReclaimOrder>& out) {
  out.clear();
  if (!node.reclaim.on_demand || slo.evenkeel.hands_off) return state.cgroups.clear();
  if (!node.since_previous || !node.pods_known || node.pods_stale) return;
  Round round(node, slo, state, facts, out);
  round.decide();
  round.share_out();
}

}  // namespace evenkeel::memory
