// A disk without room for a test, or with very little: no file of this process grows, not even within its
// last page, in which a small tmpfs still has room. Needs no rights. Kernel files (cgroups, procfs) are not
// limited.
#pragma once

#include <signal.h>
#include <sys/resource.h>

#include <filesystem>
#include <string>

namespace evenkeel::test {

class NoGrowth {
 public:
  /// From now on, no regular file may become larger than this one is, and so many bytes. Print nothing
  /// meanwhile: the output may be a file as well.
  explicit NoGrowth(const std::string& file, std::size_t bytes = 0) : handler_(::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit now{std::filesystem::file_size(file) + bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &now);
  }
  ~NoGrowth() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    ::signal(SIGXFSZ, handler_);
  }
  NoGrowth(const NoGrowth&) = delete;
  NoGrowth& operator=(const NoGrowth&) = delete;

 private:
  void (*handler_)(int);
  rlimit before_{};
};

}  // namespace evenkeel::test
