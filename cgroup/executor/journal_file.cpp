// The journal's file, which others may remove or replace while it is written.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "cgroup/executor/journal.h"

namespace evenkeel::executor {

/// Where that is not known its file is written as before.
bool Journal::is_removed() const {
  struct stat ours {};
  struct stat named {};
  if (!file_ || ::fstat(file_.get(), &ours) != 0) return false;
  if (::stat(path_.c_str(), &named) != 0) return errno == ENOENT || errno == ENOTDIR;
  return named.st_ino != ours.st_ino || named.st_dev != ours.st_dev;
}

Result<> Journal::keep_file() {
  if (keeps_back_ || !is_removed()) return {};
  const auto dir = path_.substr(0, path_.rfind('/'));
  ::mkdir(dir.c_str(), 0700);  // if it has gone, too
  auto written = rewrite();
  if (!written) return written;
  // The lock's file may have gone with it. Then another process may have made and locked a new one.
  Fd lock(::open((dir + "/lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (lock && ::flock(lock.get(), LOCK_EX | LOCK_NB) == 0) lock_ = std::move(lock);
  return {};
}

}  // namespace evenkeel::executor
