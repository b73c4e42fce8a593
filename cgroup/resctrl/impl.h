// The implementation class of the resctrl writer, shared by its files: cgroup/resctrl/writer.cpp (the round),
// cgroup/resctrl/groups.cpp (directories and schemata), cgroup/resctrl/tasks.cpp (which task is in which
// group).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cgroup/executor/contest.h"
#include "cgroup/resctrl/text.h"
#include "cgroup/resctrl/writer.h"
#include "cgroup/tree/task_follow.h"

namespace evenkeel::resctrl {

/// A group that the agent created.
struct HeldGroup {
  std::uint32_t id = 0;  ///< never reused; the root's is 0
  std::string name{};
  std::string dir{}, schemata_file{}, tasks_file{};
  std::uint64_t inode = 0;
  std::string requested{};  ///< the schemata last requested
  std::string seen{};       ///< the file's text when it last was as intended
  bool in_force = false;
  std::string before_us{};      ///< the file's text as the kernel created it
  executor::Contest contest{};  ///< of the schemata
  decide::PolicyIndex by = decide::kNoPolicy;
  Reason why{};
  MonoTime since{};
};

/// A cgroup whose tasks the agent keeps in a group.
struct Placed : tree::TrackedTasks {
  std::uint32_t group = 0;  ///< HeldGroup::id
  std::uint64_t round = 0;  ///< the last round whose plan named it
  bool others_reported = false;
  bool unread = false;  ///< some of its tasks could not be listed, so it is checked again
  std::string moved{};  ///< in this round, for the report
  int moved_count = 0;
};

struct ResctrlGroupWriter::Impl {
  Impl(const tree::CgroupTree& the_tree, ResctrlFiles& the_files, executor::Journal& the_journal, bool dry)
      : tree(the_tree), files(the_files), journal(the_journal), dry_run(dry) {}

  // cgroup/resctrl/writer.cpp
  void run(const decide::ResctrlPlan& plan, MonoTime now, executor::Report& into);
  void complain(MonoTime now, executor::Report& into);
  void remove_unwanted(const decide::ResctrlPlan& plan);
  void drop_lost();
  void count();
  HeldGroup* find(std::string_view name);
  HeldGroup* find(std::uint32_t id);
  [[nodiscard]] bool waits(const std::string& what) const;
  void refuse(const std::string& path, const std::string& text, const Error& error, Duration first_pause,
              std::string detail = {});
  void accepted(const std::string& what);
  void record_change(const std::string& path, const std::string& before, const std::string& after,
                     const HeldGroup& group, bool restored);

  // cgroup/resctrl/groups.cpp
  void ensure(const decide::ResctrlGroup& planned, decide::PolicyIndex by);
  bool make(const decide::ResctrlGroup& planned);
  bool remove(HeldGroup& group);
  void set(const decide::ResctrlGroup& planned, HeldGroup& group);
  bool may_make(const std::string& name);
  executor::Contest::Step compare(HeldGroup& group, const std::optional<Schemata>& found,
                                  const std::string& text, bool foreign);
  void put(const decide::ResctrlGroup& planned, HeldGroup& group, const std::string& before);

  // cgroup/resctrl/tasks.cpp
  void place(const decide::ResctrlPlan& plan);
  void want(CgroupId cgroup, std::uint32_t group);
  void release_unnamed();
  void settle();
  bool pass();
  bool look_at(Placed& placed, const HeldGroup* group);
  void note_unread(Placed& placed, const Error& error);
  bool move(Placed& placed, std::int32_t task, const std::string& file);
  void find_movable();
  bool read_tasks(const std::string& file, std::vector<std::int32_t>& out);
  void report_moved();

  /// For what only an operator can change: resctrl is not mounted, the tasks are in another PID namespace.
  static constexpr Duration kLongFirstPause = std::chrono::seconds(60);
  static constexpr int kMaxMoves = 4000;  ///< per round; the rest follows in the next

  struct Refusal {
    std::string what{};
    executor::RetryBackoff pause{};
  };

  const tree::CgroupTree& tree;
  ResctrlFiles& files;
  executor::Journal& journal;
  bool dry_run;

  std::vector<HeldGroup> groups{};  ///< inserting or removing one invalidates pointers
  std::vector<Placed> members{};    ///< sorted by cgroup
  std::vector<Refusal> refusals{};
  std::map<std::string, executor::Contest, std::less<>> removals{};  ///< of groups that other processes
                                                                     ///< removed
  ResctrlCounters counters{};
  std::uint32_t next_group = 1;
  std::uint64_t round = 0;
  decide::PolicyIndex last_by = decide::kNoPolicy;
  tree::CheckTimer timer{};
  MonoTime at{};
  executor::Report* report = nullptr;

  // Buffers, kept from round to round.
  tree::ThreadsRoom room{};
  std::vector<std::int32_t> in_group{}, threads{}, movable{}, monitored{};
  bool movable_known = false, all_read = false;
  int moves = 0;
};

}  // namespace evenkeel::resctrl
