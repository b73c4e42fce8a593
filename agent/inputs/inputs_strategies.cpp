// Chooses among the NodeSLO's nodeStrategies by the labels of the Node.
#include <utility>

#include "agent/inputs/inputs.h"

namespace evenkeel::inputs {

/// Null: not known. Once known, the last valid ones count.
const TextMap* Inputs::labels() const { return sources_[kNode].state.loaded ? &node_.labels : nullptr; }

bool Inputs::labels_are(const std::optional<TextMap>& these) const {
  const auto* known = labels();
  return known == nullptr ? !these : these == *known;
}

/// A server was asked for the Node and has not answered yet, well or badly.
bool Inputs::labels_are_due() const {
  const auto& state = sources_[kNode].state;
  return state.delivered && !state.loaded && state.failures == 0;
}

/// Parses the text for this node and remembers what depends on its labels. While the first answer about the
/// Node is due, the configuration in force stays: the settings of other nodes must not apply here meanwhile.
config::NodeSloConfig Inputs::resolved(const std::string& text, Changed& changed) {
  auto config = config::parse_nodeslo(text, options_.nodeslo, labels());
  if (!config.problems.empty()) return config;
  bool& waits = sources_[kNodeSlo].state.waits;
  waits = config.by_labels && labels_are_due();
  strategies_ = {.newer = std::move(strategies_.newer)};
  if (!config.by_labels) return config;
  strategies_.text = text;
  if (const auto* known = labels()) strategies_.labels = *known;
  if (waits) {
    config.slo = *slo_;
    config.pools = {
        "nodeStrategies: the configuration takes effect when the API server has answered about the Node"};
  }
  changed.pools = config.pools;
  config.notices.insert(config.notices.begin(), config.pools.begin(), config.pools.end());
  return config;
}

/// Takes the newest text into force. One that contradicts itself only with these labels is kept for others.
void Inputs::try_text(const std::string& text, MonoTime now, Changed& changed) {
  auto config = resolved(text, changed);
  strategies_.newer = {};
  if (!config.problems.empty() && config.by_labels) {
    strategies_.newer.text = text;
    if (const auto* known = labels()) strategies_.newer.labels = *known;
  }
  accept(std::move(config), now, changed);
}

/// Other labels may choose other strategies. The text in force counts, also when a newer one is not valid.
void Inputs::resolve_again(MonoTime now, Changed& changed) {
  if (!strategies_.newer.text.empty() && !labels_are(strategies_.newer.labels)) {
    try_text(std::string(strategies_.newer.text), now, changed);
    if (strategies_.newer.text.empty()) return;
  }
  if (strategies_.text.empty()) return;
  const auto* known = labels();
  bool& waits = sources_[kNodeSlo].state.waits;
  if (labels_are(strategies_.labels) && waits == labels_are_due()) return;
  const bool was_refused = strategies_.refused;
  auto config = resolved(std::string(strategies_.text), changed);
  if (!config.problems.empty()) {
    strategies_.refused = true;
    if (known != nullptr) strategies_.labels = *known;
    waits = labels_are_due();
    return failed(kNodeSlo, config.problems.front().text(), changed);
  }
  put_in_force(std::move(config.slo), changed);
  auto& source = sources_[kNodeSlo];
  if (was_refused && source.refusal.empty())
    return accepted(kNodeSlo, now, std::move(config.notices), changed);
  source.state.notices = std::move(config.notices);
  if (was_refused) source.state.error = source.refusal;  // the only remaining problem
}

}  // namespace evenkeel::inputs
