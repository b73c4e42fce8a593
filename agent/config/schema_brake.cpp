#include "agent/config/schema.h"

namespace evenkeel::config {
namespace {

using namespace schema;

constexpr std::int64_t kMillisecond = 1'000'000;
constexpr std::int64_t kSecond = 1000 * kMillisecond;

using B = BrakeSettings;
constexpr Row kBrakeRows[] = {
    toggle<&B::enable>("enable",
                       "cut best effort for a short time as soon as a service waits for CPU or memory"),
    toggle<&B::run_queue>(
        "runQueue",
        "also detect by BPF, where available, that a service waits for a CPU that best effort uses"),
    number<&B::window>("window", Range{50 * kMillisecond, 10 * kSecond}, "duration",
                       "PSI window, raised to the kernel's minimum: 500ms before Linux 6.4, 2s without "
                       "CAP_SYS_RESOURCE; the run queue uses half of it",
                       Kind::duration),
    number<&B::cpu_pressure_percent>("cpuPressurePercent", Range{1, 100}, "percent of the window",
                                     "brake when tasks of a service wait for a CPU this long (PSI some; "
                                     "run queue: for one that best effort uses)"),
    number<&B::memory_pressure_percent>("memoryPressurePercent", Range{1, 100}, "percent of the window",
                                        "brake when tasks of a service wait for memory this long (PSI some)"),
    number<&B::cpu_percent>("cpuPercent", Range{1, 100}, "percent of the node's CPU",
                            "CPU that best effort keeps while braked"),
    number<&B::least_cpu_per_pod>(
        "leastMilliCPUPerPod", Range{0, 1'000'000}, "thousandths of a CPU",
        "minimum for each best effort pod that uses 2 ms CPU a second or more, and for the others together, "
        "so that their probes are answered"),
    number<&B::lease>("lease", Range{100 * kMillisecond, 30 * kSecond}, "duration",
                      "time after the last alarm at which the brake is released", Kind::duration),
    number<&B::max_duty_percent>("maxDutyPercent", Range{1, 100}, "percent of any minute",
                                 "maximum time that best effort may be braked"),
};

}  // namespace

std::span<const Row> brake_rows() { return kBrakeRows; }

}  // namespace evenkeel::config
