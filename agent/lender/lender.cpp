#include "agent/lender/lender.h"

#include <utility>

#include "agent/history/prediction_checkpoint.h"

namespace evenkeel::lender {

Lender::Lender(Environment environment)
    : in_(std::move(environment)), peaks_(in_.state_dir, "prediction", in_.wall, in_.log) {}

void Lender::configure() {
  for (const auto& notice : lending_.configure(*in_.inputs.slo(), in_.node.object))
    in_.log.warning("node-strategy").with("problem", notice);
}

void Lender::set_collect_policy(CollectPolicy policy) {
  lending_.measure_as(std::move(policy));
  configure();
}

void Lender::update(MonoTime now) {
  std::optional<std::int64_t> unix_seconds;
  if (in_.wall) unix_seconds = static_cast<std::int64_t>(in_.wall->unix_seconds());
  if (!peaks_.loaded()) load(now);
  lending_.update(in_.node, {now, unix_seconds});
  save(now, false);
}

/// Once, before the predictor learns anything.
void Lender::load(MonoTime now) {
  const auto text = peaks_.load(now);
  if (text)
    peaks_.log_loaded(
        history::read_checkpoint(*text, peaks_.moment(now), lending_.prediction(), lending_.learned()));
}

void Lender::save(MonoTime now, bool last) {
  if (peaks_.due(now, lending_.prediction().checkpoint_interval, last))
    peaks_.save(history::checkpoint_text(lending_.learned(), peaks_.moment(now)), now, last);
}

}  // namespace evenkeel::lender
