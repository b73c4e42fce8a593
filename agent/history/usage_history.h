// Keeps what the node, its pods and host applications used over the last minutes, in fixed memory per pod;
// fed by every tick, read when a report is due. Does not sample or decide.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>

#include "agent/history/usage_window.h"
#include "qos/lending/peak_predictor.h"
#include "qos/model/snapshot.h"
#include "qos/model/usage.h"

namespace evenkeel::history {

/// The longest window for the node and the system; pods and host applications are kept for the averaging
/// window only.
inline constexpr Duration kLongestWindow = std::chrono::minutes(30);

class UsageHistory {
 public:
  /// Records one tick's measurements. Allocates nothing in steady state.
  void observe(const NodeSnapshot& node, const ColocationStrategy& strategy);
  void forget();

  /// Averages over the strategy's metricAggregateDurationSeconds, or over the shorter history before that
  /// time has passed. Covers the pods of the last observed snapshot.
  [[nodiscard]] RecentUsage recent() const;

  /// 90th percentiles over the newest `over`, for the peak predictor. Absent before the first measurement.
  [[nodiscard]] std::optional<lending::TrainingRound> training_round(Duration over) const;

  [[nodiscard]] const UsageWindow& node() const { return node_; }
  [[nodiscard]] const UsageWindow& system() const { return system_; }
  [[nodiscard]] std::size_t pods() const { return pods_.size(); }

 private:
  struct Entry {
    UsageWindow window;
    PriorityClass priority_class = PriorityClass::none;
    std::uint64_t round = 0;  ///< of the last observe() that saw it
  };
  using Entries = std::unordered_map<std::string, Entry>;
  Usage observe_pods(const NodeSnapshot& node, bool with_page_cache);
  Usage observe_host_applications(const NodeSnapshot& node, bool with_page_cache);
  Entry& entry(Entries& entries, const std::string& key);
  void drop_unseen(Entries& entries) const;
  void resize(Duration window);

  Duration length_{};
  std::uint64_t round_ = 0;
  MonoTime at_{};
  Duration overflow_{};
  UsageWindow node_{kLongestWindow, 1800};
  UsageWindow system_{kLongestWindow, 1800};
  Entries pods_{}, host_applications_{};
};

}  // namespace evenkeel::history
