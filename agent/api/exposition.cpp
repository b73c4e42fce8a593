#include <prometheus/metric_family.h>
#include <prometheus/text_serializer.h>

#include <algorithm>
#include <limits>
#include <sstream>
#include <string_view>
#include <unordered_map>

#include "agent/api/metrics.h"

namespace evenkeel::api {

namespace {

/// Samples of prometheus-cpp take ten times the memory of their text, so only so many wait to become text.
constexpr std::size_t kMostWaiting = 256;

std::string_view without_comments(std::string_view text) {
  while (text.starts_with('#')) text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
  return text;
}

}  // namespace

struct Exposition::Impl {
  struct Family {
    prometheus::MetricFamily waiting{};
    std::string text{};
  };
  std::size_t cap = 0, series = 0, dropped = 0, waiting = 0;
  std::vector<Family> families{};
  std::unordered_map<std::string, std::size_t> by_name{};

  prometheus::ClientMetric* add(std::string_view name, std::string_view help, prometheus::MetricType type,
                                Labels&& labels) {
    if (series >= cap) {
      ++dropped;
      return nullptr;
    }
    if (waiting == kMostWaiting) render();
    ++series;
    ++waiting;
    const auto [found, fresh] = by_name.try_emplace(std::string(name), families.size());
    if (fresh) families.push_back({.waiting = {std::string(name), std::string(help), type, {}}});
    auto& metrics = families[found->second].waiting.metric;
    metrics.emplace_back();
    for (auto& [key, value] : labels) metrics.back().label.push_back({std::move(key), std::move(value)});
    return &metrics.back();
  }

  void render() {
    std::vector<prometheus::MetricFamily> one(1);
    for (auto& family : families) {
      if (family.waiting.metric.empty()) continue;
      std::swap(one.front(), family.waiting);
      std::ostringstream out;
      prometheus::TextSerializer().Serialize(out, one);
      std::swap(one.front(), family.waiting);
      family.waiting.metric = {};
      family.text.append(family.text.empty() ? out.view() : without_comments(out.view()));
    }
    waiting = 0;
  }
};

Exposition::Exposition(std::size_t cap) : impl_(std::make_unique<Impl>()) { impl_->cap = cap; }
Exposition::~Exposition() = default;

void Exposition::gauge(std::string_view name, std::string_view help, double value, Labels labels) {
  if (auto* metric = impl_->add(name, help, prometheus::MetricType::Gauge, std::move(labels)))
    metric->gauge.value = value;
}

void Exposition::counter(std::string_view name, std::string_view help, double value, Labels labels) {
  if (auto* metric = impl_->add(name, help, prometheus::MetricType::Counter, std::move(labels)))
    metric->counter.value = value;
}

void Exposition::histogram(std::string_view name, std::string_view help, std::span<const double> bounds,
                           std::span<const std::uint64_t> counts, double sum, Labels labels) {
  auto* metric = impl_->add(name, help, prometheus::MetricType::Histogram, std::move(labels));
  if (metric == nullptr) return;
  impl_->series += counts.size() + 1;  // in addition to the first: the buckets, sum and count
  std::uint64_t so_far = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    so_far += counts[i];
    const double bound = i < bounds.size() ? bounds[i] : std::numeric_limits<double>::infinity();
    metric->histogram.bucket.push_back({so_far, bound});
  }
  metric->histogram.sample_count = so_far;
  metric->histogram.sample_sum = sum;
}

std::size_t Exposition::dropped() const { return impl_->dropped; }

std::string Exposition::text() {
  impl_->render();
  std::size_t size = 0;
  for (const auto& family : impl_->families) size += family.text.size();
  std::string out;
  out.reserve(size);
  for (const auto& family : impl_->families) out += family.text;
  return out;
}

}  // namespace evenkeel::api
