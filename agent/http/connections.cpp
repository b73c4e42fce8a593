#include "agent/http/connections.h"

#include <sys/socket.h>

#include <algorithm>
#include <utility>

namespace evenkeel::http {

namespace {

/// The library closes it when it sees the end of the stream.
void end(Connection& connection) {
  ::shutdown(connection.fd, SHUT_RDWR);
  connection.ended = true;
}

}  // namespace

Connection* Connections::opened(int fd, MonoTime now) {
  return &all_.emplace_back(Connection{fd, now + patience_.header, round_});
}

void Connections::closed(const Connection* connection) {
  unread_ -= connection->unread;
  std::erase_if(all_, [&](const Connection& one) { return &one == connection; });
}

void Connections::requested(Connection& connection, MonoTime now) const {
  connection.deadline = now + patience_.answer;
}

bool Connections::may_wait(std::size_t bytes) const {
  return bytes <= kSmallAnswer || unread_ == 0 || unread_ + bytes <= kMostUnread;
}

void Connections::waits(Connection& connection, std::size_t bytes) {
  connection.unread = bytes <= kSmallAnswer ? 0 : bytes;
  unread_ += connection.unread;
}

void Connections::answered(Connection& connection, MonoTime now) {
  unread_ -= std::exchange(connection.unread, 0);
  connection.deadline = now + patience_.idle;
  const auto found = std::ranges::find_if(all_, [&](const Connection& one) { return &one == &connection; });
  all_.splice(all_.end(), all_, found);
}

std::optional<MonoTime> Connections::end_late(MonoTime now) {
  auto open =
      static_cast<std::size_t>(std::ranges::count_if(all_, [](const Connection& one) { return !one.ended; }));
  std::optional<MonoTime> next;
  for (auto& one : all_) {
    if (one.ended) continue;
    // What was opened in this round is read in the next one.
    const bool gives_way = open > kMost && one.round < round_;
    if (one.deadline <= now || gives_way) {
      end(one);
      --open;
    } else if (!next || one.deadline < *next) {
      next = one.deadline;
    }
  }
  ++round_;
  return next;
}

}  // namespace evenkeel::http
