#include <algorithm>

#include "cgroup/features/features.h"
#include "collectors/counters/cpu_counting.h"
#include "collectors/counters/group.h"

namespace evenkeel::counters {

namespace {

/// Some work to count; the result is returned so that the compiler keeps the work.
std::uint64_t work() {
  volatile std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i < 20'000; ++i) sum = sum + i;
  return sum;
}

std::string said(const CounterEvent& event, int error, const Host& host) {
  const std::string what(name(event.kind));
  if (error == EBUSY) return what + ": " + counters_in_use_reason(host);
  return what + ": " +
         (error == EINVAL ? "EINVAL: too few counters" : features::counter_unavailable_reason(error));
}

}  // namespace

std::string counters_in_use_reason(const Host& host) {
  const auto watchdog = host.slurp("proc/sys/kernel/nmi_watchdog");
  if (watchdog && watchdog->starts_with('1'))
    return "no counter is free (the NMI watchdog holds one: kernel.nmi_watchdog)";
  return "no counter is free (too few, or other users of the counters have them)";
}

int can_open_together(const CounterEvents& events) {
  const auto group = CounterGroup::open_self(events);
  if (!group) return group.error().code;
  work();
  const auto reading = group->read();
  if (!reading) return reading.error().code;
  return reading->running_ns == 0 ? EBUSY : 0;
}

CounterProbe probe_counters(const CounterEvents& wanted, const Host& host,
                            const std::function<int(const CounterEvents&)>& attempt) {
  CounterProbe probe;
  for (auto next = wanted.begin(); next != wanted.end(); ++next) {
    const CounterEvent& event = *next;
    if (!probe.events.empty() && probe.events.back().kind == event.kind) continue;
    probe.events.push_back(event);
    const int error = attempt(probe.events);
    if (error == 0) continue;
    probe.events.pop_back();
    if (next + 1 != wanted.end() && next[1].kind == event.kind)
      continue;  // there is another event for this kind
    probe.error += (probe.error.empty() ? "" : "; ") + said(event, error, host);
    probe.busy |= error == EBUSY;
    if (event.kind == CounterKind::cycles || event.kind == CounterKind::instructions)
      return {{}, probe.error};
  }
  return probe;
}

std::size_t RotationBudget::concurrent(const InterferenceSettings& settings) const {
  return static_cast<std::size_t>(settings.most_counter_descriptors) /
         std::max<std::size_t>(descriptors_per_cgroup(), 1);
}

std::size_t RotationBudget::per_period(const InterferenceSettings& settings) const {
  return concurrent(settings) * static_cast<std::size_t>(settings.counter_period / settings.counter_window);
}

}  // namespace evenkeel::counters
