// The usage of the last minutes, in fixed memory per pod.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "qos/lending/peak_predictor.h"
#include "qos/model/pod_resources.h"
#include "qos/model/snapshot.h"
#include "qos/model/units.h"

namespace evenkeel::history {

// Keeps the usage of the node or one pod over the last minutes: a ring of slots of fixed memory. Does not
// know what it measures.

/// Shares of the sorted samples, in percent, in the order of Percentiles.
inline constexpr std::array<int, 4> kPercentiles = {50, 90, 95, 99};

struct UsageSummary {
  Usage average{};                     ///< weighted by time
  std::array<Usage, 4> percentiles{};  ///< of the slots; see kPercentiles
  Duration span{};                     ///< from the first to the last measurement
};

class UsageWindow {
 public:
  /// Keeps `length` in `slots` slots; measurements more frequent than length / slots are averaged within a
  /// slot.
  UsageWindow(Duration length, int slots);

  /// A measurement over the time `over` that ended at `at`. Unknown parts are ignored.
  void add(MonoTime at, Duration over, const Usage& usage);
  /// Over the slots that ended after `since`; unknown when no slot has a value.
  [[nodiscard]] Usage average(MonoTime since) const;
  /// With percentiles; `scratch` belongs to the caller, so that reusing it saves allocations.
  [[nodiscard]] UsageSummary summary(MonoTime since, std::vector<std::int64_t>& scratch) const;
  /// One percentile of the slots that ended after `since`: sorted ascending, the element floor(n * p) - 1.
  [[nodiscard]] Usage percentile(MonoTime since, int percent, std::vector<std::int64_t>& scratch) const;
  [[nodiscard]] std::optional<MonoTime> newest() const;

 private:
  /// Values over a number of milliseconds; 0 ms means unknown.
  struct Slot {
    MonoTime end{};
    std::int64_t cpu_milli_ms = 0;  ///< a sum: means of means would drift
    std::int64_t memory_bytes = 0;  ///< a mean: rounding costs a byte at most
    std::uint32_t cpu_ms = 0, memory_ms = 0;
    [[nodiscard]] std::int64_t cpu_milli() const { return cpu_ms > 0 ? cpu_milli_ms / cpu_ms : 0; }
  };
  Slot& slot_for(MonoTime at, Duration over);
  template <class F>
  void each_since(MonoTime since, F&& f) const;

  Duration slot_length_;
  std::size_t capacity_;
  std::vector<Slot> slots_{};  ///< a ring once it is full
  std::size_t newest_ = 0;
  MonoTime newest_begin_{};
};

// Keeps what the node, its pods and host applications used over the last minutes, in fixed memory per pod;
// fed by every tick, read when a report is due. Does not sample or decide.

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
  Duration covered_{};  ///< since the tick before
  UsageWindow node_{kLongestWindow, 1800};
  UsageWindow system_{kLongestWindow, 1800};
  Entries pods_{}, host_applications_{};
};

}  // namespace evenkeel::history
