// What a policy wants (an intent), and how the arbiter chooses among the intents of all policies.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "qos/decide/io_plan.h"
#include "qos/decide/resctrl_plan.h"
#include "qos/decide/sched_plan.h"
#include "qos/decide/task_plan.h"
#include "qos/model/ids.h"
#include "qos/model/knob.h"
#include "qos/model/reason.h"
#include "qos/model/snapshot.h"

namespace evenkeel::decide {

// An intent, not a write: which lever of which cgroup, what value, which policy wants it and why. The intents
// of one tick are the whole desired state: a value that no intent names any more is restored.

/// Position in the registry; also the rank for Merge::first.
using PolicyIndex = std::uint8_t;
/// Of a value that no policy asked for: an original, or what the kernel's rules require with one.
inline constexpr PolicyIndex kNoPolicy = 0xff;

struct Intent {
  CgroupId target{};
  Knob knob{};
  KnobValue value{};
  /// Keep the value in force and write nothing: used by a policy that does not know enough to decide.
  bool hold = false;
  PolicyIndex by = 0;
  Reason why{};
  /// What the value's owner asks for now, as far as the pod list tells. When it changes while a value of the
  /// agent's is in force (a resize in place), the new one is what is restored later.
  std::optional<std::int64_t> owners{};
};

/// The intents of one tick. Its capacity grows when the pod population does, never in a steady tick.
class Intents {
 public:
  void want(CgroupId target, Knob knob, const KnobValue& value, const Reason& why,
            std::optional<std::int64_t> owners = {}) {
    all_.push_back({target, knob, value, false, by_, why, owners});
  }
  void hold(CgroupId target, Knob knob, const Reason& why) {
    all_.push_back({target, knob, KnobValue{}, true, by_, why, {}});
  }

  /// Intents that are not there, although their policy asked for them.
  struct Withheld {
    PolicyIndex by = 0;
    Reason why{};
    /// They come and go with trials: "proof" tells that, and no line of the log each single one.
    bool for_a_trial = false;
  };
  /// Removes the intents that `matches` selects; their values are restored for the reason in `how`, whose
  /// `by` does not count. It is kept for each policy, and the first one counts.
  template <class Matches>
  void withhold(Matches matches, const Withheld& how) {
    std::erase_if(all_, [&](const Intent& intent) {
      if (matches(intent)) note_withheld(intent.by, how);
      return matches(intent);
    });
  }
  /// The same for request sizes.
  void withhold_request_sizes(const Withheld& how) {
    if (!request_sizes_.members.empty()) note_withheld(request_sizes_.by, how);
    request_sizes_.clear();
  }
  /// How intents of this policy were removed; null: none was.
  [[nodiscard]] const Withheld* withheld(PolicyIndex by) const {
    const auto found =
        std::find_if(withheld_.begin(), withheld_.end(), [&](const auto& w) { return w.by == by; });
    return found == withheld_.end() ? nullptr : &*found;
  }

  /// Whether some are withheld for a trial.
  [[nodiscard]] bool on_trial() const { return std::ranges::any_of(withheld_, &Withheld::for_a_trial); }

  void set_policy(PolicyIndex policy) { by_ = policy; }
  [[nodiscard]] PolicyIndex policy() const { return by_; }
  void clear() {
    all_.clear();
    withheld_.clear();
    resctrl_.clear();
    costs_.clear();
    core_sched_.clear();
    request_sizes_.clear();
    oom_scores_.clear();
    network_.clear();
    sched_features_ = {};
  }
  [[nodiscard]] const std::vector<Intent>& all() const { return all_; }
  std::vector<Intent>& all() { return all_; }
  /// Groups of tasks are not values of cgroups: only one policy sets them, so there is nothing to merge.
  ResctrlPlan& resctrl() { return resctrl_; }
  [[nodiscard]] const ResctrlPlan& resctrl() const { return resctrl_; }
  /// The same holds for the lines of the I/O cost model.
  CostPlan& costs() { return costs_; }
  [[nodiscard]] const CostPlan& costs() const { return costs_; }
  CoreSchedPlan& core_sched() { return core_sched_; }
  [[nodiscard]] const CoreSchedPlan& core_sched() const { return core_sched_; }
  RequestSizePlan& request_sizes() { return request_sizes_; }
  [[nodiscard]] const RequestSizePlan& request_sizes() const { return request_sizes_; }
  OomScorePlan& oom_scores() { return oom_scores_; }
  [[nodiscard]] const OomScorePlan& oom_scores() const { return oom_scores_; }
  NetworkPlan& network() { return network_; }
  [[nodiscard]] const NetworkPlan& network() const { return network_; }
  SchedFeaturePlan& sched_features() { return sched_features_; }
  [[nodiscard]] const SchedFeaturePlan& sched_features() const { return sched_features_; }
  /// The intents in another order, without moving them: they are large.
  template <class Less>
  const std::vector<const Intent*>& sorted(Less less) {
    order_.clear();
    for (const Intent& intent : all_) order_.push_back(&intent);
    std::sort(order_.begin(), order_.end(), [&](const Intent* a, const Intent* b) { return less(*a, *b); });
    return order_;
  }

 private:
  void note_withheld(PolicyIndex by, const Withheld& how) {
    if (withheld(by) == nullptr) withheld_.push_back({by, how.why, how.for_a_trial});
  }
  std::vector<Intent> all_{};
  std::vector<Withheld> withheld_{};
  std::vector<const Intent*> order_{};
  ResctrlPlan resctrl_{};
  CostPlan costs_{};
  CoreSchedPlan core_sched_{};
  RequestSizePlan request_sizes_{};
  OomScorePlan oom_scores_{};
  NetworkPlan network_{};
  SchedFeaturePlan sched_features_{};
  PolicyIndex by_ = 0;
};

// Merges many intents into one decision per (cgroup, knob); the rule is a column of the knob table.

/// The winning intents, sorted by (target, knob), one each. A hold loses against any value. Intents for a
/// cgroup whose sample says hands_off, and all of them when the node is hands-off, are dropped: values
/// written there earlier are then restored. What limits a container is also in the plan for its subgroup.
void arbitrate(const NodeSnapshot& node, const NodeSlo& slo, Intents& intents, std::vector<Intent>& plan);

}  // namespace evenkeel::decide
