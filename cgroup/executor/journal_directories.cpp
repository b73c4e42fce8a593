// Directories that the agent has made, in the journal.
#include "cgroup/executor/journal.h"

namespace evenkeel::executor {

void Journal::apply_directory(const std::string& path, std::uint64_t inode, bool gone) {
  dead_ += gone ? 2 : directories_.count(path);
  if (gone) {
    directories_.erase(path);
  } else {
    directories_[path] = inode;
  }
}

Result<> Journal::append_directory(const std::string& path, std::uint64_t inode, bool gone) {
  auto appended = append(directory_line(path, inode, gone), gone ? Kind::closing : Kind::opening);
  if (!appended) return appended;
  apply_directory(path, inode, gone);
  shrink();
  return {};
}

std::string Journal::directory_line(const std::string& path, std::uint64_t inode, bool gone) const {
  const auto cut = path.rfind('/');
  const JournalEntry entry{.dir = path.substr(0, cut), .inode = inode, .file = path.substr(cut + 1)};
  return journal_line({.boot = boot_id_, .done = gone, .directory = true, .entry = entry});
}

Result<> Journal::made(const std::string& path, std::uint64_t inode) {
  const auto found = directories_.find(path);
  if (found != directories_.end() && found->second == inode) return {};
  return append_directory(path, inode, false);
}

Result<> Journal::unmade(const std::string& path) {
  const auto found = directories_.find(path);
  return found == directories_.end() ? Result<>() : append_directory(path, found->second, true);
}

}  // namespace evenkeel::executor
