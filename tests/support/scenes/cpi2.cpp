#include "tests/support/scenes/cpi2.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace evenkeel::test {

double cpi2_formula(std::span<const double> values, std::span<const double> activity, double threshold) {
  const double all = std::accumulate(activity.begin(), activity.end(), 0.0);
  if (all <= 0) return 0;
  double sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double c = values[i], u = activity[i] / all;
    sum += c > threshold ? u * (1 - threshold / c) : u * (c / threshold - 1);
  }
  return sum;
}

void Cpi2::observe(const SceneWindow& window) {
  last_.push_back(window);
  if (last_.size() > 10) last_.pop_front();
  sum_ += window.value;
  squares_ += window.value * window.value;
  count_ += 1;
  if (++today_ < samples_a_day_) return;
  today_ = 0;
  known_ = true;
  mean_ = sum_ / count_;
  deviation_ = std::sqrt(std::max(squares_ / count_ - mean_ * mean_, 0.0));
  sum_ *= 0.9;
  squares_ *= 0.9;
  count_ *= 0.9;
}

bool Cpi2::anomalous() const {
  if (!known_ || last_.size() < 5) return false;
  return std::count_if(last_.end() - 5, last_.end(),
                       [&](const SceneWindow& each) { return each.value > threshold(); }) >= 3;
}

std::optional<std::size_t> Cpi2::antagonist(double limit) const {
  if (!anomalous()) return std::nullopt;
  std::vector<double> values;
  for (const auto& each : last_) values.push_back(each.value);
  double best = limit;
  std::optional<std::size_t> out;
  for (std::size_t i = 0; i < kSuspects; ++i) {
    std::vector<double> activity;
    for (const auto& each : last_) activity.push_back(each.activity[i]);
    const double score = cpi2_formula(values, activity, threshold());
    if (score < best) continue;
    best = score;
    out = i;
  }
  return out;
}

}  // namespace evenkeel::test
