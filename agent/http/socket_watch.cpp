#include <sys/epoll.h>

#include "agent/http/transfers.h"

namespace evenkeel::http {

SocketWatch::~SocketWatch() {
  for (const int fd : watched_) loop_.remove(fd);
}

void SocketWatch::watch(int fd, bool to_read, bool to_write) {
  const std::uint32_t events = (to_read ? EPOLLIN : 0U) | (to_write ? EPOLLOUT : 0U);
  if (watched_.contains(fd) && loop_.change(fd, events)) return;
  forget(fd);
  const auto added = loop_.add(fd, events, [this, fd](std::uint32_t happened) {
    ready_(fd, {.to_read = (happened & (EPOLLIN | EPOLLHUP | EPOLLRDHUP)) != 0,
                .to_write = (happened & EPOLLOUT) != 0,
                .broken = (happened & EPOLLERR) != 0});
  });
  if (added) watched_.insert(fd);  // else the request times out
}

void SocketWatch::forget(int fd) {
  if (watched_.erase(fd) > 0) loop_.remove(fd);
}

}  // namespace evenkeel::http
