// What the memory files of vendor kernels (Anolis) are to hold: reclaim in the background, who is killed
// first, how much page cache. May not: ask where a cgroup has no such file (qos/memory/reclaim.h stands in
// for some).
//
// A value that a new cgroup has anyway asks for nothing: the owner's stays.
#pragma once

#include "qos/decide/intent.h"
#include "qos/memory/memory_qos_terms.h"
#include "qos/model/snapshot.h"

namespace evenkeel::memory {

/// Of a pod or a container.
void add_vendor_file_intents(const CgroupSample& cgroup, const MemoryTerms& terms, decide::Intents& out);
/// Of a pod.
void add_page_cache_intents(const CgroupSample& cgroup, const MemoryTerms& terms,
                            std::optional<Bytes> pod_limit, decide::Intents& out);
/// Of the directories above the pods: who is killed first counts there as well.
void add_vendor_directory_intents(const NodeSnapshot& node, const QosStrategy& qos, decide::Intents& out);

}  // namespace evenkeel::memory
