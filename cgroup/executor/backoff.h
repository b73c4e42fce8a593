// What the kernel refused is left alone for a while, twice as long each time, up to ten minutes; and it is
// told once: again only when it was taken meanwhile or is refused for another reason. Every hand keeps to it.
// May not: know what was refused.
#pragma once

#include <algorithm>
#include <chrono>
#include <string>
#include <string_view>

#include "qos/model/units.h"

namespace evenkeel::executor {

inline constexpr Duration kMaxRetryDelay = std::chrono::minutes(10);

/// Of one thing that is refused; as it is made: of one that is not. Taken: `pause = {}`.
struct RetryBackoff {
  MonoTime retry_at{};
  Duration length{};
  int code = 0;        ///< the errno of the last refusal
  std::string said{};  ///< and the words

  [[nodiscard]] bool waits(MonoTime now) const { return now < retry_at; }
  /// Refused (again). Whether that is news.
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
