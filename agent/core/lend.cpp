// The agent's side of lending: when it is worked out, and what was learned kept over restarts.
#include <cerrno>

#include "agent/core/agent.h"
#include "agent/history/prediction_checkpoint.h"

namespace evenkeel {

void Agent::lend(MonoTime now) {
  if (!inputs_.slo_known())
    return;  // not to be taken for one that lends nothing and forgets what was learned
  std::optional<std::int64_t> unix_seconds;
  if (wall_) unix_seconds = static_cast<std::int64_t>(wall_->unix_seconds());
  if (!learned_kept_) recall_learned(now);
  lending_.update(snapshot_, {now, unix_seconds});
  keep_learned(now, false);
}

void Agent::configure_lending() {
  for (const auto& notice : lending_.configure(*inputs_.slo(), snapshot_.object))
    log_.warning("node-strategy").with("problem", notice);
}

void Agent::measure_as(CollectPolicy policy) {
  lending_.measure_as(std::move(policy));
  configure_lending();
}

/// Once, before anything is learned. Without a wall clock (stepped mode) nothing is kept from run to run.
void Agent::recall_learned(MonoTime now) {
  learned_kept_ = now;
  if (!wall_ || options_.state_dir.empty() || options_.dry_run) return;
  learned_file_.emplace(options_.state_dir + "/prediction");
  const auto text = read_state_file(learned_file_->path());
  if (!text && text.error().code != ENOENT)
    log_.warning("prediction-not-recalled")
        .with("file", learned_file_->path())
        .with("errno", errno_name(text.error().code));
  if (!text) return;
  const Moment moment{now, static_cast<std::int64_t>(wall_->unix_seconds())};
  const auto read = read_checkpoint(*text, moment, lending_.prediction(), lending_.learned());
  log_.info("prediction-recalled")
      .with("models", read.models)
      .with("forgotten", read.forgotten)
      .with("corrupt", read.corrupt);
}

/// What was begun at one call is finished at the next, so that a busy disk holds nobody up.
void Agent::keep_learned(MonoTime now, bool last) {
  if (!learned_file_) return;
  const auto complain = [this](const Result<>& result) {
    if (!result)
      log_.warning("prediction-not-kept")
          .with("file", learned_file_->path())
          .with("errno", errno_name(result.error().code));
  };
  if (learned_file_->begun()) complain(learned_file_->finish());
  if (!last && now - *learned_kept_ < lending_.prediction().checkpoint_interval) return;
  if (lending_.learned().models().empty()) return;
  learned_kept_ = now;
  const Moment moment{now, static_cast<std::int64_t>(wall_->unix_seconds())};
  complain(learned_file_->begin(checkpoint_text(lending_.learned(), moment)));
  if (last) complain(learned_file_->finish());
}

}  // namespace evenkeel
