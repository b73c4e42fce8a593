// Telling systemd how we are (sd_notify(3)): READY, WATCHDOG, STOPPING, STATUS. Silent where nobody listens.
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
  /// Half of systemd's patience: the longest time between two watchdog() calls. Absent: nobody waits.
  [[nodiscard]] std::optional<Duration> watchdog_period() const { return watchdog_period_; }

 private:
  void send(std::string_view text) const;
  std::string socket_{};
  std::optional<Duration> watchdog_period_{};
};

}  // namespace evenkeel::runtime
