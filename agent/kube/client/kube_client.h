// Sends requests with credentials to one Kubernetes server, the API server or the kubelet. After a rejected
// token it reads the token again and retries once if it is a new one. Does not block or retry otherwise.
#pragma once

#include <cstdint>
#include <string>

#include "agent/http/http_client.h"
#include "agent/kube/client/access.h"
#include "agent/record/health.h"
#include "agent/runtime/event_loop.h"

namespace evenkeel::kube {

class KubeClient {
 public:
  using Id = std::uint64_t;
  using Done = http::HttpClient::Done;

  /// `loop` and `http` must outlive the client. `name` is for display and metrics.
  static Result<KubeClient> open(runtime::EventLoop& loop, http::HttpClient& http, const KubeAccess& access,
                                 std::string name);
  KubeClient(KubeClient&&) noexcept;
  KubeClient& operator=(KubeClient&&) noexcept;
  /// Cancels the requests in flight.
  ~KubeClient();

  /// Like HttpClient::start(); `call.url` is the path ("/pods"), credentials are added.
  Id start(http::HttpCall call, Done done);
  void cancel(Id id);

  [[nodiscard]] const record::KubeTraffic& traffic() const;
  /// "https://10.0.0.1:443"
  [[nodiscard]] const std::string& server() const;

 private:
  struct Impl;
  explicit KubeClient(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace evenkeel::kube
