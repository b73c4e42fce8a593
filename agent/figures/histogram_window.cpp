#include "agent/figures/histogram_window.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace evenkeel::figures {

std::optional<double> quantile_of(const std::vector<Bucket>& counts, double quantile_percent) {
  if (counts.size() < 2 || counts.back().count <= 0) return std::nullopt;
  const double rank = quantile_percent / 100 * counts.back().count;
  const auto found = std::ranges::find_if(counts, [&](const Bucket& one) { return one.count >= rank; });
  if (found == counts.end() || std::isinf(found->bound)) return counts[counts.size() - 2].bound;
  if (found == counts.begin() && found->bound <= 0) return found->bound;
  const Bucket lower = found == counts.begin() ? Bucket{} : *(found - 1);
  const double within = found->count > lower.count ? (rank - lower.count) / (found->count - lower.count) : 1;
  return lower.bound + (found->bound - lower.bound) * within;
}

std::optional<std::vector<Bucket>> increase_of(const std::vector<Bucket>& before,
                                               const std::vector<Bucket>& now) {
  const auto same_bound = [](const Bucket& a, const Bucket& b) { return a.bound == b.bound; };
  if (!std::ranges::equal(before, now, same_bound)) return std::nullopt;
  for (std::size_t i = 0; i < now.size(); ++i)
    if (now[i].count < before[i].count) return now;
  std::vector<Bucket> grown = now;
  double most = 0;  // scraped while it was written, a bucket may lag behind one below
  for (std::size_t i = 0; i < now.size(); ++i) {
    most = std::max(most, now[i].count - before[i].count);
    grown[i].count = most;
  }
  return grown;
}

ParsedFigure HistogramWindow::add(std::vector<Bucket> now, MonoTime at, const Objective& objective) {
  const auto grown = increase_of(before_, now);
  if (!grown) {  // the first scrape, or other bounds
    before_ = std::move(now);
    began_ = at;
    return {};
  }
  const double observed = grown->back().count;
  const double needed = at - began_ >= objective.stale_after / 2 ? 1 : kEnough;
  if (observed < needed) return {};
  before_ = std::move(now);
  since_ = std::exchange(began_, at);
  const auto value = quantile_of(*grown, *objective.prometheus.quantile_percent);
  if (!value) return {.problem = "the histogram has no finite bound"};
  const double highest = (*grown)[grown->size() - 2].bound;
  if (*value >= highest && highest < objective.target)
    return {.problem = "the quantile is above the highest bound, which is below the target"};
  return {.value = value};
}

}  // namespace evenkeel::figures
