#include "collectors/devices/disk_settings.h"

#include <algorithm>
#include <utility>

#include "cgroup/base/disk_text.h"
#include "cgroup/kernel/knob_files.h"

namespace evenkeel::devices {
namespace {

constexpr std::uint64_t kEveryTicks = 10;

}  // namespace

void DiskSettings::follow(const tree::CgroupTree& tree) {
  const bool same = layout_.version == tree.layout().version && layout_.roots == tree.layout().roots;
  layout_ = tree.layout();
  if (same && !rows_.empty()) return;
  slots_.clear();
  rows_.clear();
  for (const auto& lever : knob_table()) {
    const auto name = kernel::file_name(lever.knob, layout_);
    if (!is_of_disk(lever.knob) || name.empty()) continue;
    // Settings of one file are adjacent in the table.
    if (rows_.empty() || rows_.back().name != file_part(name))
      rows_.push_back({.controller = lever.controller, .name = file_part(name)});
    rows_.back().levers.push_back({lever.knob, name});
  }
}

void DiskSettings::settings_changed(CgroupId cgroup) {
  for (auto& slot : slots_)
    if (slot.id == cgroup) slot.fresh = true;
}

bool DiskSettings::matches(const NodeSnapshot& node) const {
  std::size_t at = 0;
  for (const auto& sample : node.cgroups) {
    if (!sample.disks_matter) continue;
    if (at == slots_.size() || slots_[at].id != sample.id) return false;
    ++at;
  }
  return at == slots_.size() && node.disk_readings.size() == at;
}

DiskSettings::Slot DiskSettings::open_slot(const CgroupSample& sample) const {
  Slot slot{.id = sample.id, .path = std::string(sample.path)};
  slot.files.reserve(rows_.size());
  // There may be many pods, and this is read rarely.
  while (slot.files.size() < rows_.size()) slot.files.emplace_back(Hold::reopened);
  return slot;
}

/// Keeps slots and readings of samples that still matter, and adds those of new ones.
void DiskSettings::match(NodeSnapshot& node) {
  if (matches(node)) return;
  std::vector<Slot> slots;
  std::vector<DiskReading> readings;
  for (const auto& sample : node.cgroups) {
    if (!sample.disks_matter) continue;
    const auto slot = std::ranges::find(slots_, sample.id, &Slot::id);
    const auto reading = std::ranges::find(node.disk_readings, sample.id, &DiskReading::cgroup);
    const bool known = slot != slots_.end() && reading != node.disk_readings.end();
    slots.push_back(known ? std::move(*slot) : open_slot(sample));
    readings.push_back(known ? std::move(*reading) : DiskReading{.cgroup = sample.id});
  }
  slots_ = std::move(slots);
  node.disk_readings = std::move(readings);
}

void DiskSettings::read(Slot& slot, const Host& host, std::span<char> buffer, DiskReading& into) const {
  slot.fresh = false;
  into.known = 0;
  into.values.clear();
  for (std::size_t i = 0; i < slot.files.size(); ++i) {
    const auto& row = rows_[i];
    const auto text = slot.files[i].read(host, {layout_.root(row.controller), slot.path, row.name}, buffer);
    if (!text) {
      // A file may come at any time (a scheduler that is loaded brings its own, v1 makes directories one by
      // one), and a HeldFile retries a missing one only now and then; a new one tries at once.
      if (vanished(text.error())) slot.files[i] = HeldFile(Hold::reopened);
      continue;
    }
    for (const auto& lever : row.levers) kernel::parse_disk_values(lever.knob, lever.name, *text, into);
  }
}

void DiskSettings::collect(const Host& host, std::span<char> buffer, std::uint64_t tick, NodeSnapshot& node) {
  match(node);
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    const bool due = options_.settings_every_tick || (tick + slots_[i].id.value) % kEveryTicks == 0;
    if (due || slots_[i].fresh) read(slots_[i], host, buffer, node.disk_readings[i]);
  }
}

void DiskSettings::read_new_settings(const Host& host, std::span<char> buffer, NodeSnapshot& node) {
  match(node);
  for (std::size_t i = 0; i < slots_.size(); ++i)
    if (slots_[i].fresh) read(slots_[i], host, buffer, node.disk_readings[i]);
}

}  // namespace evenkeel::devices
