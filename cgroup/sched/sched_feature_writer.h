// The writer for features of the kernel's scheduler: a debugfs file with one line of words, NAME or NO_NAME;
// writing a word sets that feature. Each change is recorded, and restored when no policy asks for it any
// more. Does not decide what is intended, mount debugfs, or write a name that the kernel does not list.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cgroup/base/host.h"
#include "cgroup/executor/contest.h"
#include "cgroup/executor/executor.h"
#include "cgroup/executor/journal.h"
#include "qos/decide/sched_plan.h"

namespace evenkeel::sched {

/// The path since Linux 5.13, or the older one. Empty: neither exists.
std::string sched_features_file(const Host& host);

struct SchedFeatureCounters : executor::ForeignCounts {
  std::uint64_t writes = 0, refusals = 0;
};

class SchedFeatureWriter final : public executor::Actuator {
 public:
  /// Both must outlive it.
  SchedFeatureWriter(const Host& host, executor::Journal& journal, bool dry_run)
      : host_(host), journal_(journal), dry_run_(dry_run) {}

  /// Applies the plan. Adds what it did to `report`. Reads the file when the plan has changed, and otherwise
  /// every ten seconds, to find foreign writes.
  void apply(const decide::SchedFeaturePlan& plan, MonoTime now, executor::Report& report);
  void serve(const decide::Intents& intents, MonoTime now, executor::Report& report) override {
    apply(intents.sched_features(), now, report);
  }
  void restore_all(MonoTime now, executor::Report& report) override;
  void add_managed(std::vector<executor::Managed>& out) const override;
  [[nodiscard]] executor::ActuatorTotals totals() const override {
    return {.writes = counters_.writes,
            .refusals = counters_.refusals,
            .foreign = counters_.foreign,
            .held = turned_.size()};
  }
  [[nodiscard]] const SchedFeatureCounters& counters() const { return counters_; }

 private:
  struct Turned {
    std::string name{};
    bool on = false;  ///< what the agent set it to; before, it was the opposite
    executor::Contest contest{};
    MonoTime since{};
  };
  void look(MonoTime now, executor::Report& report);
  void settle(Turned& turned, bool on_now, MonoTime now, executor::Report& report);
  bool turn(const std::string& name, bool on, bool restored, executor::Report& report);
  bool restore(Turned& turned, std::string_view words, MonoTime now, executor::Report& report);
  executor::Contest::Step compare(Turned& turned, bool on_now, MonoTime now, executor::Report& report);
  void want(const std::string& name, bool on, std::string_view words, MonoTime now, executor::Report& report);
  void refuse(const std::string& text, const Error& error, std::string detail, executor::Report& report);

  const Host& host_;
  executor::Journal& journal_;
  bool dry_run_;
  std::map<std::string, bool> requested_{};
  std::vector<std::string> reported_{};  ///< refused words of the current plan, already reported
  std::vector<Turned> turned_{};
  std::string file_{};
  MonoTime next_check_{};
  decide::PolicyIndex by_ = decide::kNoPolicy;
  SchedFeatureCounters counters_{};
};

/// Restores offline what the journal holds. What the kernel refuses stays on record.
void restore_sched_features(const Host& host, executor::Journal& journal, executor::Report& report);

}  // namespace evenkeel::sched
