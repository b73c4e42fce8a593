// Writes log events as lines: event=... key=value, or one JSON object a line. One write(2) per line to
// standard error; when the reader does not keep up, lines are dropped and counted, and the agent never
// blocks: an overloaded host is where a blocked log would hurt most.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

#include "agent/runtime/clock.h"

namespace evenkeel::runtime {

enum class LogLevel : std::uint8_t { debug, info, warning, error };
enum class LogFormat : std::uint8_t { text, json };

class Log {
 public:
  Log(int fd, LogFormat format, LogLevel least, const WallClock* clock)
      : fd_(fd), format_(format), min_level_(least), clock_(clock) {}

  /// One line being built; written on destruction.
  class Line {
   public:
    Line(Log* log, LogLevel level, std::string_view event);
    Line(const Line&) = delete;
    Line& operator=(const Line&) = delete;
    ~Line();
    Line& with(std::string_view key, std::string_view value);
    Line& with(std::string_view key, const char* value) { return with(key, std::string_view(value)); }
    Line& with(std::string_view key, std::integral auto value) { return raw(key, std::to_string(value)); }
    Line& with(std::string_view key, double value);

   private:
    Line& raw(std::string_view key, std::string_view value);
    Log* log_;  ///< null: below the minimum level
    std::string text_{};
  };

  Line info(std::string_view event) { return Line(this, LogLevel::info, event); }
  Line debug(std::string_view event) { return Line(this, LogLevel::debug, event); }
  Line warning(std::string_view event) { return Line(this, LogLevel::warning, event); }
  Line error(std::string_view event) { return Line(this, LogLevel::error, event); }

  [[nodiscard]] std::uint64_t dropped() const { return dropped_; }

 private:
  friend class Line;
  void write(std::string_view line);
  int fd_;
  LogFormat format_;
  LogLevel min_level_;
  const WallClock* clock_;  ///< null: lines carry no time (stepped mode)
  std::uint64_t dropped_ = 0;
};

/// "2026-11-21T10:15:30.123Z"
std::string utc_text(double unix_seconds);

}  // namespace evenkeel::runtime
