#include "agent/history/checkpoint.h"

#include <algorithm>
#include <cerrno>

namespace evenkeel::history {

namespace {

using Seconds = std::chrono::seconds;

constexpr std::int64_t kYear9999 = 253'402'300'799;
constexpr Seconds kOldest = std::chrono::hours(24) * 3650;

}  // namespace

std::int64_t wall_time(MonoTime at, Moment now) {
  const auto age = std::max(now.mono - at, Duration::zero());
  return std::max(now.unix_seconds - std::chrono::duration_cast<Seconds>(age).count(), std::int64_t{0});
}

std::optional<MonoTime> read_time(std::string_view text, Moment now) {
  const auto time = take_number<std::int64_t>(text);
  if (!time || !text.empty() || *time < 0 || *time > kYear9999) return std::nullopt;
  return now.mono - std::clamp(Seconds(now.unix_seconds - *time), Seconds(0), kOldest);
}

Checkpoint::Checkpoint(const std::string& state_dir, std::string name, const runtime::WallClock* wall,
                       runtime::Log& log)
    : name_(std::move(name)), wall_(wall), log_(log) {
  if (wall != nullptr && !state_dir.empty()) file_.emplace(state_dir + "/" + name_);
}

Moment Checkpoint::moment(MonoTime now) const {
  return {now, static_cast<std::int64_t>(wall_->unix_seconds())};
}

std::optional<std::string> Checkpoint::load(MonoTime now) {
  saved_at_ = now;
  if (!file_) return std::nullopt;
  if (auto newest = file_->text_in_progress()) return newest;
  auto text = runtime::read_state_file(file_->path());
  if (text) return std::move(*text);
  if (text.error().code != ENOENT)
    log_.warning(name_ + "-not-recalled")
        .with("file", file_->path())
        .with("errno", errno_name(text.error().code));
  return std::nullopt;
}

void Checkpoint::log_loaded(const CheckpointStats& read) {
  auto line = read.corrupt > 0 ? log_.warning(name_ + "-recalled") : log_.info(name_ + "-recalled");
  line.with("models", read.models).with("forgotten", read.expired).with("corrupt", read.corrupt);
  if (read.incompatible > 0) line.with("measured-otherwise", read.incompatible);
}

bool Checkpoint::due(MonoTime now, Duration interval, SaveReason reason) {
  if (!file_ || !saved_at_) return false;
  if (reason == SaveReason::at_exit) log_error(file_->finish());
  if (const auto ended = file_->ended()) log_error(*ended);
  if (file_->in_progress()) return false;
  return reason != SaveReason::periodic || now - *saved_at_ >= interval;
}

void Checkpoint::save(std::string text, MonoTime now, SaveReason reason) {
  if (text.empty()) return;
  saved_at_ = now;
  file_->begin(std::move(text));
  if (reason == SaveReason::at_exit) log_error(file_->finish());
}

void Checkpoint::log_error(const Result<>& result) {
  if (result) return;
  log_.warning(name_ + "-not-kept")
      .with("file", file_->path())
      .with("errno", errno_name(result.error().code));
}

}  // namespace evenkeel::history
