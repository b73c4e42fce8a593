// The agent's side of lending: feeds usage history with every tick, regularly computes what can be lent to
// batch and mid pods, and keeps learned peaks over restarts. Does not advertise the amounts (agent/reporting
// does).
#pragma once

#include <string>

#include "agent/history/checkpoint.h"
#include "agent/inputs/inputs.h"
#include "agent/lender/lending.h"
#include "agent/runtime/clock.h"
#include "agent/runtime/log.h"

namespace evenkeel::lender {

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
  /// Saves learned peaks if a copy is due, or now because it is the last one.
  void save(MonoTime now, bool last);

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
