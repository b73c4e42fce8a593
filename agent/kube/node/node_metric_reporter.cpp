#include "agent/kube/node/node_metric_reporter.h"

#include <optional>
#include <utility>

#include "agent/kube/client/answer.h"
#include "agent/kube/client/backoff.h"
#include "agent/kube/client/kube_client.h"
#include "agent/kube/node/patcher.h"

namespace evenkeel::kube {
namespace {

/// Spreads the first reports of nodes that were started together over a whole interval.
constexpr double kFirstJitter = 0.5;
constexpr int kNotFound = 404;

std::string why_not(const http::HttpReply& reply) {
  if (reply.ok()) return "the answer is not a NodeMetric";
  if (reply.failure != http::HttpFailure::none || reply.status != kNotFound) return trouble(reply);
  return parse_status(reply.body)
             ? "404 this node has no NodeMetric; Koordinator's manager creates it"
             : "404 the cluster has no NodeMetric resource (slo.koordinator.sh/v1alpha1)";
}

}  // namespace

struct NodeMetricReporter::Impl {
  const runtime::Clock& clock;
  Random random;
  Options options;
  Environment environment;
  record::ReportState state{};
  std::optional<Patcher> patcher{};
  std::optional<runtime::Timer> timer{};
  Duration armed_for{};
  bool reporting = false;  ///< the request in flight is a report

  Impl(const runtime::Clock& time, Random numbers, Options how, Environment to)
      : clock(time), random(std::move(numbers)), options(std::move(how)), environment(std::move(to)) {}
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  ~Impl() = default;

  void arm(double jitter) {
    armed_for = environment.interval();
    timer->arm(jittered(armed_for, jitter, random));
  }
  void report() {
    patcher->publish([this] { return body(); }, true);
    arm(options.jitter);
  }
  std::string body() {
    auto status = environment.status();
    reporting = !status.empty();
    if (!reporting) failed("the node's usage is not known yet");
    return status;
  }
  bool take(const http::HttpReply& reply) {
    const bool report = std::exchange(reporting, false);
    if (!reply.ok() || !environment.stands(reply.body)) {
      failed(why_not(reply));
      return false;
    }
    if (report) {
      ++state.accepted;
      state.last_accepted = clock.now();
    }
    state.last_error.clear();
    environment.on_change(state);
    if (environment.interval() != armed_for) arm(state.accepted == 0 ? kFirstJitter : options.jitter);
    return true;
  }
  void failed(std::string why) {
    ++state.failures;
    state.last_error = std::move(why);
    environment.on_change(state);
  }
};

Result<NodeMetricReporter> NodeMetricReporter::open(runtime::EventLoop& loop, KubeClient& api,
                                                    const runtime::Clock& clock, Random random,
                                                    Options options, Environment environment) {
  auto impl = std::make_unique<Impl>(clock, random, std::move(options), std::move(environment));
  auto* const self = impl.get();
  auto patcher = Patcher::open(
      loop, api, clock, std::move(random),
      {.path = "/apis/slo.koordinator.sh/v1alpha1/nodemetrics/" + impl->options.node + "/status",
       .min_interval = impl->options.min_interval,
       .longest_wait = impl->options.longest_wait},
      [self](const http::HttpReply& reply) { return self->take(reply); });
  if (!patcher) return tl::unexpected(patcher.error());
  auto timer = loop.timer([self] { self->report(); });
  if (!timer) return tl::unexpected(timer.error());
  impl->patcher.emplace(std::move(*patcher));
  impl->timer.emplace(std::move(*timer));
  impl->patcher->resync();
  impl->arm(kFirstJitter);
  return NodeMetricReporter(std::move(impl));
}

NodeMetricReporter::NodeMetricReporter(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
NodeMetricReporter::NodeMetricReporter(NodeMetricReporter&&) noexcept = default;
NodeMetricReporter& NodeMetricReporter::operator=(NodeMetricReporter&&) noexcept = default;
NodeMetricReporter::~NodeMetricReporter() = default;

const record::ReportState& NodeMetricReporter::state() const { return impl_->state; }

}  // namespace evenkeel::kube
