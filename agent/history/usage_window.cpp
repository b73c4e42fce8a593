#include <algorithm>

#include "agent/history/usage_history.h"

namespace evenkeel::history {
namespace {

__extension__ using Wide = __int128;

std::uint32_t milliseconds(Duration duration) {
  const auto count = std::chrono::round<std::chrono::milliseconds>(duration).count();
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(count, 0, UINT32_MAX / 2));
}

/// A weighted mean, rounded only when read.
struct Mean {
  Wide sum = 0;
  std::int64_t weight = 0;
  void add(std::int64_t value, std::uint32_t times) {
    sum += Wide{value} * times;
    weight += times;
  }
  [[nodiscard]] std::int64_t value() const { return static_cast<std::int64_t>(sum / weight); }
};

// Nearest rank, truncated, as in Koordinator's metric cache: of 10 values, p95 is the 9th.
std::optional<std::int64_t> ranked(std::vector<std::int64_t>& values, int percent) {
  if (values.empty()) return std::nullopt;
  const auto rank = static_cast<std::ptrdiff_t>(values.size()) * percent / 100;
  const auto at = values.begin() + std::max<std::ptrdiff_t>(rank - 1, 0);
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

}  // namespace

UsageWindow::UsageWindow(Duration length, int slots)
    : slot_length_(length / std::max(slots, 1)),
      capacity_(static_cast<std::size_t>(std::max(slots, 1)) + 1) {  // plus the slot being filled
  slots_.reserve(capacity_);
}

UsageWindow::Slot& UsageWindow::slot_for(MonoTime at, Duration over) {
  // A timer that fires slightly early must not halve the number of slots.
  const Duration longest = slot_length_ + slot_length_ / 8;
  if (!slots_.empty() && at - newest_begin_ <= longest) return slots_[newest_];
  newest_begin_ = at - over;
  if (slots_.size() < capacity_) {
    newest_ = slots_.size();
    return slots_.emplace_back();
  }
  newest_ = (newest_ + 1) % capacity_;
  return slots_[newest_] = {};
}

void UsageWindow::add(MonoTime at, Duration over, const Usage& usage) {
  Slot& slot = slot_for(at, over);
  slot.end = at;
  const std::uint32_t weight = milliseconds(over);
  if (weight == 0) return;
  if (usage.cpu) {
    slot.cpu_milli_ms += usage.cpu->count() * weight;
    slot.cpu_ms += weight;
  }
  if (usage.memory) {
    Mean mean;
    mean.add(slot.memory_bytes, slot.memory_ms);
    mean.add(usage.memory->count(), weight);
    slot.memory_bytes = mean.value();
    slot.memory_ms += weight;
  }
}

template <class F>
void UsageWindow::each_since(MonoTime since, F&& f) const {
  for (const Slot& slot : slots_)
    if (slot.end > since) f(slot);
}

Usage UsageWindow::average(MonoTime since) const {
  Mean cpu, memory;
  each_since(since, [&](const Slot& slot) {
    cpu.sum += slot.cpu_milli_ms;
    cpu.weight += slot.cpu_ms;
    memory.add(slot.memory_bytes, slot.memory_ms);
  });
  Usage usage;
  if (cpu.weight > 0) usage.cpu = MilliCpu(cpu.value());
  if (memory.weight > 0) usage.memory = Bytes(memory.value());
  return usage;
}

Usage UsageWindow::percentile(MonoTime since, int percent, std::vector<std::int64_t>& scratch) const {
  Usage usage;
  scratch.clear();
  each_since(since, [&](const Slot& slot) {
    if (slot.cpu_ms > 0) scratch.push_back(slot.cpu_milli());
  });
  if (const auto value = ranked(scratch, percent)) usage.cpu = MilliCpu(*value);
  scratch.clear();
  each_since(since, [&](const Slot& slot) {
    if (slot.memory_ms > 0) scratch.push_back(slot.memory_bytes);
  });
  if (const auto value = ranked(scratch, percent)) usage.memory = Bytes(*value);
  return usage;
}

UsageSummary UsageWindow::summary(MonoTime since, std::vector<std::int64_t>& scratch) const {
  UsageSummary out;
  out.average = average(since);
  for (std::size_t i = 0; i < kPercentiles.size(); ++i)
    out.percentiles[i] = percentile(since, kPercentiles[i], scratch);
  MonoTime first = MonoTime::max(), last = MonoTime::min();
  each_since(since, [&](const Slot& slot) {
    first = std::min(first, slot.end);
    last = std::max(last, slot.end);
  });
  if (first < last) out.span = last - first;
  return out;
}

std::optional<MonoTime> UsageWindow::newest() const {
  if (slots_.empty()) return std::nullopt;
  return slots_[newest_].end;
}

}  // namespace evenkeel::history
