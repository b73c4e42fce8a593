// Helpers for reading kernel files: the increase of a counter, small files, the lines of long ones.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "cgroup/base/host.h"

namespace evenkeel::collectors {

// A monotonic kernel counter. An increase is known only if both readings exist and the second is not smaller:
// a reset, a wrap or a gap gives an absent value, never a huge number.

class Counter {
 public:
  /// The increase since the previous reading. An absent or negative reading discards the previous one, so
  /// every increase spans exactly one tick.
  std::optional<std::int64_t> increase_to(std::optional<std::int64_t> reading) {
    if (reading && *reading < 0) reading.reset();
    const auto before = std::exchange(last_, reading);
    if (!before || !reading || *reading < *before) return std::nullopt;
    return *reading - *before;
  }
  /// The increase from an earlier reading of the same counter to this one.
  [[nodiscard]] std::optional<std::int64_t> increase_from(const Counter& earlier) const {
    if (!earlier.last_ || !last_ || *last_ < *earlier.last_) return std::nullopt;
    return *last_ - *earlier.last_;
  }

 private:
  std::optional<std::int64_t> last_{};
};

// Reads small files, and the lines of long ones, into the caller's buffer without allocating.

/// The result of one read() of a small file; empty if it cannot be read. Valid until the buffer is used
/// again.
inline std::string_view first_part(const Host& host, const std::string& path, std::span<char> buffer) {
  const auto file = host.open_read(path);
  const auto size = file ? ::read(file->get(), buffer.data(), buffer.size()) : -1;
  return size < 0 ? std::string_view() : std::string_view(buffer.data(), static_cast<std::size_t>(size));
}

/// Calls f(line) for every complete line, for up to `most` bytes of them; a line longer than the buffer is
/// left out. Returns whether the file can be read.
template <class F>
bool for_each_line(const Host& host, const std::string& path, std::span<char> buffer, std::size_t most,
                   F&& f) {
  const auto file = host.open_read(path);
  if (!file) return false;
  std::size_t have = 0;
  bool too_long = false;  // the line that the text continues: its rest is left out, too
  for (std::size_t total = 0; total < most;) {
    const auto got = ::read(file->get(), buffer.data() + have, buffer.size() - have);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return got == 0;
    have += static_cast<std::size_t>(got);
    total += static_cast<std::size_t>(got);
    std::string_view text(buffer.data(), have);
    for (auto end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
      if (!std::exchange(too_long, false)) f(text.substr(0, end));
      text.remove_prefix(end + 1);
    }
    too_long |= text.size() == buffer.size();
    if (too_long) text = {};
    std::copy(text.begin(), text.end(), buffer.begin());
    have = text.size();
  }
  return true;
}

}  // namespace evenkeel::collectors
