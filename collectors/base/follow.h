// Keeps a table with one entry per cgroup in the order of the cgroup tree.
#pragma once

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

#include "cgroup/tree/tree.h"

namespace evenkeel::collectors {

/// Puts `entries`, one per cgroup in the order of an earlier tree, into the order of `now`: those of cgroups
/// that stay are kept, `make(cgroup)` gives those of new ones. `id` is the member with the cgroup's id.
/// In place: with hundreds of containers such a table has half a megabyte, whose pages the kernel would have
/// to give for each new pod, and take back.
template <typename Entry, typename Make>
void follow(std::span<const tree::Cgroup* const> now, CgroupId Entry::*id, std::vector<Entry>& entries,
            Make make) {
  // Cgroups that stay keep their order, so each search goes on behind the last one found.
  std::vector<bool> stays(now.size());
  auto kept = entries.begin(), next = entries.begin();
  for (std::size_t i = 0; i < now.size(); ++i) {
    const auto found = std::ranges::find(next, entries.end(), now[i]->id, id);
    stays[i] = found != entries.end();
    if (!stays[i]) continue;
    if (kept != found) *kept = std::move(*found);
    ++kept;
    next = std::next(found);
  }
  auto left = static_cast<std::size_t>(kept - entries.begin());
  entries.resize(left);
  entries.resize(now.size());
  for (std::size_t i = now.size(); i-- > 0;) {
    if (!stays[i])
      entries[i] = make(*now[i]);
    else if (i != --left)
      entries[i] = std::move(entries[left]);
  }
}

}  // namespace evenkeel::collectors
