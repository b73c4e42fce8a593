// Plans the order of writes, so that the kernel accepts every single step: burst is lowered before its quota
// and raised after it, limits and memory protections rise parents first and fall children first, a CPU set is
// widened from the top and narrowed from the bottom, shares are written while the group is not idle. Each
// step is checked against the model of the kernel's rules. Does not write.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "cgroup/kernel/rules.h"

namespace evenkeel::kernel {

/// The final value of one file. At most one per (group, knob).
struct Target {
  int group = 0;
  Knob knob{};
  KnobValue value{};
};

struct PlannedWrite {
  int group = 0;
  Knob knob{};
  KnobValue value{};
  bool intermediate = false;  ///< only an intermediate step: another write to the same file follows
  int refusal = 0;            ///< what the model expects: 0, or the errno (no legal order exists)
};

/// Changes `now` to the targets (sorted by group) and lists the steps. Targets already met need no step.
/// Steps that the model refuses are listed too, as the last ones for their file: the kernel decides.
void plan_writes(KernelRules& now, std::span<const Target> targets, std::vector<PlannedWrite>& out);

/// Keeps the first `most` of the planned steps, for a tick with a limit; returns how many are left out. After
/// each step the kernel's state is legal, so the rest can be planned from there. When a group leaves
/// cpu.idle, its shares are written in the same tick: until then it would have the kernel's default.
std::size_t keep_first(std::vector<PlannedWrite>& steps, std::size_t most);

/// One word per group.
using KnobMask = std::vector<KnobBits>;

/// Fits the targets to what some order of writes can reach: a burst above its quota is lowered to it; on v1 a
/// quota is lowered to the share of the nearest limited ancestor, and a CPU set is cut to its parent's.
/// Violations that `now` already has and no policy changes are left alone, and so are the knobs in `fixed`.
void fit_to_rules(const KernelRules& now, const KnobMask& fixed, KernelRules& want);

}  // namespace evenkeel::kernel
