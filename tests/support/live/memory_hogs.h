// Processes that use memory inside a cgroup, for live tests: page cache by reading files, or memory of their
// own.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <string>
#include <vector>

namespace evenkeel::test {

/// Large files that are there already, `bytes` in all; empty: not so much was found. A file of the test's own
/// would be in memory only where the test runs in a guest.
std::vector<std::string> files_to_read(std::size_t bytes);

/// Killed, and its end awaited, when it goes out of scope.
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

/// Reads the files one after the other and for ever, so many bytes a second at most; none of them twice from
/// the cache while `fresh`. `procs` is the cgroup.procs to join.
MemoryHog reader(const std::string& procs, const std::vector<std::string>& files,
                 std::size_t bytes_per_second, bool fresh);
/// Touches `bytes`, gives them back, and again.
MemoryHog toucher(const std::string& procs, std::size_t bytes, std::size_t times_per_second);
/// Touches `bytes` once and keeps them.
MemoryHog keeper(const std::string& procs, std::size_t bytes);

}  // namespace evenkeel::test
