// Back-off for a change that the kernel refuses: each pause is twice as long as the last, up to ten minutes.
// A refusal is reported once, and again only after a success or when the reason is another one. Every writer
// uses it. Does not know what was refused.
#pragma once

#include <algorithm>
#include <chrono>
#include <string>
#include <string_view>

#include "qos/model/units.h"

namespace evenkeel::executor {

inline constexpr Duration kMaxRetryDelay = std::chrono::minutes(10);

/// The back-off of one change; a default one stands for "not refused". After a success: `pause = {}`.
struct RetryBackoff {
  MonoTime retry_at{};
  Duration length{};
  int code = 0;        ///< the errno of the last refusal
  std::string said{};  ///< and its message

  [[nodiscard]] bool waits(MonoTime now) const { return now < retry_at; }
  /// Notes a refusal. Returns whether it is to be reported.
  bool refuse(int error, std::string_view words, MonoTime now, Duration first = std::chrono::seconds(1)) {
    length = length == Duration::zero() ? first : std::min(2 * length, kMaxRetryDelay);
    retry_at = now + length;
    const bool news = code != error || said != words;
    code = error;
    said = words;
    return news;
  }
};

}  // namespace evenkeel::executor
