#include "cgroup/node_state.h"

#include <algorithm>

#include "cgroup/knob_files.h"
#include "cgroup/text.h"

namespace evenkeel {
namespace {

/// On v2 the period stands in the quota's file, and counts when quotas are compared.
std::int64_t period_of(std::string_view cpu_max) {
  Scanner scan(cpu_max);
  scan.word();
  const auto period = scan.number();
  return period && *period > 0 ? *period : KernelGroup{}.period_us;
}

}  // namespace

void NodeState::restart(const CpuSet& online) {
  online_ = online.empty() ? CpuSet::range(0, static_cast<CpuId>(CpuSet::kCapacity) - 1) : online;
  const auto& layout = tree_.layout();
  now_.restart({.cpu_v2 = layout.v2(Controller::cpu),
                .cpuset_v2 = layout.v2(Controller::cpuset),
                .online = online_,
                .group_identity = true,
                .memory_qos = true});  // where the file is missing nothing is known and nothing planned
  groups_.clear();
  known_.clear();
  asked_.clear();
  fresh_.clear();
}

void NodeState::add(const Group& group, int parent) {
  groups_.push_back(group);
  known_.push_back(0);
  asked_.push_back(0);
  now_.add({.parent = parent});
}

void NodeState::index_groups() {
  by_id_.clear();
  for (int i = 0; i < size(); ++i) by_id_.emplace_back(groups_[at(i)].id, i);
  std::ranges::sort(by_id_);
}

int NodeState::index(CgroupId cgroup) const {
  const auto found = std::ranges::lower_bound(by_id_, cgroup, {}, &std::pair<CgroupId, int>::first);
  return found != by_id_.end() && found->first == cgroup ? found->second : -1;
}

void NodeState::take(const NodeSnapshot& node) {
  restart(node.topology.online);
  for (const auto& sample : node.cgroups) {
    add({sample.id, sample.kind, sample.hands_off}, sample.parent);
    const int group = size() - 1;
    for (const auto& lever : knob_table()) {
      const auto value = applied_value(sample.applied, lever.knob);
      if (!value) continue;
      now_.assume(group, lever.knob, *value);
      known_[at(group)] |= knob_bit(lever.knob);
    }
    if (const auto& limit = sample.applied.cpu_limit; limit && limit->period > Duration::zero())
      now_.group(group).period_us =
          std::chrono::duration_cast<std::chrono::microseconds>(limit->period).count();
  }
  index_groups();
}

void NodeState::look() {
  const auto online = online_;
  restart(online);
  for (const auto* cgroup : tree_.all()) add({cgroup->id, cgroup->kind, false}, -1);
  index_groups();
  for (const auto* cgroup : tree_.all()) {
    const int group = index(cgroup->id);
    now_.group(group).parent = index(cgroup->parent);
    for (const auto& lever : knob_table()) static_cast<void>(read(group, lever.knob));
  }
}

KnobFile NodeState::file(int group, Knob knob) const {
  const auto* cgroup = tree_.find(id(group));
  const auto name = file_name(knob, tree_.layout());
  if (!cgroup || name.empty()) return {};
  return {.dir = tree_.dir(*cgroup, row(knob).controller), .name = name};
}

Result<std::string> NodeState::read(int group, Knob knob) {
  for (const auto& fresh : fresh_)
    if (fresh.group == group && fresh.knob == knob) return fresh.text;
  return read_again(group, knob);
}

bool NodeState::learn_relatives(int group, Knob knob) {
  const auto above = [this](int low, int high) {  // whether `high` is above `low`
    while (low > high) low = now_.group(low).parent;
    return low == high;
  };
  bool learned = false;
  for (int other = 0; other < size(); ++other) {
    const auto seen = static_cast<KnobBits>(known_[at(other)] | asked_[at(other)]);
    if ((seen & knob_bit(knob)) != 0 || !(above(other, group) || above(group, other))) continue;
    asked_[at(other)] |= knob_bit(knob);
    learned = read(other, knob).has_value() || learned;
  }
  return learned;
}

Result<std::string> NodeState::read_again(int group, Knob knob) {
  std::erase_if(fresh_, [&](const Fresh& f) { return f.group == group && f.knob == knob; });
  known_[at(group)] &= static_cast<KnobBits>(~knob_bit(knob));
  const auto where = file(group, knob);
  if (where.name.empty()) return fail(ENOENT, Op::open);
  const auto raw = files_.read(where);
  if (!raw) return tl::unexpected(raw.error());
  const auto value = parse_value(knob, *raw, tree_.layout());
  if (!value) return fail(EINVAL, Op::parse, where.name.data());
  std::string text(trimmed(*raw));
  now_.assume(group, knob, *value);
  known_[at(group)] |= knob_bit(knob);
  if (knob == Knob::cpu_quota && tree_.layout().v2(Controller::cpu))
    now_.group(group).period_us = period_of(text);
  fresh_.push_back({group, knob, text});
  return text;
}

}  // namespace evenkeel
