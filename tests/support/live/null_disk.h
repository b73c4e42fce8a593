// A slow disk of its own for a live test: null_blk answers each order after the same time, and keeps nothing.
// It goes with the test. May not: choose a scheduler.
#pragma once

#include <chrono>
#include <string>

namespace evenkeel::test {

class NullDisk {
 public:
  /// It works on so many orders at a time, each of which takes it so long.
  NullDisk(std::chrono::nanoseconds each, int at_a_time);
  ~NullDisk();
  NullDisk(const NullDisk&) = delete;
  NullDisk& operator=(const NullDisk&) = delete;

  /// Empty: it is there.
  [[nodiscard]] const std::string& why_not() const { return why_not_; }
  [[nodiscard]] const std::string& path() const { return path_; }      ///< "/dev/nullb7"
  [[nodiscard]] const std::string& number() const { return number_; }  ///< "253:0"
  /// Writes a setting of its queue, "scheduler" or "iosched/low_latency"; false: the kernel does not take it.
  [[nodiscard]] bool set(const std::string& setting, const std::string& value) const;

 private:
  std::string item_{}, name_{}, path_{}, number_{}, why_not_{};
};

}  // namespace evenkeel::test
