// Reads figures out of texts that services write. Each text is bounded, and anything that is not a figure is
// refused with a reason. Does not know files, sockets or servers.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "qos/model/objective.h"

namespace evenkeel::figures {

/// The longest text that may hold a single figure.
inline constexpr std::size_t kLongestFigure = 128;

struct ParsedFigure {
  std::optional<double> value{};  ///< not negative, and finite
  std::string_view problem{};     ///< why there is none; a constant text, so that it is said once
};
/// One decimal number and nothing else but white space around it.
ParsedFigure parse_figure(std::string_view text);
/// Refuses figures that no service means: negative ones, infinity, and more than a million times the target.
ParsedFigure plausible(double value, double target);

/// One bucket of a histogram: how many observations were at most `bound`.
struct Bucket {
  double bound = 0;
  double count = 0;
  bool operator==(const Bucket&) const = default;
};

struct ParsedMetric {
  std::optional<double> value{};  ///< of the series that match the highest
  std::vector<Bucket> buckets{};  ///< their sums, by bound, the last one +Inf; only with a quantile
  std::string problem{};
};
/// Looks for metrics in Prometheus' text format (version 0.0.4, and the parts of OpenMetrics that are the
/// same), in one pass over it. Series of other names are skipped unread; a metric that is refused leaves the
/// others as they are. The result has the order of `wanted`.
std::vector<ParsedMetric> parse_metrics(std::string_view body, std::span<const PrometheusFigure> wanted);
/// The same for one metric.
ParsedMetric parse_metric(std::string_view body, const PrometheusFigure& wanted);

/// The same while the text arrives: keeps a line of it and what was found, however long it is.
class MetricReader {
 public:
  explicit MetricReader(std::vector<PrometheusFigure> wanted);
  MetricReader(const MetricReader&) = delete;
  MetricReader& operator=(const MetricReader&) = delete;
  ~MetricReader();
  void add(std::string_view piece);
  /// After the last piece; once.
  std::vector<ParsedMetric> end();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace evenkeel::figures
