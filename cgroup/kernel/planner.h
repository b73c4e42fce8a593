// In which order to write, so that the kernel accepts every single step: burst is lowered before its quota
// and raised after it, limits and memory
// protections rise parents first and fall children first, a CPU set is widened from the top
// and narrowed from the bottom, shares are written while the group is not idle. Each step is proved with the
// model of the kernel's rules. May not: write.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "cgroup/kernel/rules.h"

namespace evenkeel::kernel {

/// One file is to hold this in the end. At most one per (group, knob).
struct Target {
  int group = 0;
  Knob knob{};
  KnobValue value{};
};

struct PlannedWrite {
  int group = 0;
  Knob knob{};
  KnobValue value{};
  bool intermediate = false;  ///< only a step on the way: another write to the same file follows
  int refusal = 0;            ///< what the model expects: 0, or the errno (there is no legal way)
};

/// Brings `now` to the targets (sorted by group) and lists the steps. Targets that
/// are already so cost no step. Steps that the model refuses are listed too, as the last ones for their file:
/// the kernel has the last word.
void plan_writes(KernelRules& now, std::span<const Target> targets, std::vector<PlannedWrite>& out);

/// Keeps the first `most` of planned steps, for a tick that may not do all of them; how many are left out.
/// After each step the kernel is in a legal state, so the rest can be planned anew from where this ends. A
/// group that wakes gets its shares in the same go: until then it would have the kernel's default.
std::size_t keep_first(std::vector<PlannedWrite>& steps, std::size_t most);

/// One word per group.
using KnobMask = std::vector<KnobBits>;

/// Takes from the wishes what no order of writes could reach: a burst above its quota comes down to it; on v1
/// a quota comes down to the share of the nearest limited group above, and a CPU set into its parent's. What
/// was so already in `now` and nobody wishes to change is left alone, and so are the knobs in `fixed`.
void fit_to_rules(const KernelRules& now, const KnobMask& fixed, KernelRules& want);

}  // namespace evenkeel::kernel
