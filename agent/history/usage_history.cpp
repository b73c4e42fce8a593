#include "agent/history/usage_history.h"

#include <algorithm>

namespace evenkeel::history {
namespace {

constexpr int kSlots = 300;  ///< per pod: one a second with the default window

std::optional<Bytes> sum(std::optional<Bytes> a, std::optional<Bytes> b) {
  return a && b ? std::optional(*a + *b) : std::nullopt;
}

Usage usage_of(const CgroupSample& cgroup, bool with_page_cache) {
  const auto& memory = cgroup.memory;
  return {cgroup.cpu_use, with_page_cache ? sum(memory.anonymous, memory.page_cache) : memory.anonymous};
}

std::optional<Bytes> node_memory(const NodeSample& node, bool with_page_cache) {
  if (!node.memory) return std::nullopt;
  if (!with_page_cache) return node.memory->total - node.memory->available;
  return node.memory->free ? std::optional(node.memory->total - *node.memory->free) : std::nullopt;
}

void add(Usage& total, const Usage& part) {
  if (part.cpu) total.cpu = total.cpu.value_or(MilliCpu{}) + *part.cpu;
  if (part.memory) total.memory = total.memory.value_or(Bytes{}) + *part.memory;
}

template <class Quantity>
std::optional<Quantity> rest(std::optional<Quantity> whole, std::optional<Quantity> part) {
  if (!whole) return std::nullopt;
  return std::max(*whole - part.value_or(Quantity{}), Quantity{});
}

}  // namespace

void UsageHistory::forget() { *this = UsageHistory(); }

void UsageHistory::resize(Duration window) {
  if (window == length_) return;
  length_ = window;
  pods_.clear();
  host_applications_.clear();
}

UsageHistory::Entry& UsageHistory::entry(Entries& entries, const std::string& key) {
  auto found = entries.find(key);
  if (found == entries.end()) found = entries.emplace(key, Entry{UsageWindow(length_, kSlots)}).first;
  found->second.round = round_;
  return found->second;
}

void UsageHistory::drop_unseen(Entries& entries) const {
  std::erase_if(entries, [this](const auto& one) { return one.second.round != round_; });
}

Usage UsageHistory::observe_pods(const NodeSnapshot& node, bool with_page_cache) {
  Usage total;
  for (const auto& pod : node.pods) {
    const auto* cgroup = node.cgroup(pod.cgroup);
    if (!cgroup) continue;
    Entry& own = entry(pods_, pod.spec->uid);
    // A pod missing from the pod list keeps its class: it uses resources until its cgroup is gone.
    if (!pod.spec->from_cgroup_only || own.window.newest() == std::nullopt)
      own.priority_class = default_priority_class(*pod.spec);
    const Usage usage = usage_of(*cgroup, with_page_cache);
    own.window.add(at_, covered_, usage);
    add(total, usage_of(*cgroup, false));
  }
  drop_unseen(pods_);
  return total;
}

Usage UsageHistory::observe_host_applications(const NodeSnapshot& node, bool with_page_cache) {
  Usage total;
  for (const auto& app : node.host_applications) {
    const auto* cgroup = node.cgroup(app.cgroup);
    if (!cgroup) continue;
    Entry& own = entry(host_applications_, app.spec->name);
    own.priority_class = app.spec->priority;
    own.window.add(at_, covered_, usage_of(*cgroup, with_page_cache));
    add(total, usage_of(*cgroup, false));
  }
  drop_unseen(host_applications_);
  return total;
}

void UsageHistory::observe(const NodeSnapshot& node, const ColocationStrategy& strategy) {
  resize(std::chrono::seconds(strategy.metric_aggregate_duration_seconds));
  // The first tick's memory sample covers no time yet, and CPU is unknown before the second tick.
  if (!node.since_previous) return;
  ++round_;
  at_ = node.at;
  covered_ = *node.since_previous;
  const bool with_page_cache = strategy.metric_memory_collect_policy == "usageWithPageCache";
  Usage others = observe_pods(node, with_page_cache);
  add(others, observe_host_applications(node, with_page_cache));
  node_.add(at_, covered_, {node.node.cpu_use, node_memory(node.node, with_page_cache)});
  // Without page cache whatever the policy says, as in Koordinator: the cache belongs to the readers of the
  // files. A pod of unknown usage counts as system: overestimating it lends too little, the safe side.
  system_.add(at_, covered_,
              {rest(node.node.cpu_use, others.cpu), rest(node_memory(node.node, false), others.memory)});
}

RecentUsage UsageHistory::recent() const {
  RecentUsage out;
  const MonoTime since = at_ - length_;
  out.node = node_.average(since);
  out.system = system_.average(since);
  out.newest = node_.newest();
  for (const auto& [uid, own] : pods_)
    if (const auto usage = own.window.average(since); usage.cpu || usage.memory)
      out.pods.push_back({uid, own.priority_class, usage});
  for (const auto& [name, own] : host_applications_)
    if (const auto usage = own.window.average(since); usage.cpu || usage.memory)
      out.host_applications.push_back({name, own.priority_class, usage});
  std::ranges::sort(out.pods, {}, &PodUsage::uid);
  std::ranges::sort(out.host_applications, {}, &HostApplicationUsage::name);
  return out;
}

std::optional<lending::TrainingRound> UsageHistory::training_round(Duration over) const {
  if (!node_.newest()) return std::nullopt;
  const MonoTime since = at_ - over;
  std::vector<std::int64_t> scratch;
  lending::TrainingRound round;
  round.node = node_.percentile(since, 90, scratch);
  for (const auto& [uid, own] : pods_)
    if (const auto usage = own.window.percentile(since, 90, scratch); usage.cpu || usage.memory)
      round.pods.push_back({uid, own.priority_class, usage});
  return round;
}

}  // namespace evenkeel::history
