// Processes that use memory in a cgroup, for live tests: page cache by reading files, or anonymous memory.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <string>
#include <vector>

namespace evenkeel::test {

/// Existing large files of `bytes` in total; empty: not enough were found. In a guest, files that the test
/// wrote would be in memory.
std::vector<std::string> files_to_read(std::size_t bytes);

/// Killed and reaped when it goes out of scope.
class MemoryHog {
 public:
  MemoryHog() = default;
  explicit MemoryHog(pid_t pid) : pid_(pid) {}
  MemoryHog(MemoryHog&& other) noexcept;
  MemoryHog& operator=(MemoryHog&& other) noexcept;
  ~MemoryHog();
  void stop();

 private:
  pid_t pid_ = -1;
};

/// Reads the files in an endless loop, at most that many bytes a second; none of them twice from the cache
/// while `fresh`. `procs` is the cgroup.procs to join.
MemoryHog reader(const std::string& procs, const std::vector<std::string>& files,
                 std::size_t bytes_per_second, bool fresh);
/// Touches `bytes`, frees them, and repeats.
MemoryHog toucher(const std::string& procs, std::size_t bytes, std::size_t times_per_second);
/// Touches `bytes` once and keeps them.
MemoryHog keeper(const std::string& procs, std::size_t bytes);

}  // namespace evenkeel::test
