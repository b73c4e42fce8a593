#include "qos/detector/relief_watch.h"

#include <algorithm>
#include <cmath>

namespace evenkeel::detector {
namespace {

/// Samples that are late by this many intervals will not come.
constexpr int kPatience = 2;

}  // namespace

void ReliefWatch::begin(double before, MonoTime now) {
  before_ = before;
  begun_ = now;
  count_ = 0;
}

void ReliefWatch::add(double value, MonoTime now) {
  if (now > begun_ && count_ < kMaxSamples) after_[count_++] = value;
}

ReliefOutcomeResult ReliefWatch::judge(const NormalModel& model, MonoTime now,
                                       const DetectorSettings& settings) const {
  ReliefOutcomeResult out;
  out.times_before = model.times_usual(before_);
  const auto wanted = std::clamp<std::size_t>(settings.relief_samples, 1, kMaxSamples);
  if (count_ < wanted) {
    const auto most = settings.interval(model.signal()) * (static_cast<std::int64_t>(wanted) + kPatience);
    out.cure = now - begun_ > most ? ReliefOutcome::unknown : ReliefOutcome::waiting;
    return out;
  }
  double level = 0;
  for (std::size_t i = 0; i < wanted; ++i) level += std::log(model.times_usual(after_[i]));
  level /= static_cast<double>(wanted);
  out.times_after = std::exp(level);
  const double excess = std::log(out.times_before);
  if (!model.normal() || excess <= 0) {
    out.cure = ReliefOutcome::unknown;
    return out;
  }
  out.relief = 1 - level / excess;
  const bool well = out.times_after <= model.times_usual(model.threshold(settings));
  out.cure =
      well || out.relief >= settings.min_relief ? ReliefOutcome::relieved : ReliefOutcome::not_relieved;
  return out;
}

void ClearedSuspects::clear(CgroupId victim, CgroupId suspect, MonoTime until) {
  const auto same = [&](const Entry& each) { return each.victim == victim && each.suspect == suspect; };
  auto* entry = std::find_if(entries_.begin(), entries_.end(), same);
  if (entry == entries_.end())
    entry = std::min_element(entries_.begin(), entries_.end(),
                             [](const Entry& a, const Entry& b) { return a.until < b.until; });
  *entry = {victim, suspect, until};
}

bool ClearedSuspects::cleared(CgroupId victim, CgroupId suspect, MonoTime now) const {
  return std::any_of(entries_.begin(), entries_.end(), [&](const Entry& each) {
    return each.victim == victim && each.suspect == suspect && now < each.until;
  });
}

}  // namespace evenkeel::detector
