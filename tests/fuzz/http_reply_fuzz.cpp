#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "agent/http/http_client.h"
#include "agent/http/listening_socket.h"
#include "tests/fuzz/fuzz.h"

using namespace evenkeel;
using fuzz::promise;

namespace {

constexpr std::size_t kLongest = 2000;

/// A server at a unix socket that answers anything with the given bytes, in the client's own loop.
class Scripted {
 public:
  Scripted()
      : path_("/tmp/evenkeel-fuzz-reply-" + std::to_string(::getpid())),
        opened_(http::ListeningSocket::open({.socket = path_})) {
    promise(loop_.has_value() && opened_.socket.has_value());
    promise(loop_->add(opened_.socket->fd(), EPOLLIN, [this](std::uint32_t) { accept(); }).has_value());
  }

  http::HttpReply ask(std::string_view answer, http::HttpCall call) {
    answer_ = answer;
    call.url = "http://localhost/x";
    call.socket = path_;
    call.longest_body = kLongest;
    auto client = http::HttpClient::open(*loop_);
    promise(client.has_value());
    http::HttpReply reply;
    int ended = 0;
    client->start(std::move(call), [&](http::HttpReply got) {
      ++ended;
      reply = std::move(got);
      loop_->stop();
    });
    promise(loop_->run() == 0 && ended == 1 && client->in_flight() == 0);
    accepted_ = Fd();
    return reply;
  }

 private:
  void accept() {
    accepted_ = Fd(::accept4(opened_.socket->fd(), nullptr, nullptr, SOCK_CLOEXEC));
    ::send(accepted_.get(), answer_.data(), answer_.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    ::shutdown(accepted_.get(), SHUT_WR);
  }

  std::string path_;
  Result<runtime::EventLoop> loop_ = runtime::EventLoop::open();
  http::ListeningSocket::Opened opened_;
  std::string_view answer_{};
  Fd accepted_{};
};

void is_sound(const http::HttpReply& reply) {
  promise(reply.status >= 0 && reply.status <= 999);
  promise((reply.failure == http::HttpFailure::none) == reply.error.empty());
  promise(reply.body.size() <= kLongest);
  promise(!reply.retry_after ||
          (*reply.retry_after > Duration{} && *reply.retry_after <= std::chrono::hours(24)));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Scripted server;
  const std::string_view text = fuzz::text_of(data, size);
  const auto whole = server.ask(text, {});
  is_sound(whole);

  // The same as a watch: its lines are those of the body.
  std::string lines;
  bool begun = false;
  const auto watch = server.ask(text, {.line =
                                           [&](std::string_view line) {
                                             promise(begun && line.size() <= kLongest);
                                             promise(line.find('\n') == std::string_view::npos);
                                             lines.append(line) += '\n';
                                           },
                                       .begun = [&] { begun = true; }});
  is_sound(watch);
  promise(watch.status == whole.status);
  if (whole.ok() && watch.ok()) promise(whole.body.starts_with(lines) && watch.body.empty());
  return 0;
}
