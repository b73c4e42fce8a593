// Policy "memory-push-back": while services wait for memory because the node is short of it, memory.high of
// best effort comes down step by step, before anybody has to be evicted; cgroup v2 only.
//
// It goes by the stall of services, not by that of the node: whoever is pushed back stalls too, and would be
// pushed further for it. A pod at a limit of its own stalls for that reason and does not count. Best effort
// keeps what is protected for it and what it cannot give back without swapping. May not: reclaim; what is
// above the point is taken by a reclaim order (qos/memory/reclaim.h), so that no write waits for the kernel.
#pragma once

#include <optional>

#include "qos/decide/policy.h"
#include "qos/model/units.h"

namespace evenkeel::memory {

struct MemoryPushBackState {
  std::optional<Bytes> target{};  ///< what best effort may have; absent: it is not held back
  MonoTime stepped{};             ///< when it was changed
  MonoTime last_shortage{};       ///< when the node was last short of memory
};

using MemoryPushBackPolicy = decide::Policy<MemoryPushBackState, decide::Publishes<decide::PushedBackMemory>>;
extern const MemoryPushBackPolicy memory_push_back_policy;

}  // namespace evenkeel::memory
