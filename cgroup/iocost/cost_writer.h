// The writer for the kernel's I/O cost model: one line per disk in io.cost.qos and io.cost.model of the root,
// each original recorded, and restored when no policy asks for the line any more. Does not decide what is
// intended.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cgroup/base/kernel_files.h"
#include "cgroup/executor/contest.h"
#include "cgroup/executor/executor.h"
#include "cgroup/executor/journal.h"
#include "cgroup/tree/tree.h"
#include "qos/decide/io_plan.h"

namespace evenkeel::iocost {

/// Counted since the start; managed and quarantined are current.
struct IoCostCounters : executor::ForeignCounts {
  std::uint64_t writes = 0, restored = 0, refusals = 0;
  std::size_t managed = 0, quarantined = 0;
};

class IoCostWriter final : public executor::Actuator {
 public:
  /// All must outlive it.
  IoCostWriter(const tree::CgroupTree& tree, KernelFiles& files, executor::Journal& journal, bool dry_run)
      : tree_(tree), files_(files), journal_(journal), dry_run_(dry_run) {}

  /// Applies the plan. Adds what it did to `report`. With an unchanged plan it only reads the files every ten
  /// seconds, to find foreign writes.
  void apply(const decide::CostPlan& plan, MonoTime now, executor::Report& report);
  void serve(const decide::Intents& intents, MonoTime now, executor::Report& report) override {
    apply(intents.costs(), now, report);
  }
  void restore_all(MonoTime now, executor::Report& report) override;
  void add_managed(std::vector<executor::Managed>& out) const override;
  [[nodiscard]] executor::ActuatorTotals totals() const override {
    return {counters_.writes,  counters_.restored, counters_.refusals,
            counters_.foreign, counters_.managed,  counters_.quarantined};
  }
  [[nodiscard]] const IoCostCounters& counters() const { return counters_; }

 private:
  struct Line {
    KnobFile file{};
    Knob knob{};
    decide::DiskCost cost{};
    std::string original{}, ours{};  ///< empty: the agent has not written
    std::string before_us{};         ///< the first original
    decide::PolicyIndex by = decide::kNoPolicy;
    Reason why{};
    MonoTime since{}, checked_at{};
    executor::RetryBackoff pause{};
    executor::Contest contest{};
    bool wanted = false;
  };
  Line& line_of(Knob knob, DiskNumber disk);
  void adopt_leftovers();
  void want(Knob knob, const decide::CostPlan::Setting& setting, decide::PolicyIndex by);
  void keep(Line& line, const std::string& order);
  bool restore(Line& line);
  bool put(Line& line, const std::string& before, const std::string& text);
  void refuse(Line& line, const Error& error, const std::string& text);
  executor::Contest::Step compare(Line& line, const std::string& order, const std::string& found);
  void record_change(const Line& line, const std::string& before, const std::string& after, bool restored);
  void count();

  const tree::CgroupTree& tree_;
  KernelFiles& files_;
  executor::Journal& journal_;
  bool dry_run_;
  bool has_adopted_leftovers_ = false;
  std::vector<Line> lines_{};
  IoCostCounters counters_{};
  MonoTime at_{};
  executor::Report* report_ = nullptr;
};

}  // namespace evenkeel::iocost
