// The pause after a request that failed: until it is over, no other request of the same queue starts either.
// Does not decide how long it is.
#pragma once

#include <functional>
#include <optional>
#include <utility>

#include "agent/runtime/event_loop.h"

namespace evenkeel::kube {

class RetryPause {
 public:
  RetryPause() = default;
  RetryPause(const RetryPause&) = delete;
  RetryPause& operator=(const RetryPause&) = delete;
  /// Creates the timer, which calls `on_end` at the end of each pause. Must succeed before begin().
  Result<> open(runtime::EventLoop& loop, std::function<void()> on_end) {
    auto timer = loop.timer([this, on_end = std::move(on_end)] {
      runs_ = false;
      on_end();
    });
    if (!timer) return tl::unexpected(timer.error());
    timer_.emplace(std::move(*timer));
    return {};
  }
  void begin(Duration length) {
    runs_ = true;
    timer_->arm(length);
  }
  [[nodiscard]] bool runs() const { return runs_; }

 private:
  std::optional<runtime::Timer> timer_{};
  bool runs_ = false;
};

}  // namespace evenkeel::kube
