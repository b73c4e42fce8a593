// The journal's file, which others may remove or replace while it is written.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <utility>

#include "cgroup/executor/journal.h"

namespace evenkeel::executor {
namespace {

/// Whether the open file is still the one with this name; true also where that is not known.
bool has_name(const Fd& file, const std::string& path) {
  struct stat ours {};
  struct stat named {};
  if (!file || ::fstat(file.get(), &ours) != 0) return true;
  if (::stat(path.c_str(), &named) != 0) return errno != ENOENT && errno != ENOTDIR;
  return named.st_ino == ours.st_ino && named.st_dev == ours.st_dev;
}

}  // namespace

Result<> Journal::keep_lock(const std::string& dir) {
  const auto path = dir + "/lock";
  if (has_name(lock_, path)) return {};
  Fd fresh(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!fresh || ::flock(fresh.get(), LOCK_EX | LOCK_NB) != 0) return fail(errno, Op::open, "journal");
  lock_ = std::move(fresh);
  return {};
}

Result<> Journal::keep_file() {
  if (keeps_back_ || has_name(file_, path_)) return {};
  const auto dir = path_.substr(0, path_.rfind('/'));
  ::mkdir(dir.c_str(), 0700);  // if it has gone, too
  if (auto locked = keep_lock(dir); !locked) return locked;
  return rewrite();
}

}  // namespace evenkeel::executor
