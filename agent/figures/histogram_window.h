// The quantile of the newest observations of a histogram that only ever grows. Does not read texts.
#pragma once

#include <optional>
#include <vector>

#include "agent/figures/metric_text.h"
#include "qos/model/units.h"

namespace evenkeel::figures {

/// Like Prometheus' histogram_quantile(increase()): linear within a bucket, and in the +Inf bucket the
/// highest bound. `counts` are cumulative. Absent: no observations, or no finite bound.
std::optional<double> quantile_of(const std::vector<Bucket>& counts, double quantile_percent);

/// What has been observed from `before` to `now`. A count that went down means that the service has begun to
/// count anew: then all of `now`. Absent: the bounds differ.
std::optional<std::vector<Bucket>> increase_of(const std::vector<Bucket>& before,
                                               const std::vector<Bucket>& now);

class HistogramWindow {
 public:
  /// Ten observations make a quantile; after half of `stale_after` even one.
  static constexpr double kEnough = 10;

  /// Takes the next scrape. Absent: too few observations since the last quantile; the window stays open.
  /// A quantile above all bounds is refused if the target is as well, since it says nothing then.
  ParsedFigure add(std::vector<Bucket> now, MonoTime at, const Objective& objective);
  /// The scrape after which the observations of the last quantile began.
  [[nodiscard]] MonoTime since() const { return since_; }

 private:
  std::vector<Bucket> before_{};
  MonoTime began_{}, since_{};
};

}  // namespace evenkeel::figures
