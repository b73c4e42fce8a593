#include "collectors/counters/events.h"

// libpfm's header declares the kernel's types itself unless they are already declared.
#include <linux/perf_event.h>
// (no reordering)
#include <perfmon/pfmlib_perf_event.h>

#include <algorithm>

namespace evenkeel::counters {
namespace {

struct Named {
  CounterKind what;
  const char* name;
};
/// In the order of CounterKind. Kernels have no generic name for cache misses on an Intel CPU whose model
/// they do not know (as in many virtual machines): there the architectural event, which every Intel CPU has,
/// is the same. Other vendors' "cache-misses" count another cache level.
constexpr std::array<Named, kCountedKinds + 1> kNamed = {
    {{CounterKind::cycles, "cycles"},
     {CounterKind::instructions, "instructions"},
     {CounterKind::reference_cycles, "ref-cycles"},
     {CounterKind::cache_misses, "LLC-LOAD-MISSES"},
     {CounterKind::cache_misses, "ix86arch::LLC_MISSES"},
     {CounterKind::stalled_cycles, "stalled-cycles-backend"}}};

}  // namespace

Result<CounterEvents> encode_counter_events() {
  if (pfm_initialize() != PFM_SUCCESS) return fail(ENOTSUP, Op::other, "libpfm");
  CounterEvents events;
  for (const auto& [what, spelled] : kNamed) {
    perf_event_attr attr{};
    attr.size = sizeof attr;
    pfm_perf_encode_arg_t into{};
    into.size = sizeof into;
    into.attr = &attr;
    // User and kernel mode: what a service makes the kernel do is its own work, too.
    const int found = pfm_get_os_event_encoding(spelled, PFM_PLM0 | PFM_PLM3, PFM_OS_PERF_EVENT, &into);
    if (found == PFM_SUCCESS)
      events.push_back({what, attr.type, attr.config});
    else if (static_cast<std::size_t>(what) < kCountedAlways)
      return fail(ENOENT, Op::other, spelled);
  }
  return events;
}

std::string_view name(CounterKind what) { return std::ranges::find(kNamed, what, &Named::what)->name; }

}  // namespace evenkeel::counters
