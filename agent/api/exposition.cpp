#include <prometheus/metric_family.h>
#include <prometheus/text_serializer.h>

#include <limits>
#include <sstream>
#include <unordered_map>

#include "agent/api/metrics.h"

namespace evenkeel::api {

struct Exposition::Impl {
  std::size_t cap = 0, series = 0, dropped = 0;
  std::vector<prometheus::MetricFamily> families{};
  std::unordered_map<std::string, std::size_t> by_name{};

  prometheus::ClientMetric* add(std::string_view name, std::string_view help, prometheus::MetricType type,
                                Labels&& labels) {
    if (series >= cap) {
      ++dropped;
      return nullptr;
    }
    ++series;
    const auto [found, fresh] = by_name.try_emplace(std::string(name), families.size());
    if (fresh) families.push_back({std::string(name), std::string(help), type, {}});
    auto& metrics = families[found->second].metric;
    metrics.emplace_back();
    for (auto& [key, value] : labels) metrics.back().label.push_back({std::move(key), std::move(value)});
    return &metrics.back();
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

std::string Exposition::text() const {
  std::ostringstream out;
  prometheus::TextSerializer().Serialize(out, impl_->families);
  return out.str();
}

}  // namespace evenkeel::api
