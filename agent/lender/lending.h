// What the node can lend to batch and mid pods: the strategy in force, the computation, and its part in the
// agent's loop. Does not publish it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agent/document/document.h"
#include "agent/history/checkpoint.h"
#include "agent/history/usage_history.h"
#include "agent/inputs/inputs.h"
#include "agent/runtime/clock.h"
#include "agent/runtime/log.h"
#include "qos/lending/advertised.h"
#include "qos/lending/lendable.h"
#include "qos/lending/peak_predictor.h"
#include "qos/lending/prod_reclaimable.h"
#include "qos/model/nodeslo.h"
#include "qos/model/snapshot.h"

namespace evenkeel::lender {

// Applies spec.metricCollectPolicy of Koordinator's NodeMetric (how the cluster wants usage measured) over
// the colocation strategy, as far as the history supports it. Pure: does not request the object or measure.

struct CollectPolicy {
  document::Value fields{};  ///< as received; null: no policy is set
};
/// Absent: the text is not a NodeMetric.
std::optional<CollectPolicy> collect_policy_in(std::string_view node_metric_json);

/// Each legal field of the policy replaces its counterpart in the strategy, within koordlet's lower bounds.
/// Then drops what cannot be measured, from either source. Returns one sentence for each value that was
/// dropped or changed.
std::vector<std::string> apply_collect_policy(const CollectPolicy& policy, ColocationStrategy& strategy);

// Computes what the node can lend to batch and mid pods from every tick's measurements, through history and
// prediction. Does not publish it (agent/kube/node reports it, agent/api shows it).

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
  void set_standing(const lending::LentAmounts& amounts) {
    state_.standing = amounts;
    state_.ours = false;
  }
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

/// What can be lent, of each resource that the agent advertises on this Node: less than the Node shows where
/// started pods request more. Absent where the Node shows another amount.
Resources lendable_of(const Lending& lending, const NodeObject& node);

// The agent's side of lending: feeds usage history with every tick, regularly computes what can be lent to
// batch and mid pods, and keeps learned peaks over restarts. Does not advertise the amounts (agent/reporting
// does).

class Lender {
 public:
  /// All of these must outlive it.
  struct Environment {
    const inputs::Inputs& inputs;
    const NodeSnapshot& node;
    const runtime::WallClock* wall;  ///< null in stepped mode
    runtime::Log& log;
    std::string state_dir;  ///< empty: nothing is kept over restarts
  };
  explicit Lender(Environment environment);

  /// The NodeSLO or the Node object may have changed: applies its colocation strategy, and logs what was
  /// ignored.
  void configure();
  /// From now on usage is measured as the cluster's NodeMetric asks.
  void set_collect_policy(CollectPolicy policy);
  /// Usage is reported, so it is measured even if nothing is lent. Call before the first tick.
  void require_usage_history() { lending_.keep_usage(); }

  /// Every tick. Allocates nothing in a steady state.
  void observe() { lending_.observe(in_.node); }
  /// Computes what can be lent from the ticks so far. Less often than a tick: it allocates.
  void update(MonoTime now);
  /// Saves learned peaks if `reason` asks for a copy.
  void save(MonoTime now, history::SaveReason reason);

  /// The amounts of lending().advertised() are advertised now.
  void mark_advertised(MonoTime now) { lending_.mark_written(now); }
  /// The amounts that the Node object shows.
  void set_standing(const lending::LentAmounts& amounts) { lending_.set_standing(amounts); }
  [[nodiscard]] const Lending& lending() const { return lending_; }

 private:
  void load(MonoTime now);

  Environment in_;
  Lending lending_{};
  history::Checkpoint peaks_;
};

}  // namespace evenkeel::lender
