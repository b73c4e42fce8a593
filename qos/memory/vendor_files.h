// Values for the memory files of vendor kernels (Anolis): background reclaim, OOM kill order, page cache
// limits. Does not set anything for a cgroup without such a file (qos/memory/reclaim.h replaces some).
//
// A value that equals a new cgroup's default creates no intent: the owner's value stays.
#pragma once

#include "qos/decide/intent.h"
#include "qos/memory/memory_qos_terms.h"
#include "qos/model/snapshot.h"

namespace evenkeel::memory {

/// For a pod or a container.
void add_vendor_file_intents(const CgroupSample& cgroup, const MemoryTerms& terms, decide::Intents& out);
/// For a pod.
void add_page_cache_intents(const CgroupSample& cgroup, const MemoryTerms& terms,
                            std::optional<Bytes> pod_limit, decide::Intents& out);
/// For the directories above the pods, where the OOM kill order counts as well.
void add_vendor_directory_intents(const NodeSnapshot& node, const QosStrategy& qos, decide::Intents& out);

}  // namespace evenkeel::memory
