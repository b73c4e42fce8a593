// Plans for settings that the kernel keeps per task and not per cgroup. Does not know tasks.
#pragma once

#include <cstdint>
#include <vector>

#include "qos/model/ids.h"
#include "qos/model/reason.h"
#include "qos/model/units.h"

namespace evenkeel::decide {

/// Which cgroups' tasks are to have which value.
template <class Value>
struct TaskPlan {
  /// All tasks of this cgroup, those of cgroups inside of it too.
  struct Member {
    CgroupId cgroup{};
    Value value{};
    Reason why{};
  };
  std::uint8_t by = 0;  ///< the policy, by its position in the registry
  std::vector<Member> members{};

  void clear() { members.clear(); }
};

/// How much CPU time a task asks the EEVDF scheduler for at a time.
using RequestSizePlan = TaskPlan<Duration>;
/// oom_score_adj of processes, -1000 to 1000: the higher, the earlier the kernel kills the process when
/// memory runs out (proc_pid_oom_score_adj(5)). It is only raised.
using OomScorePlan = TaskPlan<int>;

}  // namespace evenkeel::decide
