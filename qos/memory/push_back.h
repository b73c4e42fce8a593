// Policy "memory-push-back": while services wait for memory because the node is short of it, memory.high of
// best effort comes down step by step, before any pod has to be evicted; cgroup v2 only.
//
// It follows the stall of services, not of the node: best effort under a lowered limit stalls too, and would
// be pushed further for it. A pod at a limit of its own stalls for that reason and does not count. Best
// effort keeps what is protected for it and what it cannot free without swapping. Does not reclaim: a reclaim
// order (qos/memory/reclaim.h) reclaims what is above the point, so that no write blocks in the kernel.
#pragma once

#include <optional>

#include "qos/decide/policy.h"
#include "qos/model/units.h"

namespace evenkeel::memory {

struct MemoryPushBackState {
  std::optional<Bytes> target{};  ///< memory.high of best effort; absent: it is not limited
  MonoTime stepped{};             ///< when it was changed
  MonoTime last_shortage{};       ///< when the node was last short of memory
};

using MemoryPushBackPolicy = decide::Policy<MemoryPushBackState, decide::Publishes<decide::PushedBackMemory>>;
extern const MemoryPushBackPolicy memory_push_back_policy;

}  // namespace evenkeel::memory
