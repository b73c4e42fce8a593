#include "agent/kube/node/versioned_patcher.h"

#include <optional>
#include <utility>

#include "agent/kube/client/answer.h"
#include "agent/kube/client/trouble_report.h"

namespace evenkeel::kube {
namespace {

constexpr int kConflict = 409;

}  // namespace

struct VersionedPatcher::Impl {
  runtime::EventLoop& loop;
  Part part;
  TroubleReport trouble_report;
  std::optional<Patcher> patcher{};
  bool read = false;      ///< what was read may be patched
  bool patching = false;  ///< the request in flight is a patch, not a read
  bool leaving = false;

  Impl(runtime::EventLoop& events, Part which)
      : loop(events), part(std::move(which)), trouble_report(std::move(part.failed)) {}

  [[nodiscard]] bool settled() const { return read && part.as_wanted(); }
  std::string body() {
    if (!read) return "{}";
    if (settled()) return {};
    patching = true;
    return part.patch();
  }
  void send(bool urgent) {
    patcher->publish([this] { return body(); }, urgent);
  }
  void look(bool urgent) {
    read = false;
    send(urgent);
  }
  bool take(const http::HttpReply& reply) {
    const bool patched = std::exchange(patching, false);
    auto why = trouble(reply);
    if (why.empty()) why = part.read(reply.body, patched);
    read = why.empty();
    if (reply.status != kConflict) trouble_report.update(why);  // then it is read again
    if (!read) return false;
    if (!settled())
      send(true);
    else if (leaving)
      loop.stop();
    return true;
  }
  void finish(Duration patience) {
    publish_at_the_end(loop, patience, [this] {
      leaving = true;
      look(true);
    });
  }
};

Result<VersionedPatcher> VersionedPatcher::open(runtime::EventLoop& loop, KubeClient& api,
                                                const runtime::Clock& clock, Random random,
                                                Patcher::Options options, Part part) {
  auto impl = std::make_unique<Impl>(loop, std::move(part));
  auto patcher =
      Patcher::open(loop, api, clock, std::move(random), std::move(options),
                    [self = impl.get()](const http::HttpReply& reply) { return self->take(reply); });
  if (!patcher) return tl::unexpected(patcher.error());
  impl->patcher.emplace(std::move(*patcher));
  return VersionedPatcher(std::move(impl));
}

VersionedPatcher::VersionedPatcher(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
VersionedPatcher::VersionedPatcher(VersionedPatcher&&) noexcept = default;
VersionedPatcher& VersionedPatcher::operator=(VersionedPatcher&&) noexcept = default;
VersionedPatcher::~VersionedPatcher() = default;

void VersionedPatcher::look(bool urgent) { impl_->look(urgent); }
bool VersionedPatcher::settled() const { return impl_->settled(); }
void VersionedPatcher::finish(Duration patience) { impl_->finish(patience); }

}  // namespace evenkeel::kube
