#include <cmath>

#include "agent/figures/histogram_window.h"
#include "tests/fuzz/fuzz.h"

using namespace evenkeel;
using fuzz::promise;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  const auto single = figures::parse_figure(text);
  promise(single.value.has_value() == single.problem.empty());
  if (single.value) {
    const auto sane = figures::plausible(*single.value, 1);
    promise(!sane.value || (std::isfinite(*sane.value) && *sane.value >= 0));
  }
  const PrometheusFigure plain{.metric = "m", .labels = {{"a", "b"}}};
  const auto value = figures::parse_metric(text, plain);
  promise(value.value.has_value() == value.problem.empty());

  Objective objective;
  objective.target = 1;
  objective.prometheus = {.metric = "m", .quantile_percent = 99};
  const auto half = text.find('\0');
  auto first = figures::parse_metric(text.substr(0, half), objective.prometheus);
  auto second = half == std::string_view::npos
                    ? first
                    : figures::parse_metric(text.substr(half + 1), objective.prometheus);
  if (!first.problem.empty() || !second.problem.empty()) return 0;
  promise(std::isinf(first.buckets.back().bound));
  figures::HistogramWindow window;
  window.add(std::move(first.buckets), MonoTime{}, objective);
  const auto figure = window.add(std::move(second.buckets), MonoTime(std::chrono::seconds(9)), objective);
  promise(!figure.value || !std::isnan(*figure.value));
  return 0;
}
