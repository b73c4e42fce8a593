// Asks the kubelet for its configuration (/configz) now and then. Needs the right to get nodes/configz;
// before Kubernetes 1.33, nodes/proxy. Does not decide what follows from it.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "agent/kube/client/backoff.h"
#include "agent/kube/client/kube_client.h"
#include "agent/pods/kubelet_settings.h"
#include "agent/runtime/clock.h"
#include "agent/runtime/event_loop.h"

namespace evenkeel::kube {

class SettingsPoller {
 public:
  /// All of these must outlive it. `failed` receives the reason why it failed, once per change.
  static Result<SettingsPoller> open(runtime::EventLoop& loop, KubeClient& kubelet,
                                     const runtime::Clock& clock, Random random,
                                     std::function<void(const std::string&)> failed);
  SettingsPoller(SettingsPoller&&) noexcept;
  SettingsPoller& operator=(SettingsPoller&&) noexcept;
  ~SettingsPoller();

  /// As the kubelet last said, also while it does not answer; null: it has not yet.
  [[nodiscard]] const pods::KubeletSettings* settings() const;
  /// Whether the first request has ended, with these settings or without.
  [[nodiscard]] bool answered() const;

 private:
  struct Impl;
  explicit SettingsPoller(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace evenkeel::kube
