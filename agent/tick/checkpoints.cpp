#include "agent/tick/checkpoints.h"

#include <cerrno>

namespace evenkeel {

Learned::Learned(const std::string& state_dir, std::string name, const WallClock* wall, Log& log)
    : name_(std::move(name)), wall_(wall), log_(log) {
  if (wall != nullptr && !state_dir.empty()) file_.emplace(state_dir + "/" + name_);
}

Moment Learned::moment(MonoTime now) const { return {now, static_cast<std::int64_t>(wall_->unix_seconds())}; }

std::optional<std::string> Learned::recall(MonoTime now) {
  kept_ = now;
  if (!file_) return std::nullopt;
  auto text = read_state_file(file_->path());
  if (text) return std::move(*text);
  if (text.error().code != ENOENT)
    log_.warning(name_ + "-not-recalled")
        .with("file", file_->path())
        .with("errno", errno_name(text.error().code));
  return std::nullopt;
}

void Learned::tell(const CheckpointRead& read) {
  auto line = read.corrupt > 0 ? log_.warning(name_ + "-recalled") : log_.info(name_ + "-recalled");
  line.with("models", read.models).with("forgotten", read.forgotten).with("corrupt", read.corrupt);
  if (read.otherwise > 0) line.with("measured-otherwise", read.otherwise);
}

bool Learned::due(MonoTime now, Duration interval, bool last) {
  if (!file_ || !kept_) return false;
  if (file_->begun()) complain(file_->finish());
  return last || now - *kept_ >= interval;
}

void Learned::keep(const std::string& text, MonoTime now, bool last) {
  if (text.empty()) return;
  kept_ = now;
  complain(file_->begin(text));
  if (last) complain(file_->finish());
}

void Learned::complain(const Result<>& result) {
  if (result) return;
  log_.warning(name_ + "-not-kept")
      .with("file", file_->path())
      .with("errno", errno_name(result.error().code));
}

}  // namespace evenkeel
