// Walks a directory and the cgroups inside it, as a container creates them for itself: the caller reads what
// it needs in each. Does not read or write files.
#pragma once

#include <string>
#include <string_view>

namespace evenkeel::tree {

/// Buffers for paths and names, kept from one walk to the next.
struct BelowRoom {
  std::string dir{}, names{};
};

/// For cgroups inside a container's; deeper ones are ignored.
inline constexpr int kMaxDescendantDepth = 8;

/// Calls visit(path) for room.dir and every directory below it; it may append to the path. A false return
/// value skips the directories below this one and all that follow. `lister` has append_subdirs(path, names),
/// as Host and ResctrlFiles do; a directory removed meanwhile counts as empty. Allocates only when a walk is
/// larger than any before.
template <class Lister, class Visit>
bool visit_descendants(BelowRoom& room, Lister& lister, Visit&& visit, int depth = 0) {
  const auto length = room.dir.size(), first = room.names.size();
  bool more = visit(room.dir);
  room.dir.resize(length);
  if (more && depth < kMaxDescendantDepth) static_cast<void>(lister.append_subdirs(room.dir, room.names));
  const auto end = room.names.size();
  for (auto at = first; at < end && more;) {
    const std::string_view child(room.names.data() + at);
    at += child.size() + 1;
    room.dir.append(1, '/').append(child);
    more = visit_descendants(room, lister, visit, depth + 1);
    room.dir.resize(length);
  }
  room.names.resize(first);
  return more;
}

}  // namespace evenkeel::tree
