// The implementation class of the executor, shared by its files: executor.cpp (one call),
// cgroup/executor/intents.cpp (target values), cgroup/executor/foreign.cpp (foreign writes),
// cgroup/executor/inherited.cpp (CPU sets that new cgroups copied), cgroup/executor/leftovers.cpp (values
// that an earlier agent left), cgroup/executor/write.cpp (one write with its journal record and report).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cgroup/executor/contest.h"
#include "cgroup/executor/executor.h"
#include "cgroup/executor/held_values.h"
#include "cgroup/kernel/node_state.h"
#include "cgroup/kernel/rules.h"

namespace evenkeel::executor {

using ObservedWrite = tree::TreeWatch::Changes::Value;

/// Of a value that its owner has set higher (protection) or lower (throttling) than a policy wants.
inline constexpr Reason kOwnerGoesFurther = because("its owner's own value goes further");

/// What the journal records of a value, without the texts that the agent wrote.
inline JournalEntry entry_of(const KnobFile& file, Knob knob, std::string original) {
  return {file.dir, file.inode, knob, file.entry(), std::move(original), {}};
}

inline std::string dir_above(const std::string& dir) { return dir.substr(0, dir.rfind('/')); }

/// `life` is the inode that a directory has now: the one with `inode` is removed, though another may have its
/// name. False also where that is not known: a descriptor or memory was missing.
inline bool is_gone(const Result<std::uint64_t>& life, std::uint64_t inode) {
  return life ? *life != inode : vanished(life.error());
}

/// On v1 the kernel takes a CPU that goes offline out of every set, and does not put it back: what is missing
/// in `text` is missing in the directory above, too. A process that chooses a smaller set leaves that alone.
inline bool is_cut(const std::string& ours, std::string_view text, const std::optional<CpuSet>& above) {
  const auto whole = CpuSet::parse(ours), left = CpuSet::parse(text);
  if (!whole || !left || !above || *left == *whole || !left->subset_of(*whole)) return false;
  return ((*whole - *left) & *above).empty();
}

struct Executor::Impl {
  Impl(const tree::CgroupTree& the_tree, KernelFiles& the_files, Journal& the_journal,
       ExecutorOptions the_options)
      : tree(the_tree),
        files(the_files),
        journal(the_journal),
        options(the_options),
        state(the_tree, the_files) {}

  // executor.cpp
  std::span<const CgroupId> disk_targets();
  void begin(MonoTime now);
  void run();
  void drop_gone();
  void drop_settled();
  bool confirm_targets();
  void plan_batch();
  bool confirm(const kernel::Target& target);
  bool skip_absent(int group, Knob knob);
  /// False also for a directory of which that is not known: a descriptor or memory was missing.
  [[nodiscard]] bool is_removed(const std::string& dir) const;
  bool carry_out();
  void forget_steps();
  void forget_group(int group);
  void reject(int group, Knob knob, const KnobValue& value, const Error& error, const std::string& text);
  [[nodiscard]] bool is_rejected(CgroupId cgroup, Knob knob, const KnobValue& value);
  void accepted(CgroupId cgroup, Knob knob);
  void leave_denied();
  void count_denial(Knob knob, bool again);
  [[nodiscard]] bool all_denied() const { return denied_in_a_row >= kAllDeniedThreshold && denied.waits(at); }

  // cgroup/executor/intents.cpp
  [[nodiscard]] const decide::Intent* intent_of(CgroupId cgroup, Knob knob) const;
  void apply_intents();
  void place(const decide::Intent& intent);
  void follow_owner(HeldValue& row, const decide::Intent& intent);
  void release(HeldValue& row);
  void follow_children(HeldValue& row, int group);
  void follow_parent(HeldValue& row, int group);
  bool change_original(HeldValue& row, const KnobValue& value);
  void keep_idle_shares();
  void find_targets();
  [[nodiscard]] bool acceptable(int group, const decide::Intent& intent) const;
  [[nodiscard]] KnobValue with_owners(const decide::Intent& intent, int group, const KnobValue& value);
  [[nodiscard]] bool is_met(const decide::Intent& intent, int group) const;
  [[nodiscard]] bool is_locked(int group, Knob knob) const;
  [[nodiscard]] bool is_intended(int group, Knob knob) const;
  void fix(int group, Knob knob);

  // cgroup/executor/foreign.cpp
  void check_held_values();
  [[nodiscard]] bool judge(HeldValue& row);  ///< whether the row stays
  [[nodiscard]] bool handle_foreign_write(HeldValue& row, int group, const std::string& text);
  void judge_yielded(HeldValue& row, int group);
  [[nodiscard]] bool is_ours(const HeldValue& row, std::string_view text) const;
  [[nodiscard]] bool is_cut_by_kernel(const HeldValue& row, std::string_view text) const;
  [[nodiscard]] bool is_reset(const HeldValue& row, std::string_view text,
                              const std::optional<KnobValue>& value, const ObservedWrite* write) const;
  [[nodiscard]] bool is_dying(int group, Knob knob) const;
  [[nodiscard]] const ObservedWrite* find_observed_write(const HeldValue& row) const;
  void keep_off_record(const HeldValue& row, std::string_view text);
  void report_foreign(const HeldValue& row, Contest::Step step, const std::string& theirs);
  void let_go(const HeldValue& row);

  // cgroup/executor/leftovers.cpp
  void adopt_leftovers(MonoTime now);
  [[nodiscard]] std::optional<CgroupId> cgroup_of(const JournalEntry& entry) const;
  void adopt(const JournalEntry& entry, HeldValue& row);

  // cgroup/executor/inherited.cpp
  const HeldValue* limiting_ancestor(int group);
  void adopt_inherited();
  void adopt(int group, const HeldValue& above);
  Result<> record_own_sets(int group, const std::string& text);
  [[nodiscard]] bool is_like_above(const OwnSet& own);
  void forget_own_sets();

  // cgroup/executor/write.cpp
  bool write_step(const kernel::PlannedWrite& step);
  [[nodiscard]] const KnobValue& intended_value(const kernel::PlannedWrite& step) const;
  bool put(int group, Knob knob, const std::string& text, bool restoring);
  bool pretend(int group, Knob knob, const KnobValue& value, const std::string& text, bool restoring);
  bool failed(int group, Knob knob, const KnobFile& file, const Error& error, const std::string& text,
              bool restoring);
  void finish(int group, Knob knob, const KnobFile& file, const std::string& before, const std::string& text,
              bool restoring);
  Result<> announce_shares(int group);
  void refresh_shares(int group);
  bool write_parent_cpus(int group);
  void explain(HeldValue& row, int group) const;
  void report_write(const HeldValue& row, const std::string& before, const std::string& after, bool restored);

  static constexpr int kAllDeniedThreshold = 8;

  const tree::CgroupTree& tree;
  KernelFiles& files;
  Journal& journal;
  ExecutorOptions options;

  kernel::NodeState state;
  KnobTable<HeldValue> held{};
  KnobTable<Rejected> rejected{};
  std::vector<OwnSet> own_sets{};
  std::vector<KeptValue> kept{};  ///< of the last call
  ExecutorCounters counters{};
  bool has_adopted_leftovers = false;
  int denied_in_a_row = 0;  ///< files of cgroups that refused with EPERM or EROFS since the last success
  RetryBackoff denied{};    ///< of all files

  // State of one moment, which may cover several calls:
  MonoTime at{};
  std::size_t changes = 0;

  // State of one call:
  bool restores_all = false;
  std::size_t max_changes = 0;
  const std::vector<decide::Intent>* plan = nullptr;
  const std::vector<ObservedWrite>* seen = nullptr;
  kernel::KernelRules want{kernel::KernelKind{}}, model{kernel::KernelKind{}};
  kernel::KnobMask fixed{};     ///< not to be changed in this call
  kernel::KnobMask intended{};  ///< named by the plan
  std::vector<CgroupId> on_disks{};
  std::vector<kernel::Target> targets{};
  std::vector<kernel::PlannedWrite> steps{};
  Report report{};
};

}  // namespace evenkeel::executor
