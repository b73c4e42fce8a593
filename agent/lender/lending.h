// Computes what the node can lend to batch and mid pods from every tick's measurements, through history and
// prediction. Does not publish it (agent/kube reports it, agent/api shows it).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "agent/history/usage_history.h"
#include "agent/lender/collect_policy.h"
#include "qos/lending/advertised.h"
#include "qos/lending/lendable.h"
#include "qos/lending/peak_predictor.h"
#include "qos/lending/prod_reclaimable.h"
#include "qos/model/nodeslo.h"
#include "qos/model/snapshot.h"

namespace evenkeel::lender {

class Lending {
 public:
  /// Applies the settings; the node's annotation and labels override the NodeSLO. Returns what was ignored
  /// and why, when that has changed.
  std::vector<std::string> configure(const NodeSlo& slo, const NodeObject& node);
  [[nodiscard]] const ColocationStrategy& strategy() const { return strategy_; }

  /// Keeps usage and learns peaks even if nothing is lent, because they are reported.
  void keep_usage() { usage_required_ = true; }
  /// How the cluster wants usage measured, for the next configure().
  void measure_as(CollectPolicy policy) { collect_policy_ = std::move(policy); }

  /// Every tick. Allocates nothing in a steady state; keeps nothing unless lending or reporting needs it.
  void observe(const NodeSnapshot& node);

  struct Moment {
    MonoTime now{};
    std::optional<std::int64_t> unix_seconds{};  ///< absent in stepped mode
  };
  /// Recomputes the sum, and lets the predictor learn when that is due. Not for every tick: it allocates.
  void update(const NodeSnapshot& node, Moment moment);

  /// For the checkpoint: what was learned, and where to load what an earlier run learned.
  lending::PeakPredictor& learned() { return predictor_; }
  [[nodiscard]] const PredictionSettings& prediction() const { return prediction_; }

  /// The amounts that the Node object shows: found at the start, or after another client's patch.
  void set_standing(const lending::LentAmounts& amounts) { state_.standing = amounts; }
  /// The amounts of advertised() are on the Node now.
  void mark_written(MonoTime now);

  /// Of the last update(); absent if colocation is off and nothing is advertised any more.
  [[nodiscard]] const std::optional<lending::Lendable>& lendable() const { return lendable_; }
  [[nodiscard]] const std::optional<lending::Advertised>& advertised() const { return advertised_; }
  [[nodiscard]] const lending::LentAmounts& standing() const { return state_.standing; }
  [[nodiscard]] const history::UsageHistory& history() const { return history_; }
  /// What services will not need, as of the last update(); absent if no peaks are learned.
  [[nodiscard]] const std::optional<lending::ProdReclaimable>& prod() const { return prod_; }

 private:
  [[nodiscard]] bool measures() const { return strategy_.enable || usage_required_; }
  lending::ProdReclaimable reclaim(const NodeSnapshot& node, const std::vector<Pod>& pods,
                                   const RecentUsage& recent, Moment moment);
  lending::Lendable compute(const NodeSnapshot& node, const std::vector<Pod>& pods,
                            const RecentUsage& recent) const;
  void learn(MonoTime now);
  void clear_offer();
  void forget();
  ColocationStrategy strategy_{};
  CollectPolicy collect_policy_{};
  bool usage_required_ = false;
  PredictionSettings prediction_{};
  std::vector<std::string> notices_{};
  history::UsageHistory history_{};
  lending::PeakPredictor predictor_{};
  std::optional<MonoTime> learned_{};
  std::optional<lending::ProdReclaimable> prod_{};
  std::optional<lending::Lendable> lendable_{};
  lending::AdvertiseState state_{};
  std::optional<lending::Advertised> advertised_{};
};

}  // namespace evenkeel::lender
