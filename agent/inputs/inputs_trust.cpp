// The pods as their owners may have them.
#include <algorithm>
#include <utility>

#include "agent/inputs/inputs.h"
#include "qos/trust/trust.h"

namespace evenkeel::inputs {

/// Copies the list only where something of it is refused. A refusal is told once, until it has been gone.
void Inputs::apply_trust(Changed& changed) {
  if (!pods_.listed) return;
  const auto& listed = *pods_.listed;
  const PodsPtr before = std::exchange(pods_.trusted, pods_.listed);
  const auto told = std::exchange(pods_.refused, {});
  const auto on_others_cpus = trust::pods_on_others_cpus(listed, *slo_);
  const auto is_restricted = [this](const Pod& pod) { return trust::is_restricted(pod, *slo_); };
  if (!on_others_cpus.empty() || std::ranges::any_of(listed, is_restricted)) {
    auto trusted = std::make_shared<std::vector<Pod>>(listed);
    for (Pod& pod : *trusted) trust::restrict(pod, *slo_, pods_.refused);
    for (const std::size_t place : on_others_cpus)
      trust::return_others_cpus((*trusted)[place], pods_.refused);
    pods_.trusted = std::move(trusted);
  }
  changed.pods = changed.pods || before != pods_.trusted;
  for (const auto& sentence : pods_.refused)
    if (std::ranges::find(told, sentence) == told.end()) changed.untrusted.push_back(sentence);
}

}  // namespace evenkeel::inputs
