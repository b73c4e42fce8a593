#include "agent/http/http_client.h"

#include <map>
#include <utility>

#include "agent/http/transfers.h"

namespace evenkeel::http {

struct HttpClient::Impl {
  struct Asked {
    HttpCall call{};
    Done done{};
    bool cancelled = false;
  };
  std::map<Id, Asked> asked{};
  std::vector<Id> later{};  ///< started or cancelled during a library callback
  Id last_id = 0;
  std::unique_ptr<Transfers> transfers{};

  void begun(Id id) {
    const auto& one = asked.at(id);
    if (!one.cancelled && one.call.begun) one.call.begun();
  }
  void line(Id id, std::string_view text) {
    const auto& one = asked.at(id);
    if (!one.cancelled) one.call.line(text);
  }
  void ended(Id id, HttpReply reply) {
    const auto one = asked.extract(id);
    one.mapped().done(std::move(reply));
  }
  void settle(Id id) {
    const auto found = asked.find(id);
    if (found == asked.end()) return;
    if (!found->second.cancelled) return transfers->begin(id, found->second.call);
    transfers->cancel(id);
    asked.erase(found);
  }
  void settle_soon(Id id) {
    if (transfers->in_callback()) {
      later.push_back(id);
    } else {
      settle(id);
    }
  }
  void settle_later() {
    for (const Id id : std::exchange(later, {})) settle(id);
  }
};

Result<HttpClient> HttpClient::open(runtime::EventLoop& loop) {
  auto impl = std::make_unique<Impl>();
  auto* self = impl.get();
  auto transfers =
      Transfers::open(loop, {.begun = [self](Id id) { self->begun(id); },
                             .line = [self](Id id, std::string_view text) { self->line(id, text); },
                             .returned = [self] { self->settle_later(); },
                             .ended = [self](Id id, HttpReply reply) { self->ended(id, std::move(reply)); }});
  if (!transfers) return tl::unexpected(transfers.error());
  impl->transfers = std::move(*transfers);
  return HttpClient(std::move(impl));
}

HttpClient::HttpClient(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
HttpClient::HttpClient(HttpClient&&) noexcept = default;
HttpClient& HttpClient::operator=(HttpClient&&) noexcept = default;
HttpClient::~HttpClient() = default;

HttpClient::Id HttpClient::start(HttpCall call, Done done) {
  const Id id = ++impl_->last_id;
  impl_->asked.emplace(id, Impl::Asked{std::move(call), std::move(done)});
  impl_->settle_soon(id);
  return id;
}

void HttpClient::cancel(Id id) {
  const auto found = impl_->asked.find(id);
  if (found == impl_->asked.end() || std::exchange(found->second.cancelled, true)) return;
  impl_->settle_soon(id);
}

std::size_t HttpClient::in_flight() const { return impl_->asked.size(); }

}  // namespace evenkeel::http
