// Going through a directory and the cgroups inside of it, as a container makes them for itself: the caller
// reads what it wants in each. May not: read or write a file.
#pragma once

#include <string>
#include <string_view>

namespace evenkeel::tree {

/// Room for paths and names, kept from one walk to the next.
struct BelowRoom {
  std::string dir{}, names{};
};

/// Of cgroups inside a container's; deeper ones are not looked at.
inline constexpr int kMaxDescendantDepth = 8;

/// visit(path) of room.dir and of every directory below it; it may append to the path. False: not those below
/// this one, and none that comes after. `lister` has append_subdirs(path, names), as Host and ResctrlFiles
/// do; a directory that has gone meanwhile is empty. Allocates only while there is more than ever before.
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
