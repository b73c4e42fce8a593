#include <algorithm>

#include "cgroup/kernel/rules.h"
#include "qos/model/units.h"

namespace evenkeel::kernel {
namespace {

bool is_one(const KnobValue& value) {
  const auto* number = std::get_if<std::int64_t>(&value);
  return number && *number == 1;
}

class Plan {
 public:
  Plan(KernelRules& now, std::span<const Target> targets, std::vector<PlannedWrite>& out)
      : now_(now), targets_(targets), out_(out) {}

  void make() {
    down([](const Target& t) { return t.knob == Knob::cpu_idle && !is_one(t.value); });
    for (const auto& target : targets_)
      if (target.knob == Knob::cpu_shares) write(target, true);  // no later step would make it legal
    down([this](const Target& t) { return t.knob == Knob::cpu_burst && tighter(t.value, held(t)); });
    down([this](const Target& t) { return t.knob == Knob::cpu_quota && tighter(held(t), t.value); });
    up([](const Target& t) { return t.knob == Knob::cpu_quota; });
    down([](const Target& t) { return t.knob == Knob::cpu_burst; });
    widen_cpusets();
    up([](const Target& t) { return t.knob == Knob::cpuset_cpus; });
    down([](const Target& t) { return t.knob == Knob::cpu_idle; });
    up([this](const Target& t) { return is_by_level(t) && tighter(t.value, held(t)); });
    down([](const Target& t) { return is_by_level(t); });
    for (const auto& target : targets_)
      if (target.knob != Knob::cpu_shares) write(target, true);
  }

 private:
  static bool is_by_level(const Target& t) { return row(t.knob).order == WriteOrder::by_level; }
  [[nodiscard]] KnobValue held(const Target& target) const { return now_.value(target.group, target.knob); }

  void write(const Target& target, bool even_if_refused = false) {
    if (held(target) == target.value) return;
    const int refusal = now_.set(target.group, target.knob, target.value);
    if (refusal == 0 || even_if_refused)
      out_.push_back({target.group, target.knob, target.value, false, refusal});
  }

  template <class Which>
  void down(Which which) {
    for (const auto& target : targets_)
      if (which(target)) write(target);
  }
  template <class Which>
  void up(Which which) {
    for (std::size_t left = targets_.size(); left > 0; --left)
      if (which(targets_[left - 1])) write(targets_[left - 1]);
  }

  /// Parents first, so that children have room; a set that must also lose CPUs still used below becomes the
  /// union first, and is narrowed on the way up.
  void widen_cpusets() {
    for (const auto& target : targets_) {
      const auto* wanted = std::get_if<CpuSet>(&target.value);
      if (target.knob != Knob::cpuset_cpus || !wanted) continue;
      const CpuSet before = now_.group(target.group).cpus;
      const bool inherits = wanted->empty() && now_.kind().cpuset_v2;  // the widest possible set
      if (wanted->subset_of(before) && !inherits) continue;
      write(target);
      const CpuSet both = *wanted | before;
      if (held(target) == target.value || inherits || both == before) continue;
      if (now_.set(target.group, target.knob, both) == 0)
        out_.push_back({target.group, target.knob, both, true, 0});
    }
  }

  KernelRules& now_;
  std::span<const Target> targets_;
  std::vector<PlannedWrite>& out_;
};

class Fit {
 public:
  Fit(const KernelRules& now, const KnobMask& fixed, KernelRules& want)
      : now_(now), fixed_(fixed), want_(want) {}

  void make() {
    for (int group = 0; group < want_.size(); ++group) {
      if (!want_.kind().cpuset_v2) fit_cpus(group);
      if (!want_.kind().cpu_v2) fit_quota(group);
      fit_burst(group);
    }
  }

 private:
  [[nodiscard]] bool is_locked(int group, Knob knob) const {
    const auto at = static_cast<std::size_t>(group);
    return at < fixed_.size() && (fixed_[at] & knob_bit(knob)) != 0;
  }
  [[nodiscard]] bool changes(int group, Knob knob) const {
    return !(now_.value(group, knob) == want_.value(group, knob));
  }

  void fit_burst(int group) {
    auto& state = want_.group(group);
    if (state.quota_us < 0 || state.burst_us <= state.quota_us || is_locked(group, Knob::cpu_burst)) return;
    if (changes(group, Knob::cpu_quota) || changes(group, Knob::cpu_burst)) state.burst_us = state.quota_us;
  }

  void fit_quota(int group) {
    auto& state = want_.group(group);
    if (state.quota_us < 0 || is_locked(group, Knob::cpu_quota)) return;
    bool moves = changes(group, Knob::cpu_quota);
    const int above = want_.nearest(state.parent, [&](int up) {
      moves = moves || changes(up, Knob::cpu_quota);
      return want_.group(up).quota_us >= 0;
    });
    if (above < 0 || !moves) return;
    const auto& limit = want_.group(above);
    const auto most = scaled(limit.quota_us, state.period_us, limit.period_us);
    // A quota below 1 ms is illegal; without one the group is still held by the ancestor's limit.
    if (state.quota_us > most) state.quota_us = most < kMinQuota.count() ? KernelGroup::kUnlimited : most;
  }

  void fit_cpus(int group) {
    auto& state = want_.group(group);
    if (state.parent < 0 || state.cpus.empty() || is_locked(group, Knob::cpuset_cpus)) return;
    const auto& above = want_.group(state.parent).cpus;
    if (above.empty() || state.cpus.subset_of(above)) return;
    if (!changes(group, Knob::cpuset_cpus) && !changes(state.parent, Knob::cpuset_cpus)) return;
    const auto common = state.cpus & above;
    state.cpus = common.empty() ? above : common;
  }

  const KernelRules& now_;
  const KnobMask& fixed_;
  KernelRules& want_;
};

}  // namespace

void plan_writes(KernelRules& now, std::span<const Target> targets, std::vector<PlannedWrite>& out) {
  Plan(now, targets, out).make();
}

std::size_t keep_first(std::vector<PlannedWrite>& steps, std::size_t most) {
  if (steps.size() <= most) return 0;
  std::vector<PlannedWrite> kept;
  for (auto step = steps.begin(); kept.size() < most; ++step) {
    const auto is_same = [&](const PlannedWrite& other) {
      return other.group == step->group && other.knob == step->knob;
    };
    if (step->knob == Knob::cpu_shares && std::any_of(kept.begin(), kept.end(), is_same)) continue;
    const bool wakes = step->knob == Knob::cpu_idle && !is_one(step->value);
    const auto shares = std::find_if(step, steps.end(), [&](const PlannedWrite& other) {
      return wakes && other.group == step->group && other.knob == Knob::cpu_shares;
    });
    const bool pair = shares != steps.end();
    if (pair && !kept.empty() && kept.size() + 2 > most) break;
    kept.push_back(*step);
    if (pair) kept.push_back(*shares);
  }
  const std::size_t left_out = steps.size() - kept.size();
  steps = std::move(kept);
  return left_out;
}

void fit_to_rules(const KernelRules& now, const KnobMask& fixed, KernelRules& want) {
  Fit(now, fixed, want).make();
}

}  // namespace evenkeel::kernel
