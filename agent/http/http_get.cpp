#include "agent/http/http_get.h"

#include "agent/http/http_client.h"

namespace evenkeel::http {

HttpGetResult http_get(const std::string& url) {
  HttpGetResult got{0, {}, "no HTTP client"};
  auto loop = runtime::EventLoop::open();
  if (!loop) return got;
  auto client = HttpClient::open(*loop);
  if (!client) return got;
  client->start({.url = url, .total_timeout = std::chrono::seconds(5)}, [&](HttpReply reply) {
    got = {reply.failure == HttpFailure::none ? reply.status : 0, std::move(reply.body),
           std::move(reply.error)};
    loop->stop();
  });
  loop->run();
  return got;
}

}  // namespace evenkeel::http
