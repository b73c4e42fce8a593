#include "cgroup/kernel/node_state.h"

#include <algorithm>

#include "cgroup/base/text.h"
#include "cgroup/kernel/knob_files.h"

namespace evenkeel::kernel {
namespace {

/// On v2 the period is in the quota's file, and matters when quotas are compared.
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
  // Where a plain knob's file is missing its value is unknown and no write is planned.
  now_.restart({.cpu_v2 = layout.v2(Controller::cpu),
                .cpuset_v2 = layout.v2(Controller::cpuset),
                .memory_v2 = layout.v2(Controller::memory),
                .online = online_,
                .plain = ~KnobBits{}});
  groups_.clear();
  known_.clear();
  requested_.clear();
  fresh_.clear();
}

void NodeState::add(const Group& group, int parent) {
  groups_.push_back(group);
  known_.push_back(0);
  requested_.push_back(0);
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

void NodeState::take(const NodeSnapshot& node, std::span<const CgroupId> on_disks) {
  restart(node.topology.online);
  for (const auto& sample : node.cgroups) {
    add({sample.id, sample.kind, sample.hands_off}, sample.parent);
    const int group = size() - 1;
    for (const auto& lever : std::span(knob_table()).first(static_cast<std::size_t>(kFirstPlain))) {
      const auto value = applied_value(sample.applied, lever.knob);
      if (!value) continue;
      now_.assume(group, lever.knob, *value);
      known_[at(group)] |= knob_bit(lever.knob);
    }
    take_plain(group, sample.applied.plain);
    if (const auto& limit = sample.applied.cpu_limit; limit && limit->period > Duration::zero())
      now_.group(group).period_us =
          std::chrono::duration_cast<std::chrono::microseconds>(limit->period).count();
  }
  add({kNodeItself, CgroupKind::node, false}, -1);
  take_plain(size() - 1, node.node.settings);
  index_groups();
  if (on_disks.empty()) return;
  add_disks(on_disks);
  for (const auto& reading : node.disk_readings) {
    const CgroupId first{reading.cgroup.value, 1};  // its disks are sorted after the cgroup itself
    auto at = std::ranges::lower_bound(by_id_, first, {}, &std::pair<CgroupId, int>::first);
    for (; at != by_id_.end() && at->first.itself() == reading.cgroup; ++at) take_disk(at->second, reading);
  }
}

/// A cgroup on a disk is a separate group without ancestors or descendants that bind it. Removed cgroups have
/// none.
void NodeState::add_disks(std::span<const CgroupId> on_disks) {
  const int cgroups = size();
  for (const auto target : on_disks) {
    const int of = index(target.itself());
    if (of >= 0) add({target, kind(of), hands_off(of)}, -1);
  }
  if (size() > cgroups) index_groups();
}

void NodeState::take_disk(int group, const DiskReading& reading) {
  auto& plain = now_.group(group).plain;  // a missing line stands for the default
  for (const auto& value : reading.values)
    if (value.disk == id(group).disk) plain[plain_index(value.knob)] = value.number;
  known_[at(group)] |= reading.known;
}

void NodeState::take_plain(int group, const PlainSettings& settings) {
  if (settings.known() == 0) return;
  now_.group(group).plain = settings.numbers();
  known_[at(group)] |= settings.known();
}

void NodeState::look(std::span<const CgroupId> on_disks) {
  const auto online = online_;
  restart(online);
  for (const auto* cgroup : tree_.all()) add({cgroup->id, cgroup->kind, false}, -1);
  add({kNodeItself, CgroupKind::node, false}, -1);
  index_groups();
  for (const auto* cgroup : tree_.all()) {
    const int group = index(cgroup->id);
    now_.group(group).parent = index(cgroup->parent);
    for (const auto& lever : knob_table()) static_cast<void>(read(group, lever.knob));
  }
  const int node = index(kNodeItself);
  add_disks(on_disks);
  for (int group = node; group < size(); ++group)
    for (const auto& lever : knob_table()) static_cast<void>(read(group, lever.knob));
}

KnobFile NodeState::file(int group, Knob knob) const {
  const auto name = file_name(knob, tree_.layout());
  const auto node_dir = row(knob).node_dir;
  if ((id(group) == kNodeItself) == node_dir.empty()) return {};
  if (!node_dir.empty()) return {.dir = std::string(node_dir), .name = name};
  if (is_of_disk(knob) != (id(group).disk != 0)) return {};
  const auto* cgroup = tree_.find(id(group).itself());
  if (!cgroup || name.empty()) return {};
  return {.dir = tree_.dir(*cgroup, row(knob).controller), .name = name, .device = id(group).disk};
}

Result<std::string> NodeState::read(int group, Knob knob) {
  for (const auto& fresh : fresh_)
    if (fresh.group == group && fresh.knob == knob) return fresh.text;
  return read_again(group, knob);
}

bool NodeState::read_relatives(int group, Knob knob) {
  bool learned = false;
  for (int other = 0; other < size(); ++other) {
    const auto seen = known_[at(other)] | requested_[at(other)];
    if ((seen & knob_bit(knob)) != 0 || !(now_.is_within(other, group) || now_.is_within(group, other)))
      continue;
    requested_[at(other)] |= knob_bit(knob);
    learned = read(other, knob).has_value() || learned;
  }
  return learned;
}

Result<std::string> NodeState::read_again(int group, Knob knob) {
  std::erase_if(fresh_, [&](const Fresh& f) { return f.group == group && f.knob == knob; });
  known_[at(group)] &= ~knob_bit(knob);
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

}  // namespace evenkeel::kernel
