#include "collectors/per_cgroup/slots.h"

#include <algorithm>
#include <utility>

#include "collectors/base/follow.h"
#include "collectors/per_cgroup/files.h"

namespace evenkeel::per_cgroup {
namespace {

// On v1 the container runtime creates a container's directories one hierarchy after the other, so a missing
// file may appear a moment later.
constexpr int kGrownUp = 8;

// A file may be gone and come again while its cgroup stays: v2 removes a controller's files and makes new
// ones when it is switched off and on for the cgroups below. A setting is found again within a minute.
constexpr int kRetryReads = 6;

// For what is read at least every second tick: use, throttling, memory in use, pressure of pods.
constexpr int kOften = 2;

/// A container is throttled where its subgroup is: both have the same quota, and either may be used up first.
void add_throttling(const CgroupSample& subgroup, NodeSnapshot& node) {
  if (subgroup.parent == kNoCgroup || !subgroup.throttling) return;
  auto& throttling = node.cgroups[static_cast<std::size_t>(subgroup.parent)].throttling;
  const bool more = !throttling || throttling->throttled_periods < subgroup.throttling->throttled_periods;
  if (more) throttling = subgroup.throttling;
}

const CgroupFile& row_of(std::uint8_t row) { return cgroup_files()[row]; }

}  // namespace

void CgroupSlots::follow(const tree::CgroupTree& tree, std::size_t limit, collectors::SamplerHealth& health) {
  const bool same_layout = layout_.version == tree.layout().version && layout_.roots == tree.layout().roots;
  if (!same_layout) slots_.clear();
  layout_ = tree.layout();
  collectors::follow(tree.all(), &Slot::id, slots_,
                     [&](const tree::Cgroup& cgroup) { return open_slot(tree, cgroup); });
  share(tree, limit, health);
}

CgroupSlots::Slot CgroupSlots::open_slot(const tree::CgroupTree& tree, const tree::Cgroup& cgroup) {
  Slot slot{.id = cgroup.id, .path = cgroup.path, .inode = cgroup.inode};
  const auto rows = cgroup_files();
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const FilePath path = file_path(rows[row], tree, cgroup);
    if (!path.there) continue;
    OpenFile open;
    open.path = path;
    open.row = static_cast<std::uint8_t>(row);
    slot.files.push_back(std::move(open));
  }
  slot.files.shrink_to_fit();
  return slot;
}

FilePlace CgroupSlots::place_of(const Slot& slot, const OpenFile& open) const {
  return {open.path.hierarchy(layout_), slot.path, name_of(row_of(open.row), layout_)};
}

std::string CgroupSlots::path_of(const Slot& slot, const OpenFile& open) const {
  const FilePlace place = place_of(slot, open);
  std::string path(place.hierarchy);
  return path.append("/").append(place.directory).append("/").append(place.name);
}

/// Whether the cgroup's directory has the file. Absent: there is no directory, for a runtime makes those of a
/// cgroup on v1 one after the other, and a host application may be in some hierarchies only.
std::optional<bool> CgroupSlots::has_file(const Slot& slot, const OpenFile& open, const Host& host) const {
  if (host.exists(path_of(slot, open))) return true;
  if (host.exists(open.path.hierarchy(layout_) + '/' + slot.path)) return false;
  return std::nullopt;
}

void CgroupSlots::share(const tree::CgroupTree& tree, std::size_t limit, collectors::SamplerHealth& health) {
  const auto table = cgroup_files();
  std::vector<DescriptorNeed> rows(table.size());
  std::vector<bool> checked(table.size());
  lacking_.assign(table.size(), false);
  for (const auto& slot : slots_) {
    for (const auto& open : slot.files) {
      const std::size_t i = open.row;
      rows[i].importance = table[i].importance;
      // One cgroup is checked for all: a setting that this kernel lacks needs no descriptors.
      if (table[i].vendor && !checked[i]) {
        const auto there = has_file(slot, open, tree.host());
        checked[i] = there.has_value();
        lacking_[i] = there == false;
      }
      if (!lacking_[i]) ++rows[i].files;
    }
  }
  auto left = share_descriptors(rows, limit);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    health.descriptors_needed += rows[i].files;
    health.descriptors_kept += left[i];
    health.files_reopened += rows[i].files - left[i];
  }
  for (auto& slot : slots_) {
    for (auto& open : slot.files) {
      const std::size_t i = open.row;
      const auto hold = left[i] > 0 || lacking_[i] ? Hold::kept : Hold::reopened;
      if (left[i] > 0) --left[i];
      if (hold != open.file.hold()) open.file = HeldFile(hold);
    }
  }
}

void CgroupSlots::settings_changed(CgroupId cgroup) {
  for (auto& slot : slots_)
    if (slot.id == cgroup) slot.settings_changed = true;
}

bool CgroupSlots::due(const OpenFile& open, const Slot& slot, std::uint64_t tick) const {
  const auto& row = row_of(open.row);
  if (row.setting ? options_.settings_every_tick : options_.slow_files_every_tick) return true;
  // Ids are consecutive, so the reads are spread evenly over the ticks.
  const bool its_turn = (tick + slot.id.value) % static_cast<std::uint64_t>(row.every) == 0;
  if (its_turn || lacking_[open.row]) return its_turn;
  if (row.setting && slot.settings_changed) return true;
  return slot.age_ticks == 0 || (open.missing_reads > 0 && slot.age_ticks < kGrownUp);
}

/// A new descriptor for a missing file, if it is there again and the cgroup is still the same: another one at
/// the same path has a slot of its own as soon as the tree knows it.
Text CgroupSlots::look_again(const Slot& slot, OpenFile& open, const Host& host,
                             std::span<char> buffer) const {
  HeldFile fresh(open.file.hold());
  const auto text = fresh.read(host, place_of(slot, open), buffer);
  if (!text) return std::nullopt;
  const auto inode = host.inode(layout_.primary() + '/' + slot.path);
  if (!inode || *inode != slot.inode) return std::nullopt;
  open.file = std::move(fresh);
  return *text;
}

Text CgroupSlots::read_text(const Slot& slot, OpenFile& open, const Host& host,
                            std::span<char> buffer) const {
  const auto text = open.file.read(host, place_of(slot, open), buffer);
  const bool missing = !text && vanished(text.error());
  open.missing_reads = missing ? static_cast<std::uint8_t>(open.missing_reads % kRetryReads + 1) : 0;
  if (!missing) return text ? Text(*text) : std::nullopt;
  // A HeldFile retries a missing file only now and then; a new one tries at once.
  if (slot.age_ticks < kGrownUp) open.file = HeldFile(open.file.hold());
  // Not every kernel has the file: one that was never there is hardly worth that.
  const bool may_return = open.file.open() || !row_of(open.row).vendor;
  if (open.missing_reads < kRetryReads || !may_return) return std::nullopt;
  const auto again = look_again(slot, open, host, buffer);
  if (again) open.missing_reads = 0;
  return again;
}

void CgroupSlots::read(Slot& slot, OpenFile& open, const Host& host, std::span<char> buffer,
                       CgroupReading& reading) {
  parse_file(row_of(open.row), read_text(slot, open, host, buffer), reading);
}

void CgroupSlots::collect(const Host& host, std::span<char> buffer, std::uint64_t tick, NodeSnapshot& node) {
  for (std::size_t i = 0; i < slots_.size() && i < node.cgroups.size(); ++i) {
    auto& slot = slots_[i];
    auto& sample = node.cgroups[i];
    if (sample.id != slot.id) continue;  // the roster is of another tree: skip rather than mix up cgroups
    slot.before = slot.memory;
    CgroupReading reading{layout_, node.at, node.since_previous, slot.memory, sample};
    for (auto& open : slot.files)
      if (due(open, slot, tick)) read(slot, open, host, buffer, reading);
    slot.settings_changed = false;
    slot.age_ticks = std::min(slot.age_ticks + 1, kGrownUp);
    if (sample.kind == CgroupKind::subgroup) add_throttling(sample, node);
  }
}

bool CgroupSlots::read_new_settings(const Host& host, std::span<char> buffer, NodeSnapshot& node) {
  bool any = false;
  for (std::size_t i = 0; i < slots_.size() && i < node.cgroups.size(); ++i) {
    auto& slot = slots_[i];
    auto& sample = node.cgroups[i];
    if (sample.id != slot.id || (slot.age_ticks > 0 && !slot.settings_changed)) continue;
    const Applied before = sample.applied;
    CgroupReading reading{layout_, node.at, std::nullopt, slot.memory, sample};
    for (auto& open : slot.files)
      if (row_of(open.row).setting && !lacking_[open.row]) read(slot, open, host, buffer, reading);
    slot.settings_changed = false;
    any = any || !(sample.applied == before);
  }
  return any;
}

collectors::RecentUse CgroupSlots::recent_use(const Host& host, std::span<char> buffer, CgroupId cgroup) {
  const auto found = std::ranges::find(slots_, cgroup, &Slot::id);
  if (found == slots_.end()) return {};
  CgroupMemory now = found->before;
  CgroupSample sample;
  CgroupReading reading{layout_, {}, std::nullopt, now, sample};
  for (auto& open : found->files)
    if (row_of(open.row).every <= kOften) read(*found, open, host, buffer, reading);
  collectors::RecentUse out{.throttling = sample.throttling, .memory = sample.memory.current};
  if (const auto ran = now.cpu_time.increase_from(found->before.cpu_time)) out.cpu_time = CpuTime(*ran);
  if (sample.pressure.cpu) out.total_stall = sample.pressure.cpu->some.total;
  return out;
}

std::vector<collectors::SamplerRead> CgroupSlots::reads() const {
  std::vector<collectors::SamplerRead> all;
  for (const auto& slot : slots_)
    for (const auto& open : slot.files)
      if (open.missing_reads == 0) all.push_back({path_of(slot, open), row_of(open.row).every});
  return all;
}

}  // namespace evenkeel::per_cgroup
