#include <algorithm>

#include "qos/cache/cache.h"

namespace evenkeel::cache {
namespace {

using Memory = BandwidthSteering::Memory;

// Cuts come at once, restores come slowly: a service hurt for one measurement is worse than batch work held
// back for some (Heracles, ISCA 2015, section 4.3).
constexpr Duration kCalm = std::chrono::seconds(6);
constexpr Percent kStep{10};
// Without figures for this long the configuration alone decides.
constexpr Duration kBlind = std::chrono::seconds(30);

/// Bandwidth is not proportional to the percentage, so no cut goes below half at a time.
Percent cut(const Memory& memory, Bytes aim, Percent least) {
  const Bytes excess = *memory.moved - aim;
  const Bytes keeps = std::max(*memory.best_effort_traffic - excess, Bytes{});
  const Percent share(scaled(memory.share.count(), keeps.count(), memory.best_effort_traffic->count()));
  const Percent half(memory.share.count() / 2);
  const Percent wanted = std::min(std::max(share, half), memory.share - kStep);
  return std::min(std::max(wanted, least), memory.share);
}

void decide(Memory& memory, const ResctrlDynamic& settings, Percent most, MonoTime now) {
  memory.share = std::min(memory.share, most);
  if (!memory.moved || !memory.best_effort_traffic) {
    if (now - memory.known >= kBlind) memory.share = most;
    return;
  }
  const Bytes high = percent_of(settings.memory_bandwidth_per_second, settings.high_percent);
  const Bytes low = percent_of(settings.memory_bandwidth_per_second, settings.low_percent);
  if (*memory.moved > high && *memory.best_effort_traffic > Bytes{}) {
    memory.share = cut(memory, low + percent_of(high - low, Percent(50)), settings.least_mba_percent);
    memory.changed = now;
  } else if (*memory.moved < low && memory.share < most && now - memory.changed >= kCalm) {
    memory.share = std::min(memory.share + kStep, most);
    memory.changed = now;
  }
}

}  // namespace

void BandwidthSteering::find_memories(const NodeSnapshot& node, Percent most) {
  std::erase_if(memories_, [&](const Memory& memory) {
    return std::ranges::find(node.resctrl_use, memory.cache, &ResctrlUse::domain) == node.resctrl_use.end();
  });
  for (const auto& use : node.resctrl_use)
    if (std::ranges::find(memories_, use.domain, &Memory::cache) == memories_.end())
      memories_.push_back({.cache = use.domain, .share = most, .known = node.at, .changed = node.at});
}

/// A sum with one group unknown is unknown; so is one after a counter went backwards.
void BandwidthSteering::measure(const NodeSnapshot& node, std::string_view batch, Duration passed) {
  for (auto& memory : memories_) {
    memory.moved = Bytes{};
    memory.best_effort_traffic.reset();
    for (std::size_t i = 0; i < node.resctrl_use.size(); ++i) {
      const auto& use = node.resctrl_use[i];
      if (use.domain != memory.cache || !memory.moved) continue;
      const bool same = i < before_.size() && before_[i].group == use.group && before_[i].cache == use.domain;
      const auto before = same ? before_[i].traffic : std::nullopt;
      if (!before || !use.total_traffic || *use.total_traffic < *before || passed <= Duration::zero()) {
        memory.moved.reset();
        continue;
      }
      const Bytes rate(scaled((*use.total_traffic - *before).count(),
                              Duration(std::chrono::seconds(1)).count(), passed.count()));
      *memory.moved += rate;
      if (use.group == batch) memory.best_effort_traffic = rate;
    }
    if (memory.moved && memory.best_effort_traffic) memory.known = node.at;
  }
}

void BandwidthSteering::remember(const NodeSnapshot& node) {
  before_.resize(node.resctrl_use.size());
  for (std::size_t i = 0; i < before_.size(); ++i) {
    const auto& use = node.resctrl_use[i];
    before_[i].group = use.group;
    before_[i].cache = use.domain;
    before_[i].traffic = use.total_traffic;
  }
}

void BandwidthSteering::steer(const NodeSnapshot& node, std::string_view batch,
                              const ResctrlDynamic& settings, Percent most) {
  find_memories(node, most);
  const bool fresh = node.resctrl_measured && node.resctrl_measured != measured_;
  if (fresh) {
    measure(node, batch, measured_ ? *node.resctrl_measured - *measured_ : Duration::zero());
    remember(node);
    measured_ = node.resctrl_measured;
  }
  for (auto& memory : memories_)
    if (fresh || !memory.moved) decide(memory, settings, most, node.at);
}

}  // namespace evenkeel::cache
