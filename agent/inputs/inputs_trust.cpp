// The pods as their owners may have them.
#include <algorithm>
#include <utility>

#include "agent/inputs/inputs.h"
#include "qos/trust/trust.h"

namespace evenkeel::inputs {
namespace {

constexpr Duration kToldFor = std::chrono::minutes(10);
constexpr std::size_t kMostTold = 4096;

}  // namespace

/// Copies the list only where something of it is refused.
void Inputs::apply_trust(MonoTime now, Changed& changed) {
  if (!pods_.listed) return;
  const auto& listed = *pods_.listed;
  const PodsPtr before = std::exchange(pods_.trusted, pods_.listed);
  for (const auto& sentence : std::exchange(pods_.refused, {})) pods_.told.insert_or_assign(sentence, now);
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
  // A tenant may set and remove an annotation again and again.
  if (pods_.told.size() > kMostTold) pods_.told.clear();
  std::erase_if(pods_.told, [now](const auto& one) { return now - one.second >= kToldFor; });
  for (const auto& sentence : pods_.refused)
    if (pods_.told.insert_or_assign(sentence, now).second) changed.untrusted.push_back(sentence);
}

}  // namespace evenkeel::inputs
