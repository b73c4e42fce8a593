#include <optional>

#include "cgroup/base/text.h"
#include "cgroup/executor/file_writer.h"
#include "cgroup/features/features.h"
#include "cgroup/reclaim/reclaimer.h"

namespace evenkeel::features {
namespace {

/// Absent: /proc/meminfo has no such line.
std::optional<bool> has_swap(const Host& host) {
  std::optional<bool> swap;
  if (const auto text = host.slurp("proc/meminfo"))
    for_each_key(*text, [&](std::string_view key, std::int64_t kib) {
      if (key == "SwapTotal:") swap = kib > 0;
    });
  return swap;
}

/// Why the kernel refuses swappiness=0; empty when it accepts it.
std::string why_no_argument(const tree::CgroupTree& tree) {
  if (tree.all().empty()) return "there is no cgroup to try swappiness=0 with";
  const auto dir = tree.dir(*tree.all().front(), Controller::memory);
  const auto file = executor::open_command_file(tree.host(), dir, reclaim::kReclaimFile);
  if (!file) return std::string("memory.reclaim: ") + errno_name(file.error().code);
  if (!is_kernel_fs(file->get())) return "not tried: the host root is " + tree.host().root();
  const auto given = executor::write_command(*file, "0 swappiness=0", reclaim::kReclaimFile);
  return given ? ""
               : std::string("memory.reclaim does not take swappiness=0: ") + errno_name(given.error().code);
}

Capability file_pages(const Host& host, const tree::CgroupTree& tree, bool reclaim) {
  Capability out{"memory-reclaim-file-pages", false, "no memory.reclaim", "", ""};
  if (!reclaim) return out;
  const auto swap = has_swap(host);
  out.why_not = why_no_argument(tree);
  out.works = out.why_not.empty();
  out.detail = out.works ? "swappiness=0" : "";
  if (out.works) return out;
  if (swap == false) {
    out = {out.feature, true, "", "", "nothing can be swapped: file pages are all there is to take"};
  } else {
    out.why_not += swap ? ", and the node can swap" : ", and it is not known whether the node can swap";
  }
  return out;
}

Capability push_back(const tree::CgroupTree& tree, const Capability* high) {
  Capability out{"memory-push-back", high != nullptr && high->works, "", "", ""};
  if (out.works) return out;
  out.why_not = high != nullptr ? high->why_not : "no memory.high";
  if (!tree.layout().v2(Controller::memory))
    out.why_not +=
        "; memory.soft_limit_in_bytes throttles no cgroup: the kernel reads it only when the whole "
        "node reclaims already";
  return out;
}

}  // namespace

void probe_memory(const Host& host, const tree::CgroupTree& tree, std::vector<Capability>& all) {
  const bool reclaim = works(all, "memory-reclaim");
  auto* lever = find_row(all, "memory-reclaim");
  if (lever != nullptr && !tree.layout().v2(Controller::memory))
    lever->detail = "memory.force_empty takes all there is, and is no substitute";
  all.push_back(file_pages(host, tree, reclaim));
  all.push_back(push_back(tree, find_row(all, "memory-high")));
}

}  // namespace evenkeel::features
