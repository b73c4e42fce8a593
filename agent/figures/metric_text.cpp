#include "agent/figures/metric_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "cgroup/base/text.h"

namespace evenkeel::figures {
namespace {

constexpr std::size_t kLongestLine = 8192;
constexpr std::size_t kMostBuckets = 1000;
constexpr std::size_t kMostSeries = 10'000;
constexpr double kMostTargets = 1e6;

constexpr bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

/// Also "+Inf" and "NaN", as Prometheus writes them.
std::optional<double> number(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  if (text.empty() || text.starts_with('+')) return std::nullopt;
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size()) return std::nullopt;
  if (error == std::errc::result_out_of_range) return std::numeric_limits<double>::infinity();
  return error == std::errc{} ? std::optional(value) : std::nullopt;
}

/// One line "NAME{LABELS} VALUE TIMESTAMP", read from the left.
class SeriesLine {
 public:
  explicit SeriesLine(std::string_view line) : rest_(line) {}

  /// Whether the series has this name; read first.
  bool has_name(std::string_view name) {
    if (!rest_.starts_with(name)) return false;
    rest_.remove_prefix(name.size());
    return rest_.empty() || rest_.front() == '{' || is_blank(rest_.front());
  }
  /// False: not what the format allows.
  template <class See>
  bool read_labels(See see) {
    rest_ = trimmed(rest_);
    if (!rest_.starts_with('{')) return true;
    rest_.remove_prefix(1);
    for (;;) {
      rest_ = trimmed(rest_);
      if (rest_.starts_with('}')) break;
      if (!read_label(see)) return false;
    }
    rest_.remove_prefix(1);
    return true;
  }
  std::optional<double> value() {
    rest_ = trimmed(rest_);
    const auto end = std::find_if(rest_.begin(), rest_.end(), is_blank);
    return number(rest_.substr(0, static_cast<std::size_t>(end - rest_.begin())));
  }

 private:
  template <class See>
  bool read_label(See see) {
    const auto equals = rest_.find("=\"");
    if (equals == std::string_view::npos) return false;
    const std::string_view name = trimmed(rest_.substr(0, equals));
    rest_.remove_prefix(equals + 2);
    value_.clear();
    while (!rest_.empty() && rest_.front() != '"')
      if (!read_character()) return false;
    if (rest_.empty()) return false;
    rest_.remove_prefix(1);
    see(name, std::string_view(value_));
    rest_ = trimmed(rest_);
    if (rest_.starts_with(',')) {
      rest_.remove_prefix(1);
      return true;
    }
    return rest_.starts_with('}');
  }
  bool read_character() {
    char c = rest_.front();
    rest_.remove_prefix(1);
    if (c == '\\') {
      if (rest_.empty()) return false;
      c = rest_.front() == 'n' ? '\n' : rest_.front();
      rest_.remove_prefix(1);
    }
    value_ += c;
    return true;
  }

  std::string_view rest_;
  std::string value_{};
};

/// Collects the series that match.
class Matches {
 public:
  explicit Matches(const PrometheusFigure& wanted)
      : wanted_(wanted), name_(wanted.metric + (wanted.quantile_percent ? "_bucket" : "")) {}

  /// After a line that is refused, the others do not count.
  void take(std::string_view line) {
    if (problem_.empty()) problem_ = problem_of(line);
  }
  void refuse(const char* problem) {
    if (problem_.empty()) problem_ = problem;
  }
  ParsedMetric result() {
    if (!problem_.empty()) return refused(std::move(problem_));
    if (series_ == 0) return refused("no series matches the metric and its labels");
    return wanted_.quantile_percent ? histogram() : figure();
  }

 private:
  static ParsedMetric refused(std::string problem) { return {.problem = std::move(problem)}; }

  /// Empty: the line is taken, or is not of this metric.
  std::string problem_of(std::string_view text) {
    SeriesLine line(text);
    if (!line.has_name(name_)) return {};
    std::size_t equal = 0;
    std::optional<double> bound;
    const bool labels = line.read_labels([&](std::string_view label, std::string_view value) {
      const auto asked = wanted_.labels.find(label);
      if (asked != wanted_.labels.end() && asked->second == value) ++equal;
      if (label == "le") bound = number(value);
    });
    if (!labels) return "a line of the metric has broken labels";
    if (equal != wanted_.labels.size()) return {};
    const auto value = line.value();
    if (!value) return "a line of the metric has no number";
    if (++series_ > kMostSeries) return "too many series match";
    return wanted_.quantile_percent ? take_bucket(bound, *value) : take_value(*value);
  }
  ParsedMetric figure() const {
    if (!highest_) return refused("the figure is not a number (NaN): nothing was observed");
    return {.value = highest_};
  }
  ParsedMetric histogram() const {
    ParsedMetric found;
    for (const auto& [bound, count] : buckets_) found.buckets.push_back({bound, count});
    if (found.buckets.empty() || !std::isinf(found.buckets.back().bound))
      return refused("the histogram has no bucket le=\"+Inf\"");
    const auto falls = [](const Bucket& a, const Bucket& b) { return a.count > b.count; };
    if (std::ranges::adjacent_find(found.buckets, falls) != found.buckets.end())
      return refused("the histogram's buckets do not grow with their bounds");
    return found;
  }
  std::string take_bucket(std::optional<double> bound, double count) {
    if (!bound || std::isnan(*bound)) return "a bucket has no bound (label le)";
    if (!std::isfinite(count) || count < 0) return "a bucket's count is negative or not a number";
    buckets_[*bound] += count;
    return buckets_.size() > kMostBuckets ? "the histogram has too many buckets" : "";
  }
  std::string take_value(double value) {
    if (!std::isnan(value)) highest_ = std::max(highest_.value_or(value), value);
    return {};
  }

  const PrometheusFigure& wanted_;
  std::string name_;
  std::string problem_{};
  std::size_t series_ = 0;
  std::optional<double> highest_{};
  std::map<double, double> buckets_{};
};

}  // namespace

ParsedFigure parse_figure(std::string_view text) {
  if (text.size() > kLongestFigure) return {.problem = "the text is longer than 128 bytes"};
  text = trimmed(text);
  if (text.empty()) return {.problem = "the text is empty"};
  const auto value = number(text);
  if (!value) return {.problem = "the text is not one decimal number"};
  return {.value = value};
}

ParsedFigure plausible(double value, double target) {
  if (!std::isfinite(value)) return {.problem = "the figure is not a finite number"};
  if (value < 0) return {.problem = "the figure is negative"};
  if (value > target * kMostTargets)
    return {.problem = "the figure is more than a million times its target: in another unit?"};
  return {.value = value};
}

struct MetricReader::Impl {
  std::vector<PrometheusFigure> wanted;
  std::vector<Matches> all;  ///< refer to `wanted`
  std::string line{};        ///< as far as it has arrived
  bool ended = false;        ///< the rest does not count

  explicit Impl(std::vector<PrometheusFigure> what)
      : wanted(std::move(what)), all(wanted.begin(), wanted.end()) {}
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  ~Impl() = default;

  void add(std::string_view piece) {
    while (!ended && !piece.empty()) {
      const auto end = std::min(piece.find('\n'), piece.size());
      if (line.size() + end > kLongestLine) return refuse();
      line.append(piece.substr(0, end));
      if (end == piece.size()) return;
      piece.remove_prefix(end + 1);
      take();
    }
  }
  void refuse() {
    ended = true;
    for (auto& matches : all) matches.refuse("a line is longer than 8192 bytes");
  }
  void take() {
    const auto text = trimmed(line);
    ended = text == "# EOF";
    if (!text.empty() && text.front() != '#')
      for (auto& matches : all) matches.take(text);
    line.clear();
  }
};

MetricReader::MetricReader(std::vector<PrometheusFigure> wanted)
    : impl_(std::make_unique<Impl>(std::move(wanted))) {}
MetricReader::~MetricReader() = default;

void MetricReader::add(std::string_view piece) { impl_->add(piece); }

std::vector<ParsedMetric> MetricReader::end() {
  if (!impl_->ended) impl_->take();
  std::vector<ParsedMetric> results;
  results.reserve(impl_->all.size());
  for (auto& matches : impl_->all) results.push_back(matches.result());
  return results;
}

std::vector<ParsedMetric> parse_metrics(std::string_view body, std::span<const PrometheusFigure> wanted) {
  MetricReader reader({wanted.begin(), wanted.end()});
  reader.add(body);
  return reader.end();
}

ParsedMetric parse_metric(std::string_view body, const PrometheusFigure& wanted) {
  return std::move(parse_metrics(body, {&wanted, 1}).front());
}

}  // namespace evenkeel::figures
