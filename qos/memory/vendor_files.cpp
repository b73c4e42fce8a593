#include <array>

#include "qos/memory/memory_qos_terms.h"
#include "qos/memory/watermarks.h"

namespace evenkeel::memory {
namespace {

struct Row {
  Knob knob;
  std::int64_t (*value)(const MemoryTerms&);
  const char* why;
};
constexpr std::array<Row, 3> kMarks = {{
    {Knob::memory_wmark_ratio, [](const MemoryTerms& terms) { return terms.wmark_ratio.count(); },
     "the kernel reclaims in the background above {} hundredths of its limit"},
    {Knob::memory_wmark_scale_factor, [](const MemoryTerms& terms) { return terms.wmark_scale_permill; },
     "background reclaim frees {} thousandths of its limit"},
    {Knob::memory_wmark_min_adj, [](const MemoryTerms& terms) { return terms.wmark_min_adj; },
     "the node's minimum watermark is shifted by {} percent for it"},
}};
constexpr std::array<Row, 2> kRanks = {{
    {Knob::memory_priority, [](const MemoryTerms& terms) { return terms.priority; },
     "its OOM kill priority is {}, and the lowest is killed first"},
    {Knob::memory_use_priority_oom,
     [](const MemoryTerms& terms) { return std::int64_t{terms.priority_oom ? 1 : 0}; },
     "when memory runs out, the lowest OOM kill priority below is killed first"},
}};

void want(const CgroupSample& cgroup, Knob knob, std::int64_t value, const char* why, decide::Intents& out) {
  if (cgroup.applied.plain.has(knob)) out.want(cgroup.id, knob, value, because(why, value));
}

template <std::size_t kCount>
void want_all(const std::array<Row, kCount>& rows, const CgroupSample& cgroup, const MemoryTerms& terms,
              decide::Intents& out) {
  for (const Row& one : rows)
    if (const auto value = one.value(terms); value != row(one.knob).values.initial)
      want(cgroup, one.knob, value, one.why, out);
}

}  // namespace

void add_vendor_file_intents(const CgroupSample& cgroup, const MemoryTerms& terms, decide::Intents& out) {
  want_all(kMarks, cgroup, terms, out);
  want_all(kRanks, cgroup, terms, out);
}

void add_page_cache_intents(const CgroupSample& cgroup, const MemoryTerms& terms,
                            std::optional<Bytes> pod_limit, decide::Intents& out) {
  const auto files = page_cache_files(terms, pod_limit);
  const auto want_flag = [&](Knob knob, std::optional<bool> flag, const char* why) {
    if (flag) want(cgroup, knob, *flag ? 1 : 0, why, out);
  };
  if (files.size && cgroup.applied.plain.has(Knob::page_cache_limit_size))
    out.want(cgroup.id, Knob::page_cache_limit_size, files.size->count(),
             because("the pod may use {} of page cache", *files.size));
  want_flag(Knob::page_cache_limit_enable, files.enable, "whether the pod's page cache is limited: {}");
  want_flag(Knob::page_cache_limit_sync, files.sync,
            "whether a task that adds to the page cache reclaims: {}");
}

// Unlike in Koordinator, memory.oom.group is not set here: one pod's OOM kill would kill all.
void add_vendor_directory_intents(const NodeSnapshot& node, const QosStrategy& qos, decide::Intents& out) {
  struct Directory {
    CgroupIndex index;
    const QosClassStrategy& of;
  };
  for (const auto& [index, of] :
       {Directory{node.kubepods, qos.lsr}, {node.burstable, qos.ls}, {node.besteffort, qos.be}})
    if (const auto* cgroup = node.cgroup(index); cgroup && of.memory && of.memory->enable)
      want_all(kRanks, *cgroup, class_terms(*of.memory), out);
}

}  // namespace evenkeel::memory
