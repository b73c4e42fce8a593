// Another process that writes cgroup files without end, for live tests. Does not look at what it does to an
// agent.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "cgroup/base/result.h"

namespace evenkeel::test {

/// Threads that write a burst each, by turns two values, and never sleep. Without a quota each value is
/// legal.
class RestlessWriters {
 public:
  explicit RestlessWriters(const std::vector<std::string>& burst_files) {
    for (const auto& file : burst_files)
      threads_.emplace_back([this, file] {
        const Fd fd(::open(file.c_str(), O_WRONLY | O_CLOEXEC));
        for (bool more = false; !ended_; more = !more)
          if (::pwrite(fd.get(), more ? "2000" : "1000", 4, 0) == 4) ++writes_;
      });
  }
  ~RestlessWriters() {
    ended_ = true;
    for (auto& thread : threads_) thread.join();
  }
  RestlessWriters(const RestlessWriters&) = delete;
  RestlessWriters& operator=(const RestlessWriters&) = delete;
  [[nodiscard]] long writes() const { return writes_; }

 private:
  std::atomic<bool> ended_{false};
  std::atomic<long> writes_{0};
  std::vector<std::thread> threads_{};
};

}  // namespace evenkeel::test
