// Notifies systemd of the agent's state (sd_notify(3)): READY, WATCHDOG, STOPPING, STATUS. No effect without
// NOTIFY_SOCKET.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "qos/model/units.h"

namespace evenkeel::runtime {

class Notifier {
 public:
  /// Reads NOTIFY_SOCKET and WATCHDOG_USEC.
  Notifier();
  void ready(std::string_view status) const;
  void watchdog() const;
  void stopping() const;
  /// Half of systemd's watchdog timeout: the longest time between two watchdog() calls. Absent: no watchdog
  /// is set.
  [[nodiscard]] std::optional<Duration> watchdog_period() const { return watchdog_period_; }

 private:
  void send(std::string_view text) const;
  std::string socket_{};
  std::optional<Duration> watchdog_period_{};
};

}  // namespace evenkeel::runtime
