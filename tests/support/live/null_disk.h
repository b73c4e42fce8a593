// A private slow disk for a live test: null_blk completes each request after a fixed time and stores nothing.
// Removed with the test. Does not choose a scheduler.
#pragma once

#include <chrono>
#include <string>

namespace evenkeel::test {

class NullDisk {
 public:
  /// Works on `at_a_time` requests at once, each of which takes `each`.
  NullDisk(std::chrono::nanoseconds each, int at_a_time);
  ~NullDisk();
  NullDisk(const NullDisk&) = delete;
  NullDisk& operator=(const NullDisk&) = delete;

  /// Why it is not available; empty: it is.
  [[nodiscard]] const std::string& why_not() const { return unavailable_reason_; }
  [[nodiscard]] const std::string& path() const { return path_; }      ///< "/dev/nullb7"
  [[nodiscard]] const std::string& number() const { return number_; }  ///< "253:0"
  /// Writes a queue setting, "scheduler" or "iosched/low_latency"; false: the kernel refuses it.
  [[nodiscard]] bool set(const std::string& setting, const std::string& value) const;

 private:
  std::string item_{}, name_{}, path_{}, number_{}, unavailable_reason_{};
};

}  // namespace evenkeel::test
