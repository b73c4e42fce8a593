// Processes in a cgroup that read or write a disk as fast as they can, and count.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace evenkeel::test {

struct DiskLoad {
  bool writes = true;
  bool through_the_cache = false;          ///< write and sync; otherwise O_DIRECT
  std::size_t piece = 65536;               ///< bytes, a multiple of 4096
  std::size_t of = std::size_t{32} << 20;  ///< the area that is used over and over
  int processes = 1;                       ///< each with one request in flight
  std::chrono::microseconds pause{};       ///< after each piece
  std::string also_in{};                   ///< cgroup.procs of its cgroup in another hierarchy
};

class DiskUser {
 public:
  /// `procs` is the cgroup's cgroup.procs.
  DiskUser(const std::string& procs, const std::string& disk, const DiskLoad& use);
  ~DiskUser();
  DiskUser(const DiskUser&) = delete;
  DiskUser& operator=(const DiskUser&) = delete;

  [[nodiscard]] std::int64_t bytes() const { return *bytes_; }
  /// Bytes per second during that time.
  [[nodiscard]] double rate(std::chrono::milliseconds over) const;

 private:
  [[noreturn]] void use_for_ever(const std::string& procs, const std::string& disk, const DiskLoad& use,
                                 int first);
  std::atomic<std::int64_t>* bytes_;
  std::vector<pid_t> children_{};
};

}  // namespace evenkeel::test
