// One Kubernetes server, the API server or the kubelet, asked with the right credentials. A refused token is
// read again, and the question repeated once if there is a new one. May not: wait, or repeat anything else.
#pragma once

#include <cstdint>
#include <string>

#include "agent/http/http_client.h"
#include "agent/kube/client/credentials.h"
#include "agent/record/traffic.h"
#include "agent/runtime/event_loop.h"

namespace evenkeel::kube {

class KubeClient {
 public:
  using Id = std::uint64_t;
  using Done = http::HttpClient::Done;

  /// `loop` and `http` must outlive the client. `name` is for people and metrics.
  static Result<KubeClient> open(runtime::EventLoop& loop, http::HttpClient& http, const KubeAccess& access,
                                 std::string name);
  KubeClient(KubeClient&&) noexcept;
  KubeClient& operator=(KubeClient&&) noexcept;
  /// What is under way is cancelled.
  ~KubeClient();

  /// As HttpClient::start(); `call.url` is the path ("/pods"), credentials are added.
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
