#include <algorithm>
#include <array>

#include "qos/memory/policies.h"

namespace evenkeel::memory {
namespace {

struct Row {
  Knob knob;
  std::optional<std::int64_t> SystemStrategy::*value;
};
/// Written unchanged.
constexpr std::array<Row, 5> kVerbatim = {{
    {Knob::watermark_scale_factor, &SystemStrategy::watermark_scale_factor},
    {Knob::memcg_reap_background, &SystemStrategy::memcg_reap_background},
    {Knob::sched_group_identity_enabled, &SystemStrategy::sched_group_identity_enabled},
    {Knob::sched_idle_saver_wmark, &SystemStrategy::sched_idle_saver_wmark_ns},
    {Knob::page_cache_limit_enabled, &SystemStrategy::page_cache_limit_enabled},
}};

bool enabled(const NodeSlo& slo) {
  return slo.system.min_free_kbytes_factor || !slo.system.sched_features.empty() ||
         std::any_of(kVerbatim.begin(), kVerbatim.end(),
                     [&](const Row& row) { return (slo.system.*row.value).has_value(); });
}

void decide(const NodeSnapshot& node, const NodeSlo& slo, decide::NoState& /*state*/,
            SystemSettingsPolicy::Facts /*facts*/, decide::Intents& out) {
  if (!slo.evenkeel.hands_off && !slo.system.sched_features.empty())
    out.sched_features() = {out.policy(), &slo.system.sched_features};
  for (const auto& row : kVerbatim)
    if (const auto& value = slo.system.*row.value; value && node.node.settings.has(row.knob))
      out.want(kNodeItself, row.knob, *value, because("systemStrategy sets {}", *value));
  const auto& factor = slo.system.min_free_kbytes_factor;
  if (!factor || !node.node.settings.has(Knob::min_free_kbytes)) return;
  if (!node.node.memory)
    return out.hold(kNodeItself, Knob::min_free_kbytes, because("the node's memory is not known"));
  const Bytes memory = node.node.memory->total;
  out.want(
      kNodeItself, Knob::min_free_kbytes, min_free_kbytes(memory, *factor),
      because("{} ten-thousandths of the {} of memory; at least 10 MiB, at most 10 GiB and a tenth of memory",
              *factor, memory));
}

}  // namespace

std::int64_t min_free_kbytes(Bytes memory, std::int64_t factor) {
  constexpr std::int64_t kLeast = 10240, kMost = 10485760;
  const std::int64_t kib = memory.count() / 1024;
  return std::clamp(scaled(kib, factor, 10000), kLeast, std::max(std::min(kMost, kib / 10), kLeast));
}

constinit const SystemSettingsPolicy system_settings_policy{
    {"system-settings", "kernel settings of the whole machine, as systemStrategy sets them", enabled},
    decide};

}  // namespace evenkeel::memory
