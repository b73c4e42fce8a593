#include "agent/kube/client/paced_request.h"

#include <algorithm>
#include <utility>

namespace evenkeel::kube {

PacedRequest::PacedRequest(KubeClient& api, const runtime::Clock& clock, Random random, Pace pace)
    : api_(api),
      clock_(clock),
      backoff_({.first = pace.min_interval, .longest = pace.longest_wait}, std::move(random)) {}

PacedRequest::~PacedRequest() {
  if (in_flight_) api_.cancel(*in_flight_);
}

Result<void> PacedRequest::open(runtime::EventLoop& loop, std::function<void()> on_due) {
  auto timer = loop.timer(std::move(on_due));
  if (!timer) return tl::unexpected(timer.error());
  timer_.emplace(std::move(*timer));
  return {};
}

void PacedRequest::start_at(MonoTime due) {
  const MonoTime now = clock_.now();
  timer_->arm(std::max(due, pause_end_) - now);
}

void PacedRequest::send(http::HttpCall call, KubeClient::Done take) {
  in_flight_ = api_.start(std::move(call), [this, take = std::move(take)](http::HttpReply reply) {
    in_flight_.reset();
    take(std::move(reply));
  });
}

}  // namespace evenkeel::kube
