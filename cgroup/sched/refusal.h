// What a refusal of one task means for the others: all of them, or only those of its cgroup, wait.
#pragma once

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <optional>
#include <vector>

#include "cgroup/base/result.h"
#include "cgroup/executor/contest.h"
#include "cgroup/tree/task_follow.h"

namespace evenkeel::sched {

/// A cgroup whose tasks are followed, and how long they are left alone after a refusal.
struct RefusableTasks : tree::TrackedTasks {
  executor::RetryBackoff pause{};
  void accept() {
    pause = {};
    refused_until = {};
  }
};

/// The kernel or the agent cannot do it at all, whichever task it is.
inline bool concerns_all(const Error& error) {
  constexpr int kForAll[] = {ENODEV, EINVAL, EXDEV, ENOSYS, EOPNOTSUPP, EAGAIN};
  return std::ranges::find(kForAll, error.code) != std::end(kForAll);
}

/// Notes a refusal, in the pause of all or in the member's own, which grows. Returns that pause if the
/// refusal is to be reported: once, also where every member is refused for the same reason.
template <class Member>
std::optional<Duration> note_refusal(const std::vector<Member>& members, Member& member,
                                     executor::RetryBackoff& all, const Error& error, MonoTime now) {
  constexpr Duration kFirstPause = std::chrono::seconds(60);
  const auto reported = [](const executor::RetryBackoff& pause, bool is_new) {
    return is_new ? std::optional(pause.length) : std::nullopt;
  };
  if (concerns_all(error)) return reported(all, all.refuse(error.code, {}, now, kFirstPause));
  const bool known =
      std::ranges::any_of(members, [&](const Member& one) { return one.pause.code == error.code; });
  member.pause.refuse(error.code, {}, now, kFirstPause);
  member.refused_until = member.pause.retry_at;
  return reported(member.pause, !known);
}

}  // namespace evenkeel::sched
