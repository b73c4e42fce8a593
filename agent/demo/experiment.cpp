#include "agent/demo/experiment.h"

#include "agent/demo/load.h"

namespace evenkeel::demo {
namespace {

constexpr Duration kHogsWarmUp = std::chrono::milliseconds(500);
constexpr Duration kServerStart = std::chrono::milliseconds(200);

PhaseResult failed(std::string why) {
  PhaseResult result;
  result.failure = std::move(why);
  return result;
}

/// Measures the service under its load, with or without hogs; figures cover the counted time.
std::optional<PhaseResult> measure(const Bench& bench, const Hogs* hogs) {
  const Duration start = monotonic() + kServerStart;
  Service service(*bench.stage, bench.load, start);
  if (!service.started()) return failed("the service could not be started");
  const Duration from = start + bench.load.warm_up;
  if (!bench.console->pause_until(from)) return std::nullopt;
  const auto cpu_before = read_cpu(*bench.host, *bench.stage);
  const auto work_before = hogs ? hogs->work() : 0;
  if (!bench.console->pause_until(from + bench.load.length)) return std::nullopt;
  const auto cpu_after = read_cpu(*bench.host, *bench.stage);
  const auto work_after = hogs ? hogs->work() : 0;
  const auto latencies = service.finish();
  if (latencies.empty()) return failed("the service answered no request: is its cgroup usable?");
  if (!cpu_before || !cpu_after) return failed("the CPU use of the demo's cgroups cannot be read");
  PhaseResult result;
  result.figures.latency = latency_of(latencies);
  result.figures.histogram = histogram_of(latencies);
  result.figures.cpu = cpu_between(*cpu_before, *cpu_after, bench.load.cpus.size());
  result.figures.work = static_cast<double>(work_after - work_before) /
                        std::chrono::duration<double>(bench.load.length).count();
  return result;
}

std::optional<PhaseResult> measure_with_hogs(const Bench& bench, Scenario scenario) {
  Hogs hogs(*bench.stage, scenario, bench.hogs);
  if (!bench.console->pause_until(monotonic() + kHogsWarmUp)) return std::nullopt;
  auto result = measure(bench, &hogs);
  if (result && !hogs.running()) return failed("a best-effort hog could not be started, or died");
  return result;
}

std::optional<PhaseResult> measure_managed(const Bench& bench, Scenario scenario) {
  const ControlValues before = bench.stage->controls();
  ManagedNode node(*bench.host, *bench.stage);
  if (!node.wait_for_first_write(*bench.console)) {
    if (bench.console->interrupted()) return std::nullopt;
    (void)node.stop();
    return failed("the agent did not start managing the node. Its log:\n" + node.log());
  }
  auto result = measure_with_hogs(bench, scenario);
  const int status = node.stop();
  if (!result || !result->failure.empty()) return result;
  if (status != 0) return failed("the agent did not exit cleanly. Its log:\n" + node.log());
  result->audit = node.audit();
  result->restoration = compare(before, bench.stage->controls(), result->audit);
  return result;
}

}  // namespace

std::optional<PhaseResult> run_phase(const Bench& bench, Scenario scenario, Phase phase) {
  if (phase == Phase::alone) return measure(bench, nullptr);
  if (phase == Phase::unmanaged) return measure_with_hogs(bench, scenario);
  return measure_managed(bench, scenario);
}

}  // namespace evenkeel::demo
