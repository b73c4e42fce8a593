// Brings a watch of the cgroup tree up to date, as the agent does before a tick.
#pragma once

#include "cgroup/tree/tree.h"
#include "cgroup/tree/watch.h"

namespace evenkeel::test {

/// Scans until the watch follows all that the tree has.
inline void follow_all(tree::CgroupTree& tree, tree::TreeWatch& watch) {
  do {
    tree.scan();
  } while (watch.follow(tree));
}

/// And forgets what has happened until then.
inline void settle(tree::CgroupTree& tree, tree::TreeWatch& watch) {
  follow_all(tree, watch);
  (void)watch.drain();
}

}  // namespace evenkeel::test
