// Renders metrics in Prometheus' text format. The only user of prometheus-cpp (its core; its server is not
// used).
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace evenkeel::api {

using Labels = std::vector<std::pair<std::string, std::string>>;

class Exposition {
 public:
  /// Series beyond `cap` are left out and counted, which limits the cost of a scrape.
  explicit Exposition(std::size_t cap);
  ~Exposition();

  /// Families keep the order of their first sample. A counter's name ends in _total.
  void gauge(std::string_view name, std::string_view help, double value, Labels labels = {});
  void counter(std::string_view name, std::string_view help, double value, Labels labels = {});
  /// `counts` has one bucket more than `bounds` has upper bounds (in the metric's unit), for values above all
  /// bounds. Each bucket counts as a series.
  void histogram(std::string_view name, std::string_view help, std::span<const double> bounds,
                 std::span<const std::uint64_t> counts, double sum, Labels labels = {});
  [[nodiscard]] std::size_t dropped() const;
  [[nodiscard]] std::string text() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace evenkeel::api
