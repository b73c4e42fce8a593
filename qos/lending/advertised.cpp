#include "qos/lending/advertised.h"

#include <algorithm>
#include <cmath>

#include "qos/model/pod_resources.h"

namespace evenkeel::lending {
namespace {

template <class Q>
std::optional<std::int64_t> count_of(const std::optional<Q>& amount) {
  return amount ? std::optional<std::int64_t>(amount->count()) : std::nullopt;
}

template <class Q>
void subtract(std::optional<std::int64_t>& amount, const std::optional<Q>& taken) {
  if (amount && taken)
    *amount = std::max<std::int64_t>(*amount - std::max<std::int64_t>(taken->count(), 0), 0);
}

/// The lendable amounts in the Node's units. Batch is unknown while the third parties' part of it is unknown.
LentAmounts offered(const AdvertiseInput& in) {
  auto cpu = count_of(normalized(in.lendable.batch_cpu, in.object));
  auto memory = count_of(in.lendable.batch_memory);
  for (const auto& party : in.object.third_parties) {
    if (party.priority_class != PriorityClass::batch) continue;
    subtract(cpu, party.resources.batch_cpu);
    subtract(memory, party.resources.batch_memory);
  }
  if (!in.object.third_parties_unknown.empty()) {
    cpu.reset();
    memory.reset();
  }
  return {cpu, memory, count_of(in.lendable.mid_cpu), count_of(in.lendable.mid_memory)};
}

std::string unknown_of(std::size_t index, const AdvertiseInput& in) {
  const auto resource = static_cast<LentResource>(index);
  const bool batch = resource == LentResource::batch_cpu || resource == LentResource::batch_memory;
  const auto& taken = in.object.third_parties_unknown;
  return batch && !taken.empty() ? taken : in.lendable.lacks[index];
}

/// In floating point: a configured time may be longer than nanoseconds can count.
bool older(Duration age, double seconds) { return std::chrono::duration<double>(age).count() > seconds; }

/// When its data was measured; an amount that cannot be computed keeps the time of the last one computed.
MonoTime data_of(std::size_t index, bool known, const AdvertiseInput& in, AdvertiseState& state) {
  auto& data = state.data[index];
  if (!data) data = in.now;
  if (known && in.usage.newest) data = std::max(*data, *in.usage.newest);
  return *data;
}

LentCause cause_of(bool known, Duration age, const ColocationStrategy& strategy) {
  if (!strategy.enable) return LentCause::off;
  if (older(age, 60.0 * static_cast<double>(strategy.degrade_time_minutes))) return LentCause::degraded;
  return known ? LentCause::computed : LentCause::unknown;
}

std::optional<std::int64_t> wanted(const LentLine& line) {
  if (line.at_floor()) return line.floor;
  if (line.cause == LentCause::computed) return line.computed;
  if (line.cause == LentCause::unknown || !line.standing || !line.held) return line.standing;
  if (line.cause == LentCause::off && *line.held == 0) return std::nullopt;
  return std::min(*line.standing, *line.held);
}

/// Koordinator's comparison: strictly more than the threshold; against zero, anything is.
bool differs(std::int64_t standing, std::int64_t wanted, double threshold) {
  const auto old_value = static_cast<double>(standing) * 1000;
  const auto new_value = static_cast<double>(wanted) * 1000;
  return std::abs(new_value - old_value) > old_value * threshold;
}

LentChange change_of(const LentLine& line, double threshold) {
  if (line.wanted == line.standing) return LentChange::none;
  if (!line.standing || (line.at_floor() && *line.standing < *line.floor)) return LentChange::rise;
  if (!line.wanted || line.cause != LentCause::computed) return LentChange::drop;
  const bool down = *line.wanted < *line.standing;
  const bool far = differs(*line.standing, *line.wanted, threshold);
  const bool uncovers = line.held && *line.standing >= *line.held && *line.wanted < *line.held;
  if (down && (far || uncovers)) return LentChange::drop;
  return far ? LentChange::rise : LentChange::small;
}

/// Amounts of all resources that a line is made of.
struct Parts {
  LentAmounts offers{}, held{}, started{};
};

LentLine line_of(std::size_t index, const Parts& parts, const AdvertiseInput& in, AdvertiseState& state) {
  const auto& offer = parts.offers[index];
  LentLine line{.standing = state.standing[index], .held = parts.held[index], .computed = offer};
  line.floor = parts.started[index];
  line.age = in.now - data_of(index, offer.has_value(), in, state);
  line.cause = cause_of(offer.has_value(), line.age, in.strategy);
  line.unknown = unknown_of(index, in);
  line.wanted = wanted(line);
  line.change = change_of(line, in.strategy.resource_diff_threshold);
  return line;
}

using Lines = std::array<LentLine, kLentCount>;

bool any(const Lines& lines, LentChange change) {
  return std::any_of(lines.begin(), lines.end(), [=](const LentLine& line) { return line.change == change; });
}

bool any_computed(const Lines& lines) {
  return std::any_of(lines.begin(), lines.end(),
                     [](const LentLine& line) { return line.cause == LentCause::computed; });
}

bool renewal_due(const AdvertiseInput& in, const AdvertiseState& state) {
  const auto seconds = static_cast<double>(in.strategy.update_time_threshold_seconds);
  return !state.renewed || older(in.now - *state.renewed, seconds);
}

void conclude(const Lines& lines, bool ours, Advertised& out) {
  for (std::size_t i = 0; i < kLentCount; ++i) {
    out.amounts[i] = out.write ? lines[i].wanted : lines[i].standing;
    out.held[i] = lines[i].held;
    if (ours && lines[i].cause == LentCause::computed) out.computed[i] = lines[i].computed;
    out.below_requested =
        out.below_requested || lines[i].at_floor() || lines[i].below_requested(out.amounts[i]);
    const auto text = lent_text(static_cast<LentResource>(i), lines[i], out.write);
    if (!text.empty()) out.why += (out.why.empty() ? "" : "; ") + text;
  }
  if (out.why.empty()) out.why = "as computed";
}

template <class Counts>
LentAmounts sum_of_requests(const std::vector<Pod>& pods, Counts counts) {
  Resources sum;
  for (const auto& pod : pods) {
    if (!counts(pod)) continue;
    if (pod.from_cgroup_only && pod.kube_qos == KubeQos::besteffort) return {};
    add(sum, pod_requests(pod));
  }
  return {sum.batch_cpu.value_or(MilliCpu{}).count(), sum.batch_memory.value_or(Bytes{}).count(),
          sum.mid_cpu.value_or(MilliCpu{}).count(), sum.mid_memory.value_or(Bytes{}).count()};
}

}  // namespace

LentAmounts requested_amounts(const std::vector<Pod>& pods) { return sum_of_requests(pods, is_active); }
LentAmounts started_amounts(const std::vector<Pod>& pods) {
  return sum_of_requests(pods, [](const Pod& pod) { return pod.phase == PodPhase::running; });
}

// As in Koordinator, all four are written when one of them has moved far, or when it is time.
Advertised advertise(const AdvertiseInput& input, AdvertiseState& state) {
  Parts parts{.offers = offered(input)};
  if (input.pods_known) {
    parts.held = requested_amounts(input.pods);
    parts.started = started_amounts(input.pods);
  }
  Lines lines;
  for (std::size_t i = 0; i < kLentCount; ++i) lines[i] = line_of(i, parts, input, state);
  const bool due = renewal_due(input, state);
  Advertised out;
  out.urgent = any(lines, LentChange::drop);
  out.write = out.urgent || any(lines, LentChange::rise) || (due && any(lines, LentChange::small));
  if (due && !out.write && any_computed(lines)) state.renewed = input.now;  // unchanged
  conclude(lines, state.ours, out);
  return out;
}

void written(const Advertised& advertised, MonoTime now, AdvertiseState& state) {
  state.standing = advertised.amounts;
  state.ours = true;
  state.renewed = now;
}

}  // namespace evenkeel::lending
