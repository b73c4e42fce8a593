// The inside of the executor, shared by its files: executor.cpp (the round), cgroup/executor/intents.cpp
// (what should be), cgroup/executor/inherited.cpp (what was born ours), cgroup/executor/foreign.cpp (what
// somebody else wrote), cgroup/executor/write.cpp (one write, with all around it).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cgroup/executor/backoff.h"
#include "cgroup/executor/executor.h"
#include "cgroup/executor/held_values.h"
#include "cgroup/kernel/node_state.h"
#include "cgroup/kernel/planner.h"

namespace evenkeel::executor {

using SeenValue = tree::TreeWatch::Changes::Value;

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
  bool carry_out();
  void forget_group(int group);
  void reject(int group, Knob knob, const KnobValue& value, const Error& error, const std::string& text);
  [[nodiscard]] bool is_rejected(CgroupId cgroup, Knob knob, const KnobValue& value);
  void accepted(CgroupId cgroup, Knob knob);
  [[nodiscard]] bool all_denied() const { return denied_in_a_row >= kDeniedIsAll && denied.waits(at); }

  // cgroup/executor/intents.cpp
  [[nodiscard]] const decide::Intent* wish_of(CgroupId cgroup, Knob knob) const;
  void make_wishes();
  void place(const decide::Intent& intent);
  void release(const Held& row);
  void keep_shares_of_the_idle();
  void find_targets();
  [[nodiscard]] bool acceptable(int group, const decide::Intent& intent) const;
  [[nodiscard]] bool is_fixed(int group, Knob knob) const;
  [[nodiscard]] bool is_wished(int group, Knob knob) const;
  void fix(int group, Knob knob);

  // cgroup/executor/inherited.cpp
  const Held* narrowed_above(int group);
  void adopt_inherited();
  void adopt(int group, const Held& above);

  // cgroup/executor/foreign.cpp
  void judge_all();
  [[nodiscard]] bool judge(Held& row);  ///< whether the row stays
  [[nodiscard]] bool judge_foreign(Held& row, int group, const std::string& text);
  void judge_yielded(Held& row, int group);
  [[nodiscard]] bool is_ours(const Held& row, std::string_view text) const;
  [[nodiscard]] const SeenValue* seen_write(const Held& row) const;
  void tell(const Held& row, Contest::Step step, const std::string& theirs);
  void let_go(const Held& row);

  // cgroup/executor/write.cpp
  bool write_step(const kernel::PlannedWrite& step);
  [[nodiscard]] const KnobValue& as_wished(const kernel::PlannedWrite& step) const;
  bool put(int group, Knob knob, const std::string& text, bool restoring);
  bool pretend(int group, Knob knob, const KnobValue& value, const std::string& text, bool restoring);
  bool failed(int group, Knob knob, const KnobFile& file, const Error& error, const std::string& text,
              bool restoring);
  void finish(int group, Knob knob, const KnobFile& file, const std::string& before, const std::string& text,
              bool restoring);
  Result<> announce_shares(int group);
  void refresh_shares(int group);
  bool widest_instead(int group);
  void explain(Held& row, int group) const;
  void tell_written(const Held& row, const std::string& before, const std::string& after, bool restored);

  static constexpr int kDeniedIsAll = 8;

  const tree::CgroupTree& tree;
  KernelFiles& files;
  Journal& journal;
  ExecutorOptions options;

  kernel::NodeState state;
  KnobTable<Held> held{};
  KnobTable<Rejected> rejected{};
  ExecutorCounters counters{};
  int denied_in_a_row = 0;  ///< EPERM and EROFS without a success between them
  Pause denied{};

  // One moment, which may see several calls:
  MonoTime at{};
  std::size_t changes = 0;

  // One call:
  std::size_t most_changes = 0;
  const std::vector<decide::Intent>* plan = nullptr;
  const std::vector<SeenValue>* seen = nullptr;
  kernel::KernelRules want{kernel::KernelKind{}}, model{kernel::KernelKind{}};
  kernel::KnobMask fixed{};   ///< not to be changed in this call
  kernel::KnobMask wished{};  ///< named by the plan
  std::vector<CgroupId> on_disks{};
  std::vector<kernel::Target> targets{};
  std::vector<kernel::PlannedWrite> steps{};
  Report report{};
};

}  // namespace evenkeel::executor
