#include "qos/cache/cache.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

namespace evenkeel::cache {
namespace {

struct Class {
  QosClass qos;
  const char* group;
  const QosClassStrategy QosStrategy::*strategy;
  const char* why;
};
/// The QoS classes in the order in which they get a resctrl group when the CPU has too few (its classes of
/// service): limiting batch work protects all others. LSE pods count as LSR; system pods have no group.
constexpr std::array<Class, 3> kClasses = {{
    {QosClass::be, "evenkeel-be", &QosStrategy::be,
     "best effort has {} to {} of the cache and {} of the memory bandwidth"},
    {QosClass::ls, "evenkeel-ls", &QosStrategy::ls,
     "class LS has {} to {} of the cache and {} of the memory bandwidth"},
    {QosClass::lsr, "evenkeel-lsr", &QosStrategy::lsr,
     "class LSR has {} to {} of the cache and {} of the memory bandwidth"},
}};
constexpr std::size_t kBe = 0, kLs = 1, kLsr = 2;

const ResctrlQos* enabled_strategy(const NodeSlo& slo, std::size_t which) {
  const auto& resctrl = (slo.qos.*kClasses[which].strategy).resctrl;
  return resctrl && resctrl->enable ? &*resctrl : nullptr;
}

/// One tick.
class Round {
 public:
  Round(const NodeSnapshot& node, const NodeSlo& slo, ResctrlPolicy::Facts facts, ResctrlState& state,
        decide::ResctrlPlan& plan)
      : node_(node),
        slo_(slo),
        antagonists_(facts.read<decide::CacheLimits>().antagonists),
        watched_(facts.read<decide::WatchedCgroups>()),
        state_(state),
        plan_(plan) {}

  void decide() {
    class_group_.fill(decide::kRootGroup);
    if (enabled_strategy(slo_, kBe) == nullptr) forget_steering();
    find_own();
    const bool limits = !antagonists_.empty();
    if (state_.own.empty() && !any_class() && !limits) return;
    if (node_.resctrl == nullptr) return plan_.hold();
    schemata_of(*node_.resctrl, {}, state_.everything);
    if (state_.everything.empty()) return;  // this machine supports no allocation
    if (limits) limited_ = add_limited();
    for (std::size_t which = 0; which < kClasses.size(); ++which) add_class(which);
    for (const auto* pod : state_.own) add_pod(*pod);
    fit();
    place_classes();
    place_host_applications();
  }

 private:
  /// Whether a service is slower while the pod runs: all such pods share one group, whatever their class.
  [[nodiscard]] bool is_limited(const PodSample& pod) const {
    const auto* cgroup = node_.cgroup(pod.cgroup);
    return limited_ != decide::kRootGroup && cgroup != nullptr &&
           std::ranges::find(antagonists_, cgroup->id) != antagonists_.end();
  }
  /// This group comes first: a pod limited to protect a service must not end up in an unlimited group.
  decide::ResctrlGroupIndex add_limited() {
    const Percent keeps = slo_.evenkeel.interference.cap_cache_percent;
    auto& group = plan_.add_group();
    group.name = decide::kLimitedGroup;
    group.why = because(
        "a service is slower while these run: they are limited to {} of the cache and of the memory "
        "bandwidth, to see whether that helps",
        keeps);
    state_.parts.assign(1, {.start = Percent(0), .end = keeps, .bandwidth = keeps});
    return finish(group, state_.parts);
  }

  [[nodiscard]] bool any_class() const {
    for (std::size_t which = 0; which < kClasses.size(); ++which)
      if (enabled_strategy(slo_, which) != nullptr) return true;
    return false;
  }

  [[nodiscard]] bool may_touch(CgroupIndex index) const {
    const auto* cgroup = node_.cgroup(index);
    return cgroup != nullptr && !cgroup->hands_off;
  }

  /// Pods with a group of their own, the oldest first: a pod that has one keeps it when another is added.
  void find_own() {
    state_.own.clear();
    for (const auto& pod : node_.pods)
      if (!pod.spec->resctrl.empty() && is_active(*pod.spec) && may_touch(pod.cgroup))
        state_.own.push_back(&pod);
    std::ranges::sort(state_.own, {}, [this](const PodSample* pod) { return node_.cgroup(pod->cgroup)->id; });
  }

  decide::ResctrlGroupIndex finish(decide::ResctrlGroup& group, std::span<const ResctrlPart> parts) {
    schemata_of(*node_.resctrl, parts, group.schemata);
    return static_cast<decide::ResctrlGroupIndex>(plan_.groups().size()) - 1;
  }

  void add_class(std::size_t which) {
    const auto* strategy = enabled_strategy(slo_, which);
    if (strategy == nullptr) return;
    const ResctrlPart part{
        {}, strategy->cat_range_start_percent, strategy->cat_range_end_percent, strategy->mba_percent};
    auto& group = plan_.add_group();
    group.name = kClasses[which].group;
    group.why = because(kClasses[which].why, *part.start, *part.end, *part.bandwidth);
    if (which == kLsr) group.instead = class_group_[kLs];
    state_.parts.assign(1, part);
    if (which == kBe) steer(part, group);
    class_group_[which] = finish(group, state_.parts);
  }

  void forget_steering() {
    state_.steering.forget();
    state_.ways.forget();
  }

  /// The measurements decide within what the configuration grants.
  void steer(const ResctrlPart& configured, decide::ResctrlGroup& group) {
    const auto& settings = slo_.evenkeel.resctrl_dynamic;
    const Percent share = steer_bandwidth(settings, configured, group);
    steer_ways(settings, configured, share, group);
  }

  /// Adds a part for each memory at which best effort's share differs from the configuration. Returns its
  /// share at the busiest.
  Percent steer_bandwidth(const ResctrlDynamic& settings, const ResctrlPart& configured,
                          decide::ResctrlGroup& group) {
    if (!settings.enable || settings.memory_bandwidth_per_second == Bytes{})
      return state_.steering.forget(), *configured.bandwidth;
    state_.steering.steer(node_, group.name, settings, *configured.bandwidth);
    const BandwidthSteering::Memory* fullest = nullptr;
    for (const auto& memory : state_.steering.memories()) {
      state_.parts.push_back({.cache = memory.cache, .bandwidth = memory.share});
      if (memory.moved && (!fullest || *memory.moved > *fullest->moved)) fullest = &memory;
    }
    if (fullest == nullptr) return *configured.bandwidth;
    group.why = because(
        "best effort has {} to {} of the cache and {} of the memory bandwidth: {} a second are moved at the "
        "busiest cache, {} of it by best effort, and {} are possible",
        *configured.start, *configured.end, fullest->share, *fullest->moved,
        fullest->best_effort_traffic.value_or(Bytes{}), settings.memory_bandwidth_per_second);
    return fullest->share;
  }

  /// The range's upper end, at every cache.
  void steer_ways(const ResctrlDynamic& settings, const ResctrlPart& configured, Percent share,
                  decide::ResctrlGroup& group) {
    const auto* cache = shared_cache(*node_.resctrl);
    if (!settings.enable || !settings.cache_ways || cache == nullptr) return state_.ways.forget();
    const auto mask = ways_between(*cache, *configured.start, *configured.end).value_or(0);
    const auto keeps = scaled_up(std::popcount(cache->full), settings.least_cat_percent.count(), 100);
    state_.ways.steer(
        node_, slo_, watched_,
        {.ways = std::popcount(mask), .least = std::max({cache->least, keeps, std::int64_t{1}})});
    if (state_.ways.taken() == 0) return;
    const Percent end = end_for_fewer_ways(*cache, *configured.end, state_.ways.taken());
    state_.parts.front().end = end;
    const auto misses = state_.ways.misses(), times = state_.ways.times_usual();
    if (!misses || !times) {
      group.why = because(kClasses[kBe].why, *configured.start, end, share);
      return;
    }
    group.why = because(
        "best effort has {} to {} of the cache (up to {} are granted) and {} of the memory bandwidth: "
        "services "
        "miss the cache {} times in a million instructions, {} of what is usual for them",
        *configured.start, end, *configured.end, share,
        static_cast<std::int64_t>(std::llround(*misses * 1e6)), Percent(std::llround(*times * 100)));
  }

  [[nodiscard]] decide::ResctrlGroupIndex group_of_class(QosClass qos) const {
    for (std::size_t which = 0; which < kClasses.size(); ++which)
      if (kClasses[which].qos == (qos == QosClass::lse ? QosClass::lsr : qos)) return class_group_[which];
    return decide::kRootGroup;
  }

  void add_pod(const PodSample& pod) {
    const auto of_class = group_of_class(default_qos(*pod.spec));
    auto& group = plan_.add_group();
    group.name = "evenkeel-pod-";
    group.name += pod.spec->uid;
    group.why = because("the pod's own part of cache and memory bandwidth, as its annotation says");
    group.instead = of_class;
    place(pod, finish(group, pod.spec->resctrl));
  }

  /// Too few classes of service: groups without limits stay with the root, equal groups share one, and the
  /// last in rank use the group that they would otherwise be in.
  void fit() {
    const auto groups = plan_.groups();
    const auto& system = *node_.resctrl;
    const auto left = static_cast<std::size_t>(std::max(0, system.max_groups - 1 - system.other_groups));
    if (system.max_groups == 0 || groups.size() <= left) return;
    std::size_t given = 0;
    for (std::size_t i = 0; i < groups.size(); ++i) {
      auto& group = groups[i];
      const auto same = std::ranges::find_if(groups.first(i), [&](const decide::ResctrlGroup& earlier) {
        return earlier.wanted && earlier.schemata == group.schemata;
      });
      const bool shares = same != groups.begin() + static_cast<std::ptrdiff_t>(i);
      group.wanted = group.schemata != state_.everything && !shares && given < left;
      if (group.wanted) ++given;
      if (shares) group.instead = static_cast<decide::ResctrlGroupIndex>(same - groups.begin());
      if (group.schemata == state_.everything) group.instead = decide::kRootGroup;
    }
  }

  void place(const PodSample& pod, decide::ResctrlGroupIndex group) {
    for (const auto& container : node_.containers_of(pod))
      if (may_touch(container.cgroup)) plan_.add_member(node_.cgroup(container.cgroup)->id, group);
  }

  void place_classes() {
    for (const auto& pod : node_.pods) {
      const bool has_own = !pod.spec->resctrl.empty() && may_touch(pod.cgroup);
      const auto group = is_limited(pod) ? limited_ : group_of_class(default_qos(*pod.spec));
      if (is_active(*pod.spec) && !has_own && group != decide::kRootGroup) place(pod, group);
    }
  }

  /// Cgroups that have pods inside contain only pods.
  void place_host_applications() {
    for (const auto& app : node_.host_applications) {
      const auto group = group_of_class(app.spec->qos);
      if (group == decide::kRootGroup || !may_touch(app.cgroup) || has_children(app.cgroup)) continue;
      plan_.add_member(node_.cgroup(app.cgroup)->id, group);
    }
  }
  [[nodiscard]] bool has_children(CgroupIndex index) const {
    return std::ranges::any_of(node_.cgroups, [index](const CgroupSample& c) { return c.parent == index; });
  }

  const NodeSnapshot& node_;
  const NodeSlo& slo_;
  const std::vector<CgroupId>& antagonists_;
  const decide::WatchedCgroups& watched_;
  ResctrlState& state_;
  decide::ResctrlPlan& plan_;
  std::array<decide::ResctrlGroupIndex, kClasses.size()> class_group_{};
  decide::ResctrlGroupIndex limited_ = decide::kRootGroup;
};

/// A pod may have a group of its own, whatever the classes say.
bool enabled(const NodeSlo& /*slo*/) { return true; }

void decide(const NodeSnapshot& node, const NodeSlo& slo, ResctrlState& state, ResctrlPolicy::Facts facts,
            decide::Intents& out) {
  out.resctrl().by = out.policy();
  if (!slo.evenkeel.hands_off) Round(node, slo, facts, state, out.resctrl()).decide();
}

}  // namespace

constinit const ResctrlPolicy resctrl_policy{
    {"resctrl", "ways of the last-level cache and memory bandwidth per class and per annotated pod", enabled},
    decide};

}  // namespace evenkeel::cache
