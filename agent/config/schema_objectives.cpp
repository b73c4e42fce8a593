#include "agent/config/schema.h"

namespace evenkeel::config {
namespace {

using namespace schema;

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kHour = 3600 * kSecond;

using P = PrometheusFigure;
constexpr Row kPrometheusRows[] = {
    with_example(field<&P::url>("url", Kind::text, "",
                                "http address of the metrics; {podIP} in it is the address of each pod"),
                 "\"http://{podIP}:9113/metrics\""),
    with_example(field<&P::metric>("metric", Kind::text, "", "name of the metric, without _bucket"),
                 "http_request_duration_seconds"),
    with_example(
        field<&P::labels>("labels", Kind::texts, "",
                          "labels that a series must have; several that match are added (buckets), or "
                          "the highest counts"),
        "{handler: checkout}"),
    with_example(number<&P::quantile_percent>("quantilePercent", Range{0, 100}, "percent of the observations",
                                              "the metric is a histogram, and this its quantile; not set: it "
                                              "is a plain figure",
                                              Kind::ratio),
                 "99"),
    span_of_time<&P::interval>("interval", Range{kSecond, 60 * kSecond}, "time between two scrapes"),
};

using O = Objective;
constexpr Row kObjectiveRows[] = {
    with_example(field<&O::name>("name", Kind::text, "", "a name of its own, for the log and the metrics"),
                 "checkout"),
    with_example(field<&O::namespace_>("namespace", Kind::text, "", "the pods' namespace"), "shop"),
    with_example(field<&O::match_labels>("matchLabels", Kind::texts, "", "labels that the pods have"),
                 "{app: checkout}"),
    with_example(field<&O::host_application>("hostApplication", Kind::text, "",
                                             "instead of pods: the name of one of hostApplications"),
                 "\"\""),
    section<&O::prometheus>("prometheus", &rows_of<kPrometheusRows>,
                            "source of the figure: a metric in Prometheus' text format"),
    with_example(field<&O::file>("file", Kind::text, "",
                                 "source of the figure: a text file that the service writes again and again"),
                 "\"\""),
    with_example(field<&O::socket>("socket", Kind::text, "",
                                   "source of the figure: a datagram socket that the agent creates here"),
                 "\"\""),
    with_example(number<&O::target>("target", kAnyCount, "the figure's own unit",
                                    "the figure should stay below this", Kind::ratio),
                 "0.05"),
    number<&O::margin_percent>(
        "marginPercent", Range{1, 99}, "percent of the target",
        "with more than this to spare best effort's CPU grows, with less it stays as it is"),
    number<&O::pause_percent>("pausePercent", Range{101, 10'000}, "percent of the target",
                              "from this figure on best effort is held at its minimum"),
    span_of_time<&O::pause>("pauseDuration", Range{kSecond, kHour},
                            "time for which best effort is held at its minimum"),
    span_of_time<&O::stale_after>("staleAfter", Range{2 * kSecond, kHour},
                                  "age at which a figure counts as unknown"),
    with_example(
        span_of_time<&O::figure_covers>(
            "figureCovers", Range{kSecond, kHour},
            "a plain figure speaks of at most so much time before it is read; not set: not known, so "
            "that it is no evidence for proof"),
        "5s"),
};

}  // namespace

std::span<const Row> objective_rows() { return kObjectiveRows; }

}  // namespace evenkeel::config
