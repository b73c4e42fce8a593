// Counting containers in turn, with those events that are free to be counted.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cgroup/base/host.h"
#include "collectors/counters/cpu_counting.h"
#include "collectors/counters/group.h"
#include "collectors/counters/window.h"
#include "qos/model/units.h"

namespace evenkeel::counters {

// Chooses which of the events that a machine can count are counted: all, or fewer while another user (the NMI
// watchdog, a profiler) needs counters, with later retries of all. Does not open counters.

class CounterSet {
 public:
  /// A profiler may have stopped, or a sysctl changed.
  static constexpr Duration kRetryInterval = std::chrono::minutes(10);

  explicit CounterSet(CounterEvents all) : all_(all), now_(std::move(all)) {}

  [[nodiscard]] const CounterEvents& now() const { return now_; }
  /// Which events are left out, and what uses their counters; empty: none is.
  [[nodiscard]] const std::string& why() const { return why_; }
  /// Reports a window with that many events whose counters were used by others most of the time. Drops the
  /// least important event; after a failed retry of all events, also those dropped before.
  void too_many(std::size_t events, MonoTime at, const Host& host);
  /// Reports a window with a result.
  void fits(std::size_t events);
  /// Whether it is time to retry all events; open windows then have to restart.
  bool should_retry_all(MonoTime at);

 private:
  CounterEvents all_, now_;
  std::string why_{};
  std::optional<MonoTime> left_out_{};     ///< the last time that events were dropped
  std::optional<std::size_t> previous_{};  ///< set while all are retried: the number counted before
};

// The part common to both ways of counting: each container gets a turn once per period, is counted for a
// window and yields one result. A subclass says how a window begins and what was counted in it.

class WindowedCounting : public CpuCounting {
 public:
  void follow(const tree::CgroupTree& tree) override;
  bool collect(collectors::Tick& tick, const InterferenceSettings& settings) override;

 protected:
  WindowedCounting(CounterBackend backend, CounterEvents events)
      : backend_(backend), set_(std::move(events)) {}

  /// Called first in a tick. Returns false when counting cannot continue.
  virtual bool prepare(collectors::Tick& /*tick*/, const InterferenceSettings& /*settings*/) { return true; }
  /// How many windows may be open at the same time. If none, `why` gets the reason.
  virtual std::size_t max_windows(const collectors::Tick& tick, const InterferenceSettings& settings,
                                  std::string& why) = 0;
  /// Places are numbered from zero; each holds one window at a time. Errors are reported, except ENOENT: the
  /// cgroup was just removed.
  virtual Result<> begin(std::size_t place, const Countable& who, const collectors::Tick& tick) = 0;
  /// Adds what was counted since the last call. Returns false when a part of it was lost.
  virtual bool read(std::size_t place, ScaledCounts& into) = 0;
  virtual void end(std::size_t /*place*/) {}
  [[nodiscard]] virtual std::size_t descriptors() const = 0;

  /// Closes all open windows without a result.
  void end_all();
  /// Fewer than the constructor's while another user needs counters.
  [[nodiscard]] const CounterEvents& events() const { return set_.now(); }

 private:
  void end_at(std::size_t place);
  void finish(std::size_t place, collectors::Tick& tick);
  void fill_status(CounterStatus& status) const;
  void refuse(const Error& error, const Countable& who, const collectors::Tick& tick);
  void begin_turns(const collectors::Tick& tick, const InterferenceSettings& settings);
  void begin_one(const Countable& who, const collectors::Tick& tick, const InterferenceSettings& settings);

  CounterBackend backend_;
  CounterSet set_;
  CounterRotation turns_{};
  std::vector<CounterWindow> windows_{};  ///< by place
  std::uint64_t windows_done_ = 0, dropped_ = 0;
  std::string refused_{};
  int refused_with_ = 0;   ///< errno
  MonoTime refused_at_{};  ///< for the last time
};

}  // namespace evenkeel::counters
