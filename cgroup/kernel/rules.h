// A model of the kernel's own rules for cpu, cpuset and memory protection files: the result of a write and
// what the file would then read, on v1 and v2 (measured on 6.1 and 6.18; kernel/sched/core.c,
// kernel/cgroup/cpuset*.c). The planner orders writes and checks each step with it, and it is the kernel of
// the tests. Does not touch files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "qos/model/ids.h"
#include "qos/model/knob.h"
#include "qos/model/topology.h"

namespace evenkeel::kernel {

struct KernelKind {
  bool cpu_v2 = false, cpuset_v2 = false, memory_v2 = false;
  CpuSet online{};
  int cpu_ids = 0;     ///< CPU numbers are below this (nr_cpu_ids); 0 = one more than the last online CPU
  KnobBits plain = 0;  ///< the plain knobs whose files this kernel has
};

/// What the files of one cgroup hold.
struct KernelGroup {
  static constexpr std::int64_t kUnlimited = -1;
  int parent = -1;  ///< an index smaller than this group's; -1 = the root, which has no limits and all CPUs
  std::int64_t quota_us = kUnlimited, period_us = 100000, burst_us = 0;
  std::int64_t shares = 1024;  ///< on v2 too: the scheduler stores a weight as shares
  bool idle = false;
  CpuSet cpus{};
  PlainNumbers plain = initial_numbers();  ///< kPlainMax: "max"
  bool tasks = false;  ///< the group itself has processes; those of its children do not count
  bool gone = false;
};

/// The plain files that a cgroup has on every mainline kernel.
KnobBits mainline_plain_knobs(bool v2);
/// Those that only some kernels have: vendor kernels have all of them, on v1 and on v2.
KnobBits vendor_plain_knobs();

class KernelRules {
 public:
  explicit KernelRules(KernelKind kind);

  int add(const KernelGroup& group);
  /// rmdir: the group no longer constrains others. Its index is not reused.
  void remove(int group) { groups_[index(group)].gone = true; }

  /// 0, or the errno of open(2) or write(2). Changes the state only when it returns 0.
  int write(int group, std::string_view file, std::string_view text);
  /// What the file reads, including the line end; absent: ENOENT.
  [[nodiscard]] std::optional<std::string> read(int group, std::string_view file) const;
  /// The same as write, without formatting as text. `Unlimited` gives EINVAL for burst, shares and idle;
  /// quota and plain levers take it.
  int set(int group, Knob knob, const KnobValue& value);
  [[nodiscard]] KnobValue value(int group, Knob knob) const;
  /// Stores a known or intended value without checking the rules.
  void assume(int group, Knob knob, const KnobValue& value);

  [[nodiscard]] const KernelGroup& group(int group) const { return groups_[index(group)]; }
  KernelGroup& group(int group) { return groups_[index(group)]; }
  [[nodiscard]] int size() const { return static_cast<int>(groups_.size()); }
  [[nodiscard]] const KernelKind& kind() const { return kind_; }
  [[nodiscard]] CpuSet effective_cpus(int group) const;
  /// The first of `group` and its ancestors for which `found` holds; -1: none of them.
  template <class Found>
  [[nodiscard]] int nearest(int group, Found found) const {
    return nearest_upwards(
        group, [this](int below) { return groups_[index(below)].parent; }, found);
  }
  /// Whether `group` is `ancestor` itself or below it.
  [[nodiscard]] bool is_within(int group, int ancestor) const {
    return nearest(group, [ancestor](int up) { return up <= ancestor; }) == ancestor;
  }
  /// Removes the groups and keeps their memory.
  void restart(const KernelKind& kind);

 private:
  static std::size_t index(int group) { return static_cast<std::size_t>(group); }
  int set_bandwidth(int group, std::uint64_t period_us, std::uint64_t quota_us, std::uint64_t burst_us);
  [[nodiscard]] bool fits_hierarchy(int group, std::int64_t period_us, std::int64_t quota_us) const;
  [[nodiscard]] bool populated(int group) const;
  int set_shares(int group, std::uint64_t shares);
  int set_weight(int group, std::uint64_t weight);
  int set_idle(int group, std::int64_t idle);
  int set_cpus(int group, const CpuSet& cpus);
  int set_plain(int group, Knob knob, const KnobValue& value);
  int write_cpu(int group, std::string_view file, std::string_view text);
  int write_cpu_max(int group, std::string_view text);
  int write_cpus(int group, std::string_view text);
  int write_plain(int group, Knob knob, std::string_view text);
  [[nodiscard]] std::int64_t weight(int group) const;

  KernelKind kind_;
  std::vector<KernelGroup> groups_{};
};

// Plans the order of writes, so that the kernel accepts every single step: burst is lowered before its quota
// and raised after it, limits and memory protections rise parents first and fall children first, a CPU set is
// widened from the top and narrowed from the bottom, shares are written while the group is not idle. Each
// step is checked against the model of the kernel's rules. Does not write.

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
