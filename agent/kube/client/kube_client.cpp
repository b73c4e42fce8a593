#include "agent/kube/client/kube_client.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace evenkeel::kube {

struct KubeClient::Impl {
  struct InFlight {
    http::HttpCall call{};  ///< without credentials
    Done done{};
    http::HttpId http_id = 0;  ///< 0: nothing was sent
    std::string token{};
    http::HttpReply refused{};  ///< set: why nothing was sent
    bool again = false;
  };
  http::HttpClient& http;
  std::string server;
  Credentials credentials;
  record::KubeTraffic traffic{};
  std::map<Id, InFlight> in_flight{};
  Id last_id = 0;
  std::vector<Id> unsent{};
  std::optional<runtime::Timer> soon{};

  Impl(http::HttpClient& client, const KubeAccess& access)
      : http(client), server(access.server), credentials(access) {}
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  ~Impl() {
    for (const auto& [id, one] : in_flight) http.cancel(one.http_id);
  }

  void send(Id id) {
    InFlight& one = in_flight.at(id);
    if (auto unusable = credentials.refresh(); !unusable.empty()) {
      one.refused = {.failure = http::HttpFailure::other, .error = std::move(unusable)};
      unsent.push_back(id);
      soon->arm(Duration::zero());
      return;
    }
    http::HttpCall call = one.call;
    call.tls = credentials.tls();
    one.token = credentials.token();
    if (!one.token.empty()) call.headers.push_back("Authorization: Bearer " + one.token);
    one.http_id =
        http.start(std::move(call), [this, id](http::HttpReply reply) { answered(id, std::move(reply)); });
  }
  void answered(Id id, http::HttpReply reply) {
    traffic.bytes_in += reply.bytes_in;
    traffic.bytes_out += reply.bytes_out;
    ++traffic.requests[reply.failure == http::HttpFailure::none ? reply.status : 0];
    InFlight& one = in_flight.at(id);
    if (!one.call.line) {
      traffic.waited += reply.took;
      traffic.longest_wait = std::max(traffic.longest_wait, reply.took);
    }
    constexpr int kUnauthorized = 401;
    if (reply.status == kUnauthorized && !std::exchange(one.again, true) && !one.token.empty()) {
      credentials.renew_token();
      if (credentials.token() != one.token) return send(id);
    }
    const auto node = in_flight.extract(id);
    node.mapped().done(std::move(reply));
  }
  void tell_unsent() {
    for (const Id id : std::exchange(unsent, {})) {
      const auto node = in_flight.extract(id);
      if (!node.empty()) node.mapped().done(std::move(node.mapped().refused));
    }
  }
};

Result<KubeClient> KubeClient::open(runtime::EventLoop& loop, http::HttpClient& http,
                                    const KubeAccess& access, std::string name) {
  auto impl = std::make_unique<Impl>(http, access);
  auto timer = loop.timer([self = impl.get()] { self->tell_unsent(); });
  if (!timer) return tl::unexpected(timer.error());
  impl->soon.emplace(std::move(*timer));
  impl->traffic.server = std::move(name);
  return KubeClient(std::move(impl));
}

KubeClient::KubeClient(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
KubeClient::KubeClient(KubeClient&&) noexcept = default;
KubeClient& KubeClient::operator=(KubeClient&&) noexcept = default;
KubeClient::~KubeClient() = default;

KubeClient::Id KubeClient::start(http::HttpCall call, Done done) {
  const Id id = ++impl_->last_id;
  call.url = impl_->server + call.url;
  impl_->in_flight.emplace(id, Impl::InFlight{.call = std::move(call), .done = std::move(done)});
  impl_->send(id);
  return id;
}

void KubeClient::cancel(Id id) {
  const auto node = impl_->in_flight.extract(id);
  if (!node.empty()) impl_->http.cancel(node.mapped().http_id);
}

const record::KubeTraffic& KubeClient::traffic() const { return impl_->traffic; }
const std::string& KubeClient::server() const { return impl_->server; }

}  // namespace evenkeel::kube
