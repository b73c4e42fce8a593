#include "agent/config/schema.h"

namespace evenkeel::config {
namespace {

using namespace schema;

constexpr std::int64_t kMillisecond = 1'000'000;
constexpr std::int64_t kSecond = 1000 * kMillisecond;

using B = BrakeSettings;
constexpr Row kBrakeRows[] = {
    toggle<&B::enable>("enable", "the moment a service waits, best effort is cut for a short time"),
    toggle<&B::run_queue>("runQueue",
                          "hear of waits for a CPU that best effort has also by BPF, where it can be loaded"),
    number<&B::window>(
        "window", Range{50 * kMillisecond, 10 * kSecond}, "duration",
        "pressure is looked at over so long, or the shortest above it that the kernel allows: 500ms before "
        "Linux 6.4, 2s without CAP_SYS_RESOURCE; the run queue over half of it",
        Kind::duration),
    number<&B::cpu_pressure_percent>(
        "cpuPressurePercent", Range{1, 100}, "percent of the window",
        "somebody in a service waits for a CPU (PSI some; run queue: one that best effort has)"),
    number<&B::memory_pressure_percent>("memoryPressurePercent", Range{1, 100}, "percent of the window",
                                        "somebody in a service waits for memory (PSI some)"),
    number<&B::cpu_percent>("cpuPercent", Range{1, 100}, "percent of the node's CPU",
                            "that best effort keeps while it is braked"),
    number<&B::least_cpu_per_pod>(
        "leastMilliCPUPerPod", Range{0, 1'000'000}, "thousandths of a CPU",
        "and never less for each of its pods that works (2 ms a second), and for the others "
        "together: their probes must answer"),
    number<&B::lease>("lease", Range{100 * kMillisecond, 30 * kSecond}, "duration",
                      "after the last alarm it is let go", Kind::duration),
    number<&B::max_duty_percent>("maxDutyPercent", Range{1, 100}, "percent of any minute",
                                 "that it may be braked"),
};

}  // namespace

std::span<const Row> brake_rows() { return kBrakeRows; }

}  // namespace evenkeel::config
