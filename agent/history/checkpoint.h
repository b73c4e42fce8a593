// What was learned, kept over restarts: peaks in STATE_DIR/prediction, what is normal in
// STATE_DIR/interference. May not: decide what is learned, or when.
#pragma once

#include <optional>
#include <string>

#include "agent/history/checkpoint_line.h"
#include "agent/runtime/clock.h"
#include "agent/runtime/log.h"
#include "agent/runtime/state_file.h"

namespace evenkeel::history {

/// One such file. Without a state directory or a wall clock (stepped mode) nothing is kept from run to run.
class Checkpoint {
 public:
  /// `name`: of the file, and the first word of what the log says of it.
  Checkpoint(const std::string& state_dir, std::string name, const runtime::WallClock* wall,
             runtime::Log& log);

  [[nodiscard]] bool saved_at() const { return file_.has_value(); }
  /// Both clocks; only where it is kept.
  [[nodiscard]] Moment moment(MonoTime now) const;

  /// What the file has; absent: nothing, or it cannot be read, which is said.
  std::optional<std::string> load(MonoTime now);
  [[nodiscard]] bool loaded() const { return saved_at_.has_value(); }
  /// Says what came of it.
  void log_loaded(const CheckpointStats& read);

  /// It is time for another copy: `interval` after the last one, or now because it is the last. What was
  /// begun with the last one is finished, so that a busy disk holds nobody up.
  bool due(MonoTime now, Duration interval, bool last);
  void save(const std::string& text, MonoTime now, bool last);

 private:
  void log_error(const Result<>& result);
  std::string name_;
  const runtime::WallClock* wall_;
  runtime::Log& log_;
  std::optional<runtime::StateFile> file_{};
  std::optional<MonoTime> saved_at_{};  ///< recalled, or kept for the last time
};

}  // namespace evenkeel::history
