#include "agent/http/transfers.h"

#include <curl/curl.h>  // the only file that includes it

#include <algorithm>
#include <array>
#include <cstring>
#include <map>

namespace evenkeel::http {
namespace {

constexpr long kKeptConnections = 8;
constexpr long kKeepAliveSeconds = 20;

long milliseconds(Duration duration) {
  return static_cast<long>(std::chrono::duration_cast<std::chrono::milliseconds>(duration).count());
}

/// One request in flight in libcurl.
struct Transfer {
  HttpId id = 0;
  const HttpCall& call;
  const Transfers::Callbacks& takers;
  Arrival arrival;
  CURL* easy = curl_easy_init();
  curl_slist* headers = nullptr;
  curl_slist* connect_to = nullptr;
  std::array<char, CURL_ERROR_SIZE> detail{};

  Transfer(HttpId given, const HttpCall& http_call, const Transfers::Callbacks& to)
      : id(given),
        call(http_call),
        takers(to),
        arrival(http_call, {.line = [this](std::string_view text) { takers.line(id, text); },
                            .piece = [this](std::string_view text) { return takers.piece(id, text); }}) {}
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;
  ~Transfer() {
    curl_easy_cleanup(easy);
    curl_slist_free_all(headers);
    curl_slist_free_all(connect_to);
  }
};

long number(CURL* easy, CURLINFO info) {
  long value = 0;
  curl_easy_getinfo(easy, info, &value);
  return value;
}

bool streams(const Transfer& transfer) {
  return transfer.arrival.streams(number(transfer.easy, CURLINFO_RESPONSE_CODE));
}

/// Called by libcurl with each piece of a body; another size than the given one aborts the transfer.
std::size_t take(char* data, std::size_t, std::size_t size, void* to) {
  auto& transfer = *static_cast<Transfer*>(to);
  return transfer.arrival.take({data, size}, streams(transfer)) ? size : 0;
}

/// Called by libcurl with each header line. One that begins with CR or LF ends the head, as for libcurl.
std::size_t take_head(char* data, std::size_t, std::size_t size, void* to) {
  const auto& transfer = *static_cast<Transfer*>(to);
  const bool last = size > 0 && (*data == '\r' || *data == '\n');
  if (last && streams(transfer)) transfer.takers.begun(transfer.id);
  return size;
}

void set_text(CURL* easy, CURLoption option, const std::string& text) {
  // libcurl copies the text and does not write to it, although the pointer is not const.
  curl_blob blob{const_cast<char*>(text.data()), text.size(), CURL_BLOB_COPY};
  if (!text.empty()) curl_easy_setopt(easy, option, &blob);
}

void set_tls(Transfer& transfer) {
  CURL* easy = transfer.easy;
  curl_easy_setopt(easy, CURLOPT_CAPATH, nullptr);  // do not use the host's CA list
  curl_easy_setopt(easy, CURLOPT_CAINFO, nullptr);
  if (!transfer.call.tls) return;
  const HttpTls& tls = *transfer.call.tls;
  set_text(easy, CURLOPT_CAINFO_BLOB, tls.authorities);
  set_text(easy, CURLOPT_SSLCERT_BLOB, tls.certificate);
  set_text(easy, CURLOPT_SSLKEY_BLOB, tls.key);
  curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, tls.unverified ? 0L : 1L);
  curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, tls.unverified ? 0L : 2L);
}

void set_request(Transfer& transfer) {
  CURL* easy = transfer.easy;
  const HttpCall& call = transfer.call;
  auto url = parse_url(call.url);
  if (url && call.tls && !call.tls->server_name.empty()) {
    // Use the name in the certificate; the connection still goes to the URL's address.
    transfer.connect_to = curl_slist_append(nullptr, ("::" + url->place()).c_str());
    url->host = call.tls->server_name;
  }
  curl_easy_setopt(easy, CURLOPT_URL, url ? url->text().c_str() : call.url.c_str());
  curl_easy_setopt(easy, CURLOPT_CONNECT_TO, transfer.connect_to);
  if (!call.socket.empty()) curl_easy_setopt(easy, CURLOPT_UNIX_SOCKET_PATH, call.socket.c_str());
  curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
  curl_easy_setopt(easy, CURLOPT_PROXY, "");  // ignore proxy environment variables
  if (!call.body.empty() || call.method != "GET") {
    curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(call.body.size()));
    curl_easy_setopt(easy, CURLOPT_POSTFIELDS, call.body.c_str());
    curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, call.method.c_str());
  }
  transfer.headers = curl_slist_append(nullptr, "Expect:");  // send long bodies at once
  for (const auto& header : call.headers)
    transfer.headers = curl_slist_append(transfer.headers, header.c_str());
  curl_easy_setopt(easy, CURLOPT_HTTPHEADER, transfer.headers);
}

void set_limits(Transfer& transfer) {
  CURL* easy = transfer.easy;
  const HttpCall& call = transfer.call;
  curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, std::max(1L, milliseconds(call.connect_timeout)));
  curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, milliseconds(call.total_timeout));
  curl_easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L);
  curl_easy_setopt(easy, CURLOPT_TCP_KEEPIDLE, kKeepAliveSeconds);
  curl_easy_setopt(easy, CURLOPT_TCP_KEEPINTVL, kKeepAliveSeconds);
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  // libcurl resolves names in a thread; without this, cancelling would wait for it.
  curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, &take);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, &transfer);
  curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, &take_head);
  curl_easy_setopt(easy, CURLOPT_HEADERDATA, &transfer);
  curl_easy_setopt(easy, CURLOPT_PRIVATE, &transfer);
  curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, transfer.detail.data());
}

constexpr std::pair<CURLcode, HttpFailure> kCodes[] = {
    {CURLE_OK, HttpFailure::none},
    {CURLE_COULDNT_RESOLVE_HOST, HttpFailure::unreachable},
    {CURLE_COULDNT_CONNECT, HttpFailure::unreachable},
    {CURLE_OPERATION_TIMEDOUT, HttpFailure::timed_out},
    {CURLE_PEER_FAILED_VERIFICATION, HttpFailure::untrusted},
    {CURLE_SSL_CONNECT_ERROR, HttpFailure::untrusted},
    {CURLE_SSL_CERTPROBLEM, HttpFailure::untrusted},
    {CURLE_SSL_CACERT_BADFILE, HttpFailure::untrusted},
    {CURLE_PARTIAL_FILE, HttpFailure::connection_lost},
    {CURLE_RECV_ERROR, HttpFailure::connection_lost},
    {CURLE_SEND_ERROR, HttpFailure::connection_lost},
    {CURLE_GOT_NOTHING, HttpFailure::connection_lost},
};

HttpFailure failure_of(CURLcode code) {
  const auto* row = std::ranges::find(kCodes, code, [](const auto& pair) { return pair.first; });
  return row != std::end(kCodes) ? row->second : HttpFailure::other;
}

std::string sentence(const Transfer& transfer, CURLcode code) {
  const HttpFailure failure = transfer.arrival.reply.failure;
  if (failure == HttpFailure::none) return {};
  if (auto own = transfer.arrival.sentence(); !own.empty()) return own;
  if (failure == HttpFailure::untrusted && transfer.detail[0] != '\0') return transfer.detail.data();
  if (const long why = number(transfer.easy, CURLINFO_OS_ERRNO); code == CURLE_COULDNT_CONNECT && why != 0)
    return std::strerror(static_cast<int>(why));
  return curl_easy_strerror(code);
}

void conclude(Transfer& transfer, CURLcode code) {
  CURL* easy = transfer.easy;
  HttpReply& reply = transfer.arrival.reply;
  if (reply.failure == HttpFailure::none) reply.failure = failure_of(code);
  reply.error = sentence(transfer, code);
  transfer.arrival.take_status(number(easy, CURLINFO_RESPONSE_CODE));
  const char* type = nullptr;
  if (curl_easy_getinfo(easy, CURLINFO_CONTENT_TYPE, &type) == CURLE_OK && type != nullptr)
    reply.content_type = type;
  curl_off_t wait = 0, down = 0, took = 0;
  curl_easy_getinfo(easy, CURLINFO_RETRY_AFTER, &wait);
  if (wait > 0) reply.retry_after = std::chrono::seconds(std::min<curl_off_t>(wait, 86400));
  curl_easy_getinfo(easy, CURLINFO_SIZE_DOWNLOAD_T, &down);
  curl_easy_getinfo(easy, CURLINFO_TOTAL_TIME_T, &took);
  reply.took = std::chrono::microseconds(took);
  reply.bytes_in = static_cast<std::uint64_t>(down + number(easy, CURLINFO_HEADER_SIZE));
  reply.bytes_out = static_cast<std::uint64_t>(number(easy, CURLINFO_REQUEST_SIZE));
}

/// Takes over a text of libcurl's; empty: there is none.
std::string taken(char* text) {
  std::string copy(text != nullptr ? text : "");
  curl_free(text);
  return copy;
}

std::string part(CURLU* url, CURLUPart which) {
  char* text = nullptr;
  curl_url_get(url, which, &text, CURLU_DEFAULT_PORT);
  return taken(text);
}

}  // namespace

std::optional<Place> place_of(const std::string& url) {
  const std::unique_ptr<CURLU, decltype(&curl_url_cleanup)> parts(curl_url(), &curl_url_cleanup);
  if (curl_url_set(parts.get(), CURLUPART_URL, url.c_str(), CURLU_DISALLOW_USER) != CURLUE_OK)
    return std::nullopt;
  return Place{part(parts.get(), CURLUPART_HOST), part(parts.get(), CURLUPART_PORT)};
}

std::string escaped(const std::string& text) {
  return taken(curl_easy_escape(nullptr, text.c_str(), static_cast<int>(text.size())));
}

struct Transfers::Impl {
  Callbacks takers;
  CURLM* multi = nullptr;
  SocketWatch sockets;
  std::optional<runtime::Timer> timer{};
  std::map<HttpId, std::unique_ptr<Transfer>> transfers{};
  bool inside = false;

  Impl(runtime::EventLoop& loop, Callbacks to)
      : takers(std::move(to)), sockets(loop, [this](int fd, SocketReady ready) {
          act(fd, (ready.to_read ? CURL_CSELECT_IN : 0) | (ready.to_write ? CURL_CSELECT_OUT : 0) |
                      (ready.broken ? CURL_CSELECT_ERR : 0));
        }) {}
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  ~Impl() {
    while (!transfers.empty()) take_out(transfers.begin()->first);
    curl_multi_cleanup(multi);
    curl_global_cleanup();
  }

  void act(int fd, int what) {
    int running = 0;
    inside = true;
    curl_multi_socket_action(multi, fd, what, &running);
    inside = false;
    takers.returned();
    int left = 0;
    while (const CURLMsg* message = curl_multi_info_read(multi, &left)) {
      Transfer* ended = nullptr;
      curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &ended);
      conclude(*ended, message->data.result);
      const auto transfer = take_out(ended->id);
      takers.ended(transfer->id, std::move(transfer->arrival.reply));
    }
  }
  std::unique_ptr<Transfer> take_out(HttpId id) {
    auto node = transfers.extract(id);
    if (!node.empty()) curl_multi_remove_handle(multi, node.mapped()->easy);
    return node.empty() ? nullptr : std::move(node.mapped());
  }
  static int on_socket(CURL*, curl_socket_t fd, int what, void* self, void*) {
    auto& sockets = static_cast<Impl*>(self)->sockets;
    if (what == CURL_POLL_REMOVE) {
      sockets.forget(fd);
    } else {
      sockets.watch(fd, (what & CURL_POLL_IN) != 0, (what & CURL_POLL_OUT) != 0);
    }
    return 0;
  }
  static int on_timer(CURLM*, long in_milliseconds, void* self) {
    const auto& timer = *static_cast<Impl*>(self)->timer;
    in_milliseconds < 0 ? timer.disarm() : timer.arm(std::chrono::milliseconds(in_milliseconds));
    return 0;
  }
};

Transfers::Transfers(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Transfers::~Transfers() = default;

Result<std::unique_ptr<Transfers>> Transfers::open(runtime::EventLoop& loop, Callbacks takers) {
  curl_global_init(CURL_GLOBAL_DEFAULT);
  auto impl = std::make_unique<Impl>(loop, std::move(takers));
  auto timer = loop.timer([self = impl.get()] { self->act(CURL_SOCKET_TIMEOUT, 0); });
  if (!timer) return tl::unexpected(timer.error());
  impl->timer.emplace(std::move(*timer));
  impl->multi = curl_multi_init();
  if (impl->multi == nullptr) return fail(ENOMEM, Op::open, "HTTP client");
  curl_multi_setopt(impl->multi, CURLMOPT_SOCKETFUNCTION, &Impl::on_socket);
  curl_multi_setopt(impl->multi, CURLMOPT_SOCKETDATA, impl.get());
  curl_multi_setopt(impl->multi, CURLMOPT_TIMERFUNCTION, &Impl::on_timer);
  curl_multi_setopt(impl->multi, CURLMOPT_TIMERDATA, impl.get());
  curl_multi_setopt(impl->multi, CURLMOPT_MAXCONNECTS, kKeptConnections);
  return std::unique_ptr<Transfers>(new Transfers(std::move(impl)));
}

void Transfers::begin(HttpId id, const HttpCall& call) {
  auto transfer = std::make_unique<Transfer>(id, call, impl_->takers);
  set_request(*transfer);
  set_tls(*transfer);
  set_limits(*transfer);
  curl_multi_add_handle(impl_->multi, transfer->easy);
  impl_->transfers.emplace(id, std::move(transfer));
}

void Transfers::cancel(HttpId id) { impl_->take_out(id); }
bool Transfers::in_callback() const { return impl_->inside; }

}  // namespace evenkeel::http
