#include "qos/lending/peak_predictor.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace evenkeel::lending {

double HistogramScale::start(std::size_t bucket) const {
  return first_bucket * (std::pow(kGrowth, static_cast<double>(bucket)) - 1) / (kGrowth - 1);
}

std::size_t HistogramScale::bucket(double value) const {
  if (!(value >= first_bucket)) return 0;
  const double position = std::log(value * (kGrowth - 1) / first_bucket + 1) / std::log(kGrowth);
  const auto last = static_cast<double>(buckets - 1);
  return static_cast<std::size_t>(std::min(position, last));
}

void fade_weights(std::span<float> weights, double half_lives) {
  const auto factor = static_cast<float>(std::exp2(-half_lives));
  for (float& weight : weights) {
    weight *= factor;
    if (weight < kMinWeight) weight = 0;
  }
}

double total_weight(std::span<const float> weights) {
  return std::accumulate(weights.begin(), weights.end(), 0.0);
}

std::optional<double> weighted_percentile(std::span<const float> weights, const HistogramScale& scale,
                                          double fraction) {
  const double total = total_weight(weights);
  if (total <= 0) return std::nullopt;
  const double wanted = fraction * total;
  double seen = 0;
  std::size_t bucket = 0;
  for (; bucket + 1 < weights.size(); ++bucket) {
    seen += weights[bucket];
    if (seen > 0 && seen >= wanted) break;
  }
  return scale.start(bucket + 1 < weights.size() ? bucket + 1 : bucket);
}

namespace {

constexpr double kMilli = 1000;

template <class Q>
void add(std::optional<Q>& sum, const std::optional<Q>& part) {
  if (part) sum = clamped_sum(sum.value_or(Q{}), *part);
}
Usage& operator+=(Usage& sum, const Usage& part) {
  add(sum.cpu, part.cpu);
  add(sum.memory, part.memory);
  return sum;
}

constexpr Usage kNothing{MilliCpu(0), Bytes(0)};

template <class Q>
std::optional<Q> at_most(const std::optional<Q>& value, const std::optional<Q>& most) {
  return value && most ? std::min(*value, *most) : value;
}

template <class Q>
std::optional<Q> rest(const std::optional<Q>& whole, const std::optional<Q>& part) {
  if (!whole) return std::nullopt;
  return std::max(clamped_difference(*whole, part.value_or(Q{})), Q{});
}

template <class Histogram>
void drop_if_stale(Histogram& histogram, Duration expiration, MonoTime now) {
  if (now - histogram.as_of() > expiration) histogram = Histogram();
}

}  // namespace

void PeakPredictor::train(const TrainingRound& round, const PredictionSettings& settings, MonoTime now) {
  std::array<Usage, kClassModels.size()> classes{};
  classes.fill(kNothing);
  Usage all = kNothing;
  for (const PodUsage& pod : round.pods) {
    learn(pod.uid, pod.usage, settings, now);
    classes[static_cast<std::size_t>(pod.priority_class)] += pod.usage;
    all += pod.usage;
  }
  const Usage node = round.node.value_or(Usage{});
  for (std::size_t i = 0; i < classes.size(); ++i) {
    const Usage used{at_most(classes[i].cpu, node.cpu), at_most(classes[i].memory, node.memory)};
    learn(kClassModels[i], used, settings, now);
  }
  learn(kNodeModel, node, settings, now);
  learn(kSystemModel, {rest(node.cpu, all.cpu), rest(node.memory, all.memory)}, settings, now);
  drop_stale(settings.model_expiration, now);
}

void PeakPredictor::learn(std::string_view key, const Usage& usage, const PredictionSettings& settings,
                          MonoTime now) {
  if (!usage.cpu && !usage.memory) return;
  auto found = models_.find(key);
  if (found == models_.end()) {
    found = models_.try_emplace(std::string(key)).first;
    found->second.since = now;
  }
  PeakModel& model = found->second;
  if (usage.cpu) model.cpu.add(static_cast<double>(usage.cpu->count()) / kMilli, now, settings.cpu_half_life);
  if (usage.memory)
    model.memory.add(static_cast<double>(usage.memory->count()), now, settings.memory_half_life);
}

void PeakPredictor::drop_stale(Duration expiration, MonoTime now) {
  for (auto at = models_.begin(); at != models_.end();) {
    drop_if_stale(at->second.cpu, expiration, now);
    drop_if_stale(at->second.memory, expiration, now);
    at = at->second.empty() ? models_.erase(at) : std::next(at);
  }
}

Usage PeakPredictor::predict(std::string_view key, PeakLevel level) const {
  Usage peak;
  const PeakModel* model = find(key);
  if (model == nullptr) return peak;
  if (const auto cpu = model->cpu.percentile(level.cpu))
    peak.cpu = MilliCpu(static_cast<std::int64_t>(*cpu * kMilli));
  if (const auto memory = model->memory.percentile(level.memory))
    peak.memory = Bytes(static_cast<std::int64_t>(*memory));
  return peak;
}

const PeakModel* PeakPredictor::find(std::string_view key) const {
  const auto found = models_.find(key);
  return found == models_.end() ? nullptr : &found->second;
}

bool PeakPredictor::restore(std::string_view key, PeakModel model, const PredictionSettings& settings,
                            MonoTime now) {
  model.cpu.fade(now, settings.cpu_half_life);
  model.memory.fade(now, settings.memory_half_life);
  if (model.empty()) return false;
  models_.insert_or_assign(std::string(key), model);
  return true;
}

}  // namespace evenkeel::lending
