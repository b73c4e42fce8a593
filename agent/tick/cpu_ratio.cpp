#include "agent/tick/cpu_ratio.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace evenkeel::tick {
namespace {

constexpr const char* kOutranked =
    "extensions.evenkeel.resourceAmplification: no effect, since the Node's annotation "
    "node.koordinator.sh/cpu-normalization-ratio outranks the table of CPU models";

using Ratio = std::optional<double> CpuModelRatios::*;

/// The key of the state that the machine is in, and its member.
std::pair<const char*, Ratio> state_of(const CpuTopology& cpus) {
  const bool turbo = cpus.turbo.value_or(false);
  if (has_siblings(cpus))
    return turbo ? std::pair("hyperThreadTurboEnabledRatio", &CpuModelRatios::hyper_thread_turbo)
                 : std::pair("hyperThreadEnabledRatio", &CpuModelRatios::hyper_thread);
  return turbo ? std::pair("turboEnabledRatio", &CpuModelRatios::turbo)
               : std::pair("baseRatio", &CpuModelRatios::base);
}

double in_hundredths(double ratio) { return std::round(ratio * 100) / 100; }

}  // namespace

ModelRatio ratio_in(const CpuNormalizationModels& table, const CpuTopology& cpus) {
  const auto [key, member] = state_of(cpus);
  const auto found = std::ranges::find(table.models, cpus.model, &CpuModelRatios::model);
  const bool listed = !cpus.model.empty() && found != table.models.end();
  const auto ratio = listed && (*found).*member ? (*found).*member : table.default_ratio;
  if (ratio) return {in_hundredths(*ratio), {}};
  if (cpus.model.empty()) return {{}, "the model of this machine's CPUs is not known"};
  return {{},
          listed ? std::string(key) + " of '" + cpus.model + "' is not given"
                 : "ratioModel has no '" + cpus.model + '\''};
}

void CpuRatio::inputs_changed(NodeSnapshot& node) {
  annotated_ = node.object.cpu_normalization_ratio;
  cpus_.reset();
  update(node);
}

void CpuRatio::update(NodeSnapshot& node) {
  const Cpus cpus{node.topology.online, node.topology.turbo};
  if (cpus_ == cpus) return;
  // That the CPUs cannot be read now changes nothing about their model.
  if (node.topology.cpus.empty()) return;
  cpus_ = cpus;
  missing_.clear();
  of_table_.reset();
  node.object.cpu_normalization_ratio = annotated_;
  if (!node.slo || !node.slo->evenkeel.cpu_normalization_models.enable) return;
  if (annotated_) {
    if (node.slo->evenkeel.resource_amplification == ResourceAmplification::automatic) missing_ = kOutranked;
    return;
  }
  auto found = ratio_in(node.slo->evenkeel.cpu_normalization_models, node.topology);
  node.object.cpu_normalization_ratio = of_table_ = found.ratio;
  if (found.ratio) return;
  missing_ = "extensions.evenkeel.cpuNormalizationModels: " + found.missing +
             ", and there is no defaultRatio: this node's CPUs count as standard ones";
}

}  // namespace evenkeel::tick
