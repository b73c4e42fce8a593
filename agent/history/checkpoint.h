// Checkpoints in STATE_DIR: the line format that they share, and the files.
#pragma once

#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "agent/runtime/clock.h"
#include "agent/runtime/files.h"
#include "agent/runtime/log.h"
#include "cgroup/base/text.h"
#include "qos/model/units.h"

namespace evenkeel::history {

// What the lines of all checkpoints share: each is complete and sealed (cgroup/base/text.h), so that a torn
// write costs only the damaged line; and times that survive a reboot. Does not know the content, files or
// clocks.

/// One moment on both clocks.
struct Moment {
  MonoTime mono{};
  std::int64_t unix_seconds = 0;
};

struct CheckpointStats {
  std::size_t models = 0;        ///< in use now
  std::size_t expired = 0;       ///< too old to count
  std::size_t incompatible = 0;  ///< measured by another method, or on other CPUs
  std::size_t corrupt = 0;       ///< lines that were skipped
};

/// Seconds since 1970 of a past moment: the monotonic clock restarts with every boot.
std::int64_t wall_time(MonoTime at, Moment now);
/// The inverse, for a whole word. A time after `now` becomes now (the wall clock was set back); ages above
/// ten years become ten years.
std::optional<MonoTime> read_time(std::string_view text, Moment now);

/// Appends the number so that it reads back exactly.
template <class Number>
void put_number(std::string& line, Number number) {
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  line.append(digits.data(), end);
}

/// Consumes a leading number of the text.
template <class Number>
std::optional<Number> take_number(std::string_view& text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{}) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

// Keeps what was learned over restarts: peaks in STATE_DIR/prediction, baselines in STATE_DIR/interference,
// and what was found about levers in STATE_DIR/proof.
// Does not decide what is learned, or when.

enum class SaveReason {
  periodic,      ///< only if a copy is due; does not wait for the disk
  switched_off,  ///< now, since nothing is learned any more; does not wait for the disk
  at_exit,       ///< now, and waits until it is on disk
};

/// One such file. Without a state directory or a wall clock (stepped mode) nothing is kept from run to run.
class Checkpoint {
 public:
  /// `name`: of the file, and the first word of its log lines.
  Checkpoint(const std::string& state_dir, std::string name, const runtime::WallClock* wall,
             runtime::Log& log);

  /// The time on both clocks; only if the file is kept.
  [[nodiscard]] Moment moment(MonoTime now) const;

  /// The file's text; absent: there is none, or it cannot be read, which is logged.
  std::optional<std::string> load(MonoTime now);
  [[nodiscard]] bool loaded() const { return saved_at_.has_value(); }
  /// Logs the result of loading.
  void log_loaded(const CheckpointStats& read);

  /// Whether to save: a periodic copy is due `interval` after the last one, and none is made while that one
  /// is still being written. Logs how the last one ended.
  bool due(MonoTime now, Duration interval, SaveReason reason);
  void save(std::string text, MonoTime now, SaveReason reason);

 private:
  void log_error(const Result<>& result);
  std::string name_;
  const runtime::WallClock* wall_;
  runtime::Log& log_;
  std::optional<runtime::StateFile> file_{};
  std::optional<MonoTime> saved_at_{};  ///< last load or save
};

}  // namespace evenkeel::history
