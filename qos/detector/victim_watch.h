// Keeps the state of one signal of one victim: what is normal, the last samples, the last windows. A policy
// keeps one per (workload, signal). Fixed memory, no allocation. Does not measure or act.
#pragma once

#include "qos/detector/suspects.h"

namespace evenkeel::detector {

class VictimWatch {
 public:
  VictimWatch() : VictimWatch(Signal::cpi) {}
  explicit VictimWatch(Signal signal) : model_(signal) {}

  /// Adds one sample of this window: it is compared with normal, and then learned unless a suspect is accused
  /// (`accused`): what others do to a victim is not its normal. Absent samples are not passed. False: it is
  /// not a number, or came too soon after the one before.
  bool observe(double value, std::int64_t window, MonoTime now, bool accused,
               const DetectorSettings& settings) {
    if (!anomaly_.add(value, now, model_, settings)) return false;
    series_.put(window, value);
    if (!accused) model_.learn(value, now, settings);
    return true;
  }
  /// After a new image or a restart: nothing learned before applies.
  void relearn() {
    model_.relearn();
    anomaly_.clear();
    series_.clear();
  }
  [[nodiscard]] Anomaly anomaly(const DetectorSettings& settings) const {
    return anomaly_.judge(model_, settings);
  }
  /// Ready for judge(); holds pointers into this watch.
  [[nodiscard]] Case open_case(std::size_t victims, const DetectorSettings& settings) const {
    return {&model_, &series_, anomaly(settings), series_.newest(), victims};
  }
  [[nodiscard]] const NormalModel& model() const { return model_; }
  [[nodiscard]] NormalModel& model() { return model_; }
  [[nodiscard]] const WindowSeries& series() const { return series_; }

 private:
  NormalModel model_;
  AnomalyWatch anomaly_{};
  WindowSeries series_{};
};
/// A node watches hundreds of containers by several signals each.
static_assert(sizeof(VictimWatch) <= 512);

}  // namespace evenkeel::detector
