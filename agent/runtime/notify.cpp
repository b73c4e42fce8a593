#include "agent/runtime/notify.h"

#include <sys/socket.h>
#include <sys/un.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>

#include "cgroup/base/result.h"
#include "cgroup/base/text.h"

namespace evenkeel::runtime {

Notifier::Notifier() {
  if (const char* path = std::getenv("NOTIFY_SOCKET")) socket_ = path;
  if (const char* usec = std::getenv("WATCHDOG_USEC"))
    if (const auto value = whole_number(usec); value && *value > 0)
      watchdog_period_ = std::chrono::microseconds(*value / 2);
}

void Notifier::ready(std::string_view status) const { send("READY=1\nSTATUS=" + std::string(status)); }
void Notifier::watchdog() const { send("WATCHDOG=1"); }
void Notifier::stopping() const { send("STOPPING=1"); }

void Notifier::send(std::string_view text) const {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (socket_.empty() || socket_.size() >= sizeof address.sun_path) return;
  std::memcpy(address.sun_path, socket_.data(), socket_.size());
  if (address.sun_path[0] == '@') address.sun_path[0] = '\0';  // abstract name space
  const Fd fd(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!fd) return;
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + socket_.size());
  // A failed send is not retried: systemd's watchdog covers it.
  if (::sendto(fd.get(), text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT,
               reinterpret_cast<const sockaddr*>(&address), size) < 0) {
    return;
  }
}

}  // namespace evenkeel::runtime
