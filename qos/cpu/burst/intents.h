// From what each container should have to wishes, the pods' directories included: a pod must allow what its
// containers may use together.
#pragma once

#include "qos/cpu/burst/share_pool.h"
#include "qos/decide/intent.h"

namespace evenkeel::burst {

/// Whether a pod's own quota follows its containers': only where every one of them has a limit, as the
/// kubelet does.
bool pod_quota_is_ours(const Pod& pod);

/// Wishes for all candidates of the state, which stand pod by pod.
void wish_bursts(const NodeSnapshot& node, const SharePool& pool, CpuBurstState& state, decide::Intents& out);

}  // namespace evenkeel::burst
