#include <algorithm>

#include "qos/interference/roster.h"
#include "qos/interference/steps.h"

namespace evenkeel::interference {
namespace {

double in_seconds(Duration duration) { return std::chrono::duration<double>(duration).count(); }
double in_cpus(MilliCpu cpu) { return static_cast<double>(cpu.count()) / 1000; }

void add(WindowSum& sum, double seconds, Duration measured) {
  sum.seconds += seconds;
  sum.measured += measured;
}

/// Per second of what was measured; absent: less than half of the window was.
std::optional<double> mean(const WindowSum& sum, Duration window) {
  if (sum.measured * 2 < window) return std::nullopt;
  return sum.seconds / in_seconds(sum.measured);
}

void stalled_by_others(Victim& victim, std::size_t stall, double seconds, MonoTime now,
                       InterferenceState& state) {
  victim.stalled_by_others_seconds[stall] += seconds;
  state.workloads[victim.workload].stalled_lately.add(stall, seconds, now);
}

void charge(Unit& unit, std::size_t stall, double seconds, MonoTime now) {
  unit.charged_seconds[stall] += seconds;
  unit.recent_charges.add(stall, seconds, now);
}

/// One tick.
class Tick {
 public:
  Tick(const NodeSnapshot& node, Duration passed, InterferenceState& state)
      : node_(node), passed_(passed), state_(state) {}

  void take_in() {
    if (state_.source != node_.run_queue.source) forget_stalls();
    take_use();
    if (node_.run_queue.source != RunQueueSource::none) take_waits();
    const auto measured = [](const TaskStalls& one) { return one.reclaim || one.block_io; };
    if (std::ranges::none_of(node_.stalls, measured)) {
      take_pressure(Signal::reclaim_stall);
      take_pressure(Signal::block_io_stall);
    } else {
      take_stalls();
    }
    if (node_.run_queue.source == RunQueueSource::none) take_pressure(Signal::run_queue_wait);
  }

 private:
  /// Different sources of the same measurement give different numbers. The BPF program measures all stalls;
  /// without it, per-task sums give waits for a CPU, if anything does, and pressure the rest.
  void forget_stalls() {
    const auto by_program = [](RunQueueSource source) { return source == RunQueueSource::bpf; };
    const bool all = by_program(state_.source) || by_program(node_.run_queue.source);
    state_.source = node_.run_queue.source;
    state_.given = nullptr;  // the NodeSLO's models are loaded again
    for (std::size_t stall = 0; stall < detector::kStallSignals; ++stall)
      if (all || detector::stall_signal(stall) == Signal::run_queue_wait) forget(stall);
  }
  void forget(std::size_t stall) {
    const Signal signal = detector::stall_signal(stall);
    for (Victim& victim : state_.victims) {
      victim.of(signal).relearn();
      victim.sums[stall] = {};
      victim.pressure[stall].reset();
    }
    for (Unit& unit : state_.units) {
      unit.stall[stall].clear();
      unit.sums[stall] = {};
      unit.pressure[stall].reset();
    }
    for (Workload& workload : state_.workloads) workload.normal[static_cast<std::size_t>(signal)].reset();
  }

  void take_use() {
    for (Unit& unit : state_.units) {
      const CgroupSample* cgroup = node_.cgroup(unit.index);
      if (cgroup == nullptr || !cgroup->cpu_use) continue;
      const double seconds = in_cpus(*cgroup->cpu_use) * in_seconds(passed_);
      add(unit.cpu, seconds, passed_);
      add(unit.cpu_of_period, seconds, passed_);
    }
  }

  /// With the BPF program all were watched, and only those that waited need be listed; with schedstat those
  /// listed were.
  void take_waits() {
    const std::size_t wait = detector::stall_index(Signal::run_queue_wait);
    const bool all_tasks = node_.run_queue.source == RunQueueSource::bpf;
    for (Victim& victim : state_.victims)
      if (all_tasks) victim.sums[wait].measured += passed_;
    for (BlamePair& pair : state_.pairs) pair.sum.measured += passed_;
    for (const RunQueueWait& one : node_.run_queue.waits)
      if (Victim* victim = entry_of(state_.victims, one.cgroup))
        add(victim->sums[wait], in_seconds(one.waited), all_tasks ? Duration::zero() : passed_);
    for (const WaitBlame& blame : node_.run_queue.blame)
      if (!blame.sibling) take_blame(blame);
  }

  void take_blame(const WaitBlame& blame) {
    Victim* victim = entry_of(state_.victims, blame.victim);
    const CgroupId unit = unit_of(state_, blame.runner);
    if (victim == nullptr || unit == victim->unit) return;
    const double seconds = in_seconds(blame.time);
    const std::size_t wait = detector::stall_index(Signal::run_queue_wait);
    stalled_by_others(*victim, wait, seconds, node_.at, state_);
    if (Unit* runner = entry_of(state_.units, unit)) charge(*runner, wait, seconds, node_.at);
    const auto [found, known] = place_of(state_.pairs, blame.victim, unit);
    BlamePair fresh{.victim = blame.victim, .unit = unit};
    fresh.sum.measured = victim->sums[wait].measured;  // a pair that was not reported was measured, too
    BlamePair& pair = known ? *found : *state_.pairs.insert(found, fresh);
    pair.sum.seconds += seconds;
  }

  void take_stalls() {
    for (const TaskStalls& one : node_.stalls) {
      const CgroupId unit = unit_of(state_, one.cgroup);
      for (const auto& [signal, time] :
           {std::pair{Signal::reclaim_stall, one.reclaim}, std::pair{Signal::block_io_stall, one.block_io}}) {
        if (!time) continue;
        if (Victim* victim = entry_of(state_.victims, one.cgroup))
          add(victim->sums[detector::stall_index(signal)], in_seconds(*time), passed_);
        Unit* whole = entry_of(state_.units, unit);
        // Each container adds what it waited; the time in which it did passes only once for the whole unit.
        if (whole == nullptr) continue;
        WindowSum& sum = whole->sums[detector::stall_index(signal)];
        sum.seconds += in_seconds(*time);
        sum.measured = std::max(sum.measured, whole->cpu.measured);
      }
    }
  }

  /// Where nothing better is measured: the kernel's pressure totals, without the time for which the cgroup's
  /// own quota throttled it.
  void take_pressure(Signal signal) {
    for (Victim& victim : state_.victims) take_pressure_of(victim, signal);
    if (signal == Signal::run_queue_wait) return;  // its suspects are judged by their CPU use
    for (Unit& unit : state_.units) take_pressure_of(unit, signal);
  }
  template <class Entry>
  void take_pressure_of(Entry& entry, Signal signal) {
    const CgroupSample* cgroup = node_.cgroup(entry.index);
    if (cgroup == nullptr) return;
    const auto& pressure = signal == Signal::run_queue_wait  ? cgroup->pressure.cpu
                           : signal == Signal::reclaim_stall ? cgroup->pressure.memory
                                                             : cgroup->pressure.io;
    auto& seen = entry.pressure[detector::stall_index(signal)];
    if (!pressure) return seen.reset();
    if (seen && signal == Signal::run_queue_wait && cgroup->throttling)
      seen->throttled += cgroup->throttling->throttled_time;
    if (seen && pressure->at == seen->at) return;
    const Duration total = pressure->some.total;
    if (seen && total >= seen->total) {
      const Duration stalled = std::max(Duration::zero(), total - seen->total - seen->throttled);
      add(entry.sums[detector::stall_index(signal)], in_seconds(stalled), pressure->at - seen->at);
    }
    seen = {.total = total, .at = pressure->at};
  }

  const NodeSnapshot& node_;
  Duration passed_;
  InterferenceState& state_;
};

/// A suspect is accused because of this signal, or is being tested.
bool stands_accused_by(const InterferenceState& state, CgroupId victim, Signal signal) {
  const auto about = [&](const Accusation& one) { return one.victim == victim && one.signal == signal; };
  return (state.trial && about(state.trial->about)) || std::ranges::any_of(state.accusations, about);
}

/// The excess of a stall over the usual is charged to the accused, in equal parts.
void share_out(Victim& victim, Signal signal, double value, Duration window, MonoTime now,
               InterferenceState& state) {
  // The BPF program measures which workload had the CPU: nothing is left to share out.
  if (signal == Signal::run_queue_wait && state.source == RunQueueSource::bpf) return;
  const auto about = [&](const Accusation& one) {
    return one.victim == victim.cgroup && one.signal == signal;
  };
  const double excess = (value - victim.of(signal).model().usual()) * in_seconds(window);
  const auto accused = std::ranges::count_if(state.accusations, about);
  if (accused == 0 || !(excess > 0)) return;
  stalled_by_others(victim, detector::stall_index(signal), excess, now, state);
  for (const Accusation& one : state.accusations)
    if (Unit* suspect = about(one) ? entry_of(state.units, one.suspect) : nullptr)
      charge(*suspect, detector::stall_index(signal), excess / static_cast<double>(accused), now);
}

/// The stall window has ended: all sums become samples.
void close_window(std::int64_t window, MonoTime now, const InterferenceSettings& settings,
                  InterferenceState& state, std::vector<NewSample>& sampled) {
  const detector::DetectorSettings detector = detector_settings(settings);
  for (std::size_t i = 0; i < state.victims.size(); ++i) {
    Victim& victim = state.victims[i];
    for (std::size_t stall = 0; stall < detector::kStallSignals; ++stall) {
      const Signal signal = detector::stall_signal(stall);
      const auto value = mean(victim.sums[stall], settings.stall_window);
      victim.sums[stall] = {};
      if (!value) continue;
      share_out(victim, signal, *value, settings.stall_window, now, state);
      if (victim.of(signal).observe(*value, window, now, stands_accused_by(state, victim.cgroup, signal),
                                    detector))
        sampled.push_back({i, signal});
    }
  }
  for (Unit& unit : state.units) {
    if (const auto use = mean(unit.cpu, settings.stall_window)) unit.cpu_use.put(window, *use);
    unit.cpu = {};
    for (std::size_t stall = 0; stall < detector::kStallSignals; ++stall) {
      if (const auto value = mean(unit.sums[stall], settings.stall_window))
        unit.stall[stall].put(window, *value);
      unit.sums[stall] = {};
    }
  }
  for (BlamePair& pair : state.pairs) {
    pair.blame.put(window, mean(pair.sum, settings.stall_window).value_or(0));
    pair.sum = {};
  }
  // Units without a pair caused no waiting; or, if pairs had to be left out, less than three other units did:
  // too little to matter.
  if (state.source == RunQueueSource::bpf) state.zero_blame.put(window, 0);
  // A pair that was not reported in any window is removed; its sums stay with the victim and the unit.
  std::erase_if(state.pairs, [&](const BlamePair& pair) {
    for (std::int64_t back = 0; back < std::int64_t{detector::kWindows}; ++back)
      if (pair.blame.at(window - back).value_or(0) > 0) return false;
    return true;
  });
}

void add_counts(const NodeSnapshot& node, const InterferenceSettings& settings, InterferenceState& state,
                std::vector<NewSample>& sampled) {
  const detector::DetectorSettings detector = detector_settings(settings);
  const std::int64_t window = detector::window_at(node.at, settings.counter_period);
  for (const CpuCounts& counts : node.cpu_counts) {
    if (auto* counted = entry_of(state.counted, counts.cgroup)) counted->counts = counts;
    Victim* victim = entry_of(state.victims, counts.cgroup);
    if (victim == nullptr || !counts.cpu_use || *counts.cpu_use < detector.min_cpu_use) continue;
    const auto observe = [&](Signal signal, double value) {
      if (victim->of(signal).observe(value, window, node.at, stands_accused_by(state, victim->cgroup, signal),
                                     detector))
        sampled.push_back({static_cast<std::size_t>(victim - state.victims.data()), signal});
    };
    observe(Signal::cpi, counts.cpi());
    if (counts.reference_cycles)
      observe(Signal::reference_cpi, counts.per_instruction(*counts.reference_cycles));
  }
}

}  // namespace

detector::DetectorSettings detector_settings(const InterferenceSettings& settings) {
  detector::DetectorSettings detector;
  detector.counter_period = settings.counter_period;
  detector.stall_window = settings.stall_window;
  return detector;
}

void measure(const NodeSnapshot& node, const InterferenceSettings& settings, InterferenceState& state,
             std::vector<NewSample>& sampled) {
  const std::int64_t window = detector::window_at(node.at, settings.stall_window);
  if (state.window && window != *state.window) close_window(*state.window, node.at, settings, state, sampled);
  state.window = window;
  const std::int64_t period = detector::window_at(node.at, settings.counter_period);
  for (Unit& unit : state.units)
    if (!unit.cpu_use_period.empty() && unit.cpu_use_period.newest() != period) unit.cpu_of_period = {};
  if (node.measured && node.since_previous) Tick(node, *node.since_previous, state).take_in();
  // Kept up to date during the period: victims are counted at any moment of it.
  for (Unit& unit : state.units)
    if (unit.cpu_of_period.measured > Duration::zero())
      unit.cpu_use_period.put(period, unit.cpu_of_period.seconds / in_seconds(unit.cpu_of_period.measured));
  add_counts(node, settings, state, sampled);
}

}  // namespace evenkeel::interference
