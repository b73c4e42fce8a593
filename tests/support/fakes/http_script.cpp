#include "tests/support/fakes/http_script.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace evenkeel::test {
namespace {

sockaddr_in loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  return address;
}

const char* reason(int status) {
  static const std::map<int, const char*> known = {{200, "OK"},
                                                   {201, "Created"},
                                                   {400, "Bad Request"},
                                                   {401, "Unauthorized"},
                                                   {403, "Forbidden"},
                                                   {404, "Not Found"},
                                                   {409, "Conflict"},
                                                   {410, "Gone"},
                                                   {429, "Too Many Requests"},
                                                   {500, "Internal"},
                                                   {503, "Service Unavailable"}};
  const auto found = known.find(status);
  return found == known.end() ? "Status" : found->second;
}

std::string small_letters(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

void read_head(Asked& asked) {
  const auto line_end = asked.head.find("\r\n");
  const auto first = asked.head.find(' ');
  const auto second = asked.head.find(' ', first + 1);
  asked.method = asked.head.substr(0, first);
  asked.target = asked.head.substr(first + 1, second - first - 1);
  for (auto at = line_end + 2; at < asked.head.size();) {
    const auto end = std::min(asked.head.find("\r\n", at), asked.head.size());
    const std::string line = asked.head.substr(at, end - at);
    if (const auto colon = line.find(": "); colon != std::string::npos)
      asked.headers[small_letters(line.substr(0, colon))] = line.substr(colon + 2);
    at = end + 2;
  }
}

bool read_more(Stream& stream, std::string& kept) {
  std::array<char, 16384> piece{};
  const long got = stream.read(piece.data(), piece.size());
  if (got <= 0) return false;
  kept.append(piece.data(), static_cast<std::size_t>(got));
  return true;
}

}  // namespace

std::string Asked::header(const std::string& name) const {
  const auto found = headers.find(name);
  return found == headers.end() ? std::string() : found->second;
}

bool read_request(Stream& stream, std::string& kept, Asked& asked) {
  while (kept.find("\r\n\r\n") == std::string::npos)
    if (!read_more(stream, kept)) return false;
  const auto end = kept.find("\r\n\r\n");
  asked.head = kept.substr(0, end);
  kept.erase(0, end + 4);
  read_head(asked);
  std::size_t length = 0;
  const std::string text = asked.header("content-length");
  std::from_chars(text.data(), text.data() + text.size(), length);
  while (kept.size() < length)
    if (!read_more(stream, kept)) return false;
  asked.body = kept.substr(0, length);
  kept.erase(0, length);
  return true;
}

Fd listen_on(int& port, int backlog) {
  Fd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const int yes = 1;
  ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  auto address = loopback(port);
  socklen_t size = sizeof address;
  ::bind(socket.get(), reinterpret_cast<sockaddr*>(&address), size);
  ::listen(socket.get(), backlog);
  ::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&address), &size);
  port = ntohs(address.sin_port);
  return socket;
}

Fd begin_to_connect(int port) {
  Fd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const auto address = loopback(port);
  ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
  return socket;
}

Fd connect_to(int port) {
  Fd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const auto address = loopback(port);
  if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) return Fd();
  return socket;
}

std::string http_answer(int status, const std::string& body, const std::string& headers,
                        const std::string& content_type) {
  return "HTTP/1.1 " + std::to_string(status) + " " + reason(status) + "\r\nContent-Type: " + content_type +
         "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" + headers + "\r\n" + body;
}

std::string chunked_head(int status) {
  return "HTTP/1.1 " + std::to_string(status) + " " + reason(status) +
         "\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n";
}

std::string chunk(std::string_view text) {
  std::array<char, 20> size{};
  const auto end = std::to_chars(size.data(), size.data() + size.size(), text.size(), 16).ptr;
  return std::string(size.data(), end) + "\r\n" + std::string(text) + "\r\n";
}

std::string chunked_answer(const std::string& body, std::size_t size, bool complete) {
  std::string out = chunked_head();
  for (std::size_t at = 0; at < body.size(); at += size)
    out += chunk(std::string_view(body).substr(at, size));
  return complete ? out + "0\r\n\r\n" : out;
}

bool Exchange::wait(std::chrono::milliseconds time) {
  std::unique_lock lock(server_.mutex_);
  return !server_.going_.wait_for(lock, time, [this] { return server_.stopping_; });
}

void Exchange::hang() {
  char byte = 0;
  while (stream_.read(&byte, 1) > 0) {
  }
  over_ = true;
}

void Exchange::reset() {
  const linger at_once{1, 0};
  ::setsockopt(stream_.fd(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  over_ = true;
}

ScriptedServer::ScriptedServer(Options options) : options_(std::move(options)) {
  script_ = [](const Asked&, Exchange& exchange) { exchange.send(http_answer(200, "{}")); };
  if (options_.tls) certificate_ = authority_.issue(options_.names);
  port_ = options_.port;
  listener_ = listen_on(port_);
  acceptor_ = std::thread([this] { accept_all(); });
}

ScriptedServer::~ScriptedServer() { stop(); }

void ScriptedServer::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    ::shutdown(listener_.get(), SHUT_RDWR);
    for (const auto& [number, fd] : open_) ::shutdown(fd.get(), SHUT_RDWR);
  }
  going_.notify_all();
  if (acceptor_.joinable()) acceptor_.join();
  for (auto& thread : threads_) thread.join();
  threads_.clear();
  listener_ = Fd();
}

void ScriptedServer::answers(Script script) {
  const std::lock_guard lock(mutex_);
  script_ = std::move(script);
}

std::string ScriptedServer::url(const std::string& path) const {
  return (options_.tls ? "https" : "http") + std::string("://127.0.0.1:") + std::to_string(port_) + path;
}

std::vector<Asked> ScriptedServer::asked() const {
  const std::lock_guard lock(mutex_);
  return asked_;
}

int ScriptedServer::connections() const {
  const std::lock_guard lock(mutex_);
  return connections_;
}

void ScriptedServer::accept_all() {
  for (;;) {
    Fd socket(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    const std::lock_guard lock(mutex_);
    if (stopping_ || !socket) return;
    const int yes = 1;
    ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    const int number = ++connections_;
    open_.emplace(number, Fd(::fcntl(socket.get(), F_DUPFD_CLOEXEC, 0)));
    threads_.emplace_back(
        [this, number, held = std::make_shared<Fd>(std::move(socket))] { serve(std::move(*held), number); });
  }
}

void ScriptedServer::serve(Fd socket, int number) {
  auto stream = options_.tls ? serve_tls(std::move(socket), certificate_,
                                         options_.ask_for_certificate ? authority_.certificate() : "")
                             : plain_stream(std::move(socket));
  if (stream) converse(*stream, number);
  stream.reset();
  const std::lock_guard lock(mutex_);
  open_.erase(number);
}

void ScriptedServer::converse(Stream& stream, int number) {
  std::string kept;
  Exchange exchange(*this, stream);
  while (!exchange.over()) {
    Asked asked{.connection = number, .client = stream.peer()};
    if (!read_request(stream, kept, asked)) return;
    Script script;
    {
      const std::lock_guard lock(mutex_);
      asked_.push_back(asked);
      script = script_;
    }
    exchange.on_send({});
    script(asked, exchange);
  }
}

}  // namespace evenkeel::test
