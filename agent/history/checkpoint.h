// Keeps what was learned over restarts: peaks in STATE_DIR/prediction, baselines in STATE_DIR/interference.
// Does not decide what is learned, or when.
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

  /// Whether a copy is due: `interval` after the last one, or now because it is the last. Finishes the
  /// previous write first, so that a busy disk does not block the agent.
  bool due(MonoTime now, Duration interval, bool last);
  void save(const std::string& text, MonoTime now, bool last);

 private:
  void log_error(const Result<>& result);
  std::string name_;
  const runtime::WallClock* wall_;
  runtime::Log& log_;
  std::optional<runtime::StateFile> file_{};
  std::optional<MonoTime> saved_at_{};  ///< last load or save
};

}  // namespace evenkeel::history
