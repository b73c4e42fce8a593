#include "agent/kube/settings_poller.h"

#include <utility>

#include "agent/kube/client/answer.h"
#include "agent/kube/client/trouble_report.h"
#include "agent/kube/watch/poller.h"

namespace evenkeel::kube {
namespace {

/// The kubelet reads its configuration at its start only.
constexpr Duration kInterval = std::chrono::minutes(5);

}  // namespace

struct SettingsPoller::Impl {
  TroubleReport trouble_report;
  std::optional<pods::KubeletSettings> settings{};
  bool answered = false;
  std::optional<Poller> poller{};

  explicit Impl(std::function<void(const std::string&)> failed) : trouble_report(std::move(failed)) {}

  bool take(const http::HttpReply& reply) {
    answered = true;
    auto why = trouble(reply);
    auto read = why.empty() ? pods::kubelet_settings(reply.body) : std::nullopt;
    if (why.empty() && !read) why = "the answer is not the kubelet's configuration";
    if (read) settings = std::move(read);
    trouble_report.update(why);
    return why.empty();
  }
};

Result<SettingsPoller> SettingsPoller::open(runtime::EventLoop& loop, KubeClient& kubelet,
                                            const runtime::Clock& clock, Random random,
                                            std::function<void(const std::string&)> failed) {
  auto impl = std::make_unique<Impl>(std::move(failed));
  auto poller = Poller::open(loop, kubelet, clock, std::move(random),
                             {.call = {.url = "/configz"}, .interval = kInterval, .longest_wait = kInterval},
                             [self = impl.get()](const http::HttpReply& reply) { return self->take(reply); });
  if (!poller) return tl::unexpected(poller.error());
  impl->poller.emplace(std::move(*poller));
  return SettingsPoller(std::move(impl));
}

SettingsPoller::SettingsPoller(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
SettingsPoller::SettingsPoller(SettingsPoller&&) noexcept = default;
SettingsPoller& SettingsPoller::operator=(SettingsPoller&&) noexcept = default;
SettingsPoller::~SettingsPoller() = default;

const pods::KubeletSettings* SettingsPoller::settings() const {
  return impl_->settings ? &*impl_->settings : nullptr;
}

bool SettingsPoller::answered() const { return impl_->answered; }

}  // namespace evenkeel::kube
