#include "agent/config/schema.h"

namespace evenkeel::config {
namespace {

using namespace schema;

/// Koordinator's manager refuses others: no CPU counts for less than a standard one.
constexpr Range kRatio{1, 5};
constexpr std::string_view kUnit = "standard CPUs";

using R = CpuModelRatios;
constexpr Row kModelRows[] = {
    with_example(number<&R::base>("baseRatio", kRatio, kUnit, "with neither threads nor turbo", Kind::ratio),
                 "1.3"),
    with_example(number<&R::hyper_thread>("hyperThreadEnabledRatio", kRatio, kUnit,
                                          "where cores have several threads", Kind::ratio),
                 "1"),
    with_example(number<&R::turbo>("turboEnabledRatio", kRatio, kUnit,
                                   "where CPUs may exceed their frequency (intel_pstate)", Kind::ratio),
                 "1.5"),
    with_example(number<&R::hyper_thread_turbo>("hyperThreadTurboEnabledRatio", kRatio, kUnit,
                                                "with threads and turbo", Kind::ratio),
                 "1.15"),
};

using M = CpuNormalizationModels;
constexpr Row kTableRows[] = {
    with_example(maps<&M::models, &R::model>("ratioModel", &rows_of<kModelRows>,
                                             "for how much a CPU counts, by its model as in /proc/cpuinfo"),
                 "Intel(R) Xeon(R) Platinum 8369B CPU @ 2.70GHz"),
    number<&M::default_ratio>(
        "defaultRatio", kRatio, kUnit,
        "ratio of models that ratioModel does not name; not set: their CPUs count as standard ones",
        Kind::ratio),
};

enum Mode : std::int64_t { kOff, kAnnotation, kAuto };  // in the order of the words

}  // namespace

std::span<const Row> normalization_rows() { return kTableRows; }

void put_normalization(void* owner, const Content& content) {
  auto& settings = *static_cast<EvenkeelSettings*>(owner);
  const auto mode = std::get<std::int64_t>(content);
  settings.cpu_normalization = mode != kOff;
  settings.cpu_normalization_models.enable = mode == kAuto;
}

Content normalization_of(const void* owner) {
  const auto& settings = *static_cast<const EvenkeelSettings*>(owner);
  if (settings.cpu_normalization_models.enable) return std::int64_t{kAuto};
  return std::int64_t{settings.cpu_normalization ? kAnnotation : kOff};
}

}  // namespace evenkeel::config
