// The writer for core scheduling: assigns one cookie to the tasks of each group and removes it again. Records
// in the journal which cgroup has which cookie. Leaves tasks alone to which another process assigned a
// cookie. Does not decide which cgroups may share a core.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "cgroup/base/host.h"
#include "cgroup/base/kernel_files.h"
#include "cgroup/base/result.h"
#include "cgroup/executor/contest.h"
#include "cgroup/executor/executor.h"
#include "cgroup/executor/journal.h"
#include "cgroup/sched/refusal.h"
#include "cgroup/tree/task_follow.h"
#include "qos/decide/sched_plan.h"

namespace evenkeel::sched {

/// The interface to core scheduling cookies: reads which task has which cookie, and assigns one. Does not
/// decide which task gets which. KernelCookies uses prctl(PR_SCHED_CORE); tests use a model of the kernel.
class CoreCookies {
 public:
  struct Given {
    std::uint64_t cookie = 0;
    int tasks = 0;  ///< that have it now; a task that has ended meanwhile is no error
    Error error{};  ///< code 0: none; else the first error
  };

  virtual ~CoreCookies() = default;
  /// The cookie of a thread; 0: none. ENODEV: the machine has one thread per core, EINVAL: the kernel has no
  /// cookies.
  virtual Result<std::uint64_t> of(std::int32_t task) = 0;
  /// Assigns a new cookie to these threads. `announced` gets its number before any thread has it, and may
  /// cancel.
  virtual Given create_cookie(std::span<const std::int32_t> to,
                              const std::function<bool(std::uint64_t)>& announced) = 0;
  /// Assigns the cookie of `like` to the others, if it still is `cookie`.
  virtual Given give(std::uint64_t cookie, std::int32_t like, std::span<const std::int32_t> to) = 0;
  virtual Given clear_cookies(std::span<const std::int32_t> from) = 0;
};

/// A message for operators, with the errno's name, for an error of `of`, `create_cookie` or `give`.
std::string describe_cookie_error(const Error& error);

/// Runs each call on a thread of its own, which has to take the cookie itself and ends with it.
class KernelCookies final : public CoreCookies {
 public:
  /// Below a fake root task ids refer to no real task: everything is refused.
  explicit KernelCookies(const Host& host) : real_(host.on_kernel_fs("proc")) {}
  Result<std::uint64_t> of(std::int32_t task) override;
  Given create_cookie(std::span<const std::int32_t> to,
                      const std::function<bool(std::uint64_t)>& announced) override;
  Given give(std::uint64_t cookie, std::int32_t like, std::span<const std::int32_t> to) override;
  Given clear_cookies(std::span<const std::int32_t> from) override;

 private:
  bool real_;
};

/// Counted since the start; groups and members are current.
struct CoreSchedCounters {
  std::uint64_t tasks = 0;  ///< that were assigned a cookie, or had it removed
  std::uint64_t refusals = 0;
  std::uint64_t foreign = 0;  ///< cgroups with tasks that had a cookie from another process
  std::size_t groups = 0, members = 0;
};

class CoreSchedWriter final : public executor::Actuator {
 public:
  /// All must outlive it. `files` reads the tasks of cgroups.
  CoreSchedWriter(const tree::CgroupTree& tree, ResctrlFiles& files, CoreCookies& cookies,
                  executor::Journal& journal, bool dry_run)
      : tree_(tree), files_(files), cookies_(cookies), journal_(journal), dry_run_(dry_run) {}

  /// Applies the plan. Adds what it did to `report`. Cgroups are checked as task_follow.h says.
  void apply(const decide::CoreSchedPlan& plan, MonoTime now, executor::Report& report);
  void serve(const decide::Intents& intents, MonoTime now, executor::Report& report) override {
    apply(intents.core_sched(), now, report);
  }
  void restore_all(MonoTime now, executor::Report& report) override;
  void add_managed(std::vector<executor::Managed>& out) const override;
  [[nodiscard]] executor::ActuatorTotals totals() const override {
    return {.refusals = counters_.refusals, .foreign = counters_.foreign, .held = counters_.members};
  }
  [[nodiscard]] const CoreSchedCounters& counters() const { return counters_; }

 private:
  struct Group {
    std::uint32_t id = 0;  ///< never reused; 0: none
    std::string name{};
    std::uint64_t cookie = 0;  ///< 0: no task has one yet
    std::uint64_t round = 0;   ///< the last round whose plan named it
  };
  struct Member : RefusableTasks {
    std::uint32_t group = 0;  ///< 0: its tasks are to have no cookie
    std::uint64_t round = 0;
    bool others_reported = false;
    Reason why{};
  };
  void run(const decide::CoreSchedPlan& plan, MonoTime now, executor::Report& report);
  Group& group_named(const std::string& name);
  Group* find_group(std::uint32_t id);
  void want(const decide::CoreSchedMember& planned, std::uint32_t group);
  void release_unnamed();
  void look_at(Member& member);
  void report_foreign(Member& member, int others);
  bool sort_out(Member& member, std::uint64_t wanted);
  void give(Member& member, Group& group);
  bool find_holder(const Group& group);
  [[nodiscard]] bool is_ours(std::uint64_t cookie) const;
  bool record_cookie(Member& member, std::uint64_t cookie);
  void record_change(const Member& member, const std::string& before, const std::string& after, int tasks);
  void settle(Member& member, const CoreCookies::Given& given, const Group* group);
  void refuse(Member& member, const Error& error);

  const tree::CgroupTree& tree_;
  ResctrlFiles& files_;
  CoreCookies& cookies_;
  executor::Journal& journal_;
  bool dry_run_;

  std::vector<Group> groups_{};
  std::vector<Member> members_{};         ///< sorted by cgroup
  std::vector<std::uint64_t> retired_{};  ///< cookies of removed groups; some task may still have one
  tree::CheckTimer timer_{};
  CoreSchedCounters counters_{};
  std::uint32_t next_group_ = 1;
  std::uint64_t round_ = 0;
  decide::PolicyIndex by_ = decide::kNoPolicy;
  MonoTime now_{};
  executor::RetryBackoff pause_{};  ///< of all members
  executor::Report* report_ = nullptr;

  // Buffers, kept from round to round.
  tree::ThreadsRoom room_{};
  std::vector<std::int32_t> threads_{}, without_cookie_{};
  std::int32_t holder_ = 0;
};

/// Restores offline: removes the cookies that the journal holds. What the kernel refuses stays on record.
void restore_core_sched(ResctrlFiles& files, CoreCookies& cookies, executor::Journal& journal,
                        executor::Report& report);

}  // namespace evenkeel::sched
