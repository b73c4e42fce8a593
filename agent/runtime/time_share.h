// How much time between two ticks may go into work that others can cause at will. Does not look at a clock.
#pragma once

#include "qos/model/units.h"

namespace evenkeel::runtime {

class TimeShare {
 public:
  explicit TimeShare(Duration most) : most_(most) {}

  /// Notes work that was done.
  void add(Duration took) { used_ += took; }
  /// More than the share was used: the next work waits for renew().
  [[nodiscard]] bool used_up() const { return used_ > most_; }
  /// A tick begins.
  void renew() { used_ = {}; }

 private:
  Duration most_;
  Duration used_{};
};

}  // namespace evenkeel::runtime
