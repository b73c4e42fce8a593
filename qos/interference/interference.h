// The policy interference, and the state that it keeps between ticks.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include "qos/decide/policy.h"
#include "qos/detector/limit_effect.h"
#include "qos/detector/stall_budget.h"
#include "qos/detector/suspects.h"
#include "qos/model/snapshot.h"
#include "qos/model/task_measurements.h"

namespace evenkeel::interference {

// State of the policy "interference" between ticks: possible victims and suspects, their measurements,
// accusations, and limits in force. A value like every policy's state.

/// A sum over a part of a window, and how much of the window it covers: unmeasured time is not zero.
struct WindowSum {
  double seconds = 0;  ///< waited, stalled, of CPU: over all tasks, so it may exceed the time that passed
  Duration measured{};
};

using StallSums = std::array<WindowSum, detector::kStallSignals>;

/// A pressure total at the last read of its file: stalls are derived from it where nothing better is
/// measured.
struct PressureReading {
  Duration total{};
  MonoTime at{};
  Duration throttled{};  ///< time for which its own quota throttled the cgroup since
};
using PressureTotals = std::array<std::optional<PressureReading>, detector::kStallSignals>;

/// A container of a service, or a host application that is not best effort.
struct Victim {
  CgroupId cgroup{};
  CgroupId unit{};  ///< its pod, or itself: it does not accuse itself
  CgroupIndex index = kNoCgroup;
  std::size_t workload = 0;  ///< into InterferenceState::workloads
  std::array<detector::VictimWatch, kSignals> watch{};
  StallSums sums{};
  PressureTotals pressure{};
  detector::StallSeconds
      stalled_by_others_seconds{};  ///< since it is watched; of the last day: its workload's

  [[nodiscard]] detector::VictimWatch& of(Signal signal) { return watch[static_cast<std::size_t>(signal)]; }
  [[nodiscard]] const detector::VictimWatch& of(Signal signal) const {
    return watch[static_cast<std::size_t>(signal)];
  }
};

/// A pod, or a host application: the smallest thing that is limited as a whole.
struct Unit {
  CgroupId cgroup{};
  CgroupIndex index = kNoCgroup;
  bool best_effort = false;  ///< may be limited to protect a service
  WindowSum cpu{}, cpu_of_period{};
  StallSums sums{};
  PressureTotals pressure{};
  detector::WindowSeries cpu_use{};         ///< CPUs, per stall window
  detector::WindowSeries cpu_use_period{};  ///< the same per counter period
  std::array<detector::WindowSeries, detector::kStallSignals> stall{};
  detector::StallSeconds charged_seconds{};  ///< stall of services attributed to it, since it is watched
  detector::StallDay recent_charges{};
};

/// A victim and the unit it waited for.
struct BlamePair {
  CgroupId victim{}, unit{};
  WindowSum sum{};
  detector::WindowSeries blame{};
};

/// What is known of a workload, shared by its pods; outlives them.
struct Workload {
  std::string key{};               ///< "namespace/owner/container", "host/NAME" of a host application
  std::string image{};             ///< another image is another workload; empty: none is known
  bool ends_with_its_pod = false;  ///< of a pod without an owner: no other one follows
  std::array<std::optional<detector::Normal>, kSignals> normal{};
  detector::StallDay stalled_lately{};  ///< all its containers, caused by others
  MonoTime used{};
};

struct Accusation {
  CgroupId victim{}, suspect{};
  Signal signal = Signal::cpi;
  detector::Verdict verdict{};
  double value = 0, usual = 0;  ///< of the victim, in the signal's unit
  MonoTime since{}, renewed{};
  std::size_t times = 1;                         ///< that it was found in succession
  std::optional<detector::TestResult> tested{};  ///< the test that found it guilty
};

/// Which resource of an antagonist is limited.
enum class Remedy : std::uint8_t {
  cpu,     ///< a quota: it does less of everything
  cache,   ///< ways of the last-level cache and memory bandwidth, in a resctrl group of its own
  memory,  ///< memory.high: it reclaims, instead of the victim
};
struct Limit {
  Remedy remedy = Remedy::cpu;
  MilliCpu cpu{}, used{};  ///< remedy cpu: its limit, and its use before
  Bytes memory{}, had{};   ///< remedy memory: the same
};

/// A limit to protect a victim, for a while.
struct Cap {
  CgroupId suspect{}, victim{};
  Signal signal = Signal::cpi;
  Limit limit{};
  MonoTime since{};
  detector::ReliefWatch after{};
  bool relieved = false;
};

/// A test that is under way (qos/detector/limit_effect.h).
struct Trial {
  Accusation about{};  ///< the accusation if the test finds it guilty
  Limit limit{};
  detector::TrialPlan plan{};
  std::size_t slot = 0;
  MonoTime slot_began{};
  double sum = 0;           ///< of the victim's samples in this slot …
  std::size_t samples = 0;  ///< … and how many they are
  std::array<std::optional<double>, detector::kMaxSlots> means{};

  [[nodiscard]] bool limits() const { return plan.limited(slot); }
};

/// A suspect was limited, and it helped.
struct ConfirmedAntagonist {
  CgroupId suspect{};
  MonoTime at{};
};

/// What happened in this tick, for the log and the audit.
struct InterferenceEvent {
  enum class What : std::uint8_t {
    accused,
    over,
    capped,
    relieved,
    not_relieved,
    released,
    trial_began,
    trial_cleared,
    trial_inconclusive
  };
  What what = What::accused;
  Accusation accusation{};
  Limit limit{};  ///< of a cap or a test
};
inline constexpr std::size_t kInterferenceEventKinds = 9;

/// A container as the counters see it, best effort included.
struct CountedContainer {
  CgroupId cgroup{};
  std::optional<CpuCounts> counts{};  ///< the newest window
};

/// A victim's signal that just got a sample: now is the time to look at it.
struct NewSample {
  std::size_t victim = 0;  ///< position in InterferenceState::victims
  Signal signal = Signal::cpi;
};

struct InterferenceState {
  // All ascending by cgroup (pairs: by victim, then unit).
  std::vector<CountedContainer> counted{};
  std::vector<Victim> victims{};
  std::vector<Unit> units{};
  std::vector<BlamePair> pairs{};
  struct Member {
    CgroupId cgroup{}, unit{};
  };
  std::vector<Member> members{};  ///< which unit a container belongs to
  std::vector<Workload> workloads{};

  std::vector<Accusation> accusations{};
  std::vector<Cap> caps{};
  std::optional<Accusation> suspicion{};  ///< of this tick: a suspect that observation cannot judge
  std::optional<Trial> trial{};
  std::vector<MonoTime> tests{};                 ///< of the last day: when they began
  std::vector<ConfirmedAntagonist> confirmed{};  ///< of the last day, the oldest first
  detector::ClearedSuspects cleared{};           ///< suspects whose limit did not help, with the victim
  std::vector<InterferenceEvent> events{};       ///< of this tick
  std::array<std::uint64_t, kInterferenceEventKinds> event_counts{};  ///< since it was switched on

  Duration counter_period{}, stall_window{};  ///< as configured at the last look
  std::optional<std::int64_t> window{};       ///< the stall window that is being filled
  detector::WindowSeries zero_blame{};        ///< zeros: for suspects without waits while blame was measured
  std::vector<CgroupId> seen{};               ///< the cgroups at the last look
  const void *specs = nullptr, *slo = nullptr;  ///< pod list and NodeSLO at the last look; never followed
  const void* given = nullptr;  ///< the models of the NodeSLO at the last look; never followed
  RunQueueSource source = RunQueueSource::none;
  bool may_limit_cpu = true;                  ///< a quota on best effort does no harm here
  std::vector<NewSample> sampled{};           ///< in this tick
  std::vector<detector::Suspect> suspects{};  ///< scratch memory for judging
  std::vector<detector::Verdict> verdicts{};
};

// Policy "interference": measures which pod slows which service, learns what is normal, finds the cause, and
// acts while the evidence holds. After CPI² (Zhang et al., EuroSys 2013), with measured waits as the first
// evidence.

using InterferencePolicy =
    decide::Policy<InterferenceState,
                   decide::Publishes<decide::CacheLimits, decide::MemoryLimits, decide::WatchedCgroups,
                                     decide::RepeatAntagonists>,
                   decide::ReadsPrevious<decide::HarmfulLevers>>;
extern const InterferencePolicy interference_policy;

/// Resets everything, as if just switched on: called before the models of an earlier run are loaded, which
/// must have been measured in the same way as now.
void restart(const NodeSnapshot& node, const InterferenceSettings& settings, InterferenceState& state,
             InterferencePolicy::Facts facts);

}  // namespace evenkeel::interference
