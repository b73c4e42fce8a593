#include "collectors/counter_events.h"

// libpfm's header declares the kernel's types itself unless it finds them declared.
#include <linux/perf_event.h>
// (no reordering)
#include <perfmon/pfmlib_perf_event.h>

namespace evenkeel {
namespace {

constexpr std::array<const char*, kCountedKinds> kNames = {"cycles", "instructions", "ref-cycles",
                                                           "LLC-LOAD-MISSES", "stalled-cycles-backend"};

}  // namespace

Result<CounterEvents> encode_counter_events() {
  if (pfm_initialize() != PFM_SUCCESS) return fail(ENOTSUP, Op::other, "libpfm");
  CounterEvents events;
  for (std::size_t i = 0; i < kCountedKinds; ++i) {
    perf_event_attr attr{};
    attr.size = sizeof attr;
    pfm_perf_encode_arg_t into{};
    into.size = sizeof into;
    into.attr = &attr;
    // Both rings: what a service asks of the kernel is its own work, too.
    const int found = pfm_get_os_event_encoding(kNames[i], PFM_PLM0 | PFM_PLM3, PFM_OS_PERF_EVENT, &into);
    if (found == PFM_SUCCESS)
      events.push_back({static_cast<Counted>(i), attr.type, attr.config});
    else if (i < kCountedAlways)
      return fail(ENOENT, Op::other, kNames[i]);
  }
  return events;
}

std::string_view name(Counted what) { return kNames[static_cast<std::size_t>(what)]; }

}  // namespace evenkeel
