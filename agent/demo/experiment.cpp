#include "agent/demo/experiment.h"

#include "agent/demo/load.h"
#include "agent/demo/service.h"

namespace evenkeel::demo {
namespace {

constexpr Duration kHogsWarmUp = std::chrono::milliseconds(500);
constexpr Duration kServerStart = std::chrono::milliseconds(200);

PhaseResult failed(std::string why) {
  PhaseResult result;
  result.failure = std::move(why);
  return result;
}

Figures figures_of(const std::vector<Exchange>& counted) {
  std::vector<Duration> latencies, lateness;
  for (const Exchange& each : counted) {
    latencies.emplace_back(each.latency_ns);
    lateness.emplace_back(each.late_ns);
  }
  Figures figures;
  figures.latency = latency_of(latencies);
  figures.histogram = histogram_of(latencies);
  figures.late_p99 = latency_of(std::move(lateness)).p99;
  return figures;
}

/// Measures the service under its load, with or without hogs; figures cover the counted time.
std::optional<PhaseResult> measure(const Bench& bench, Hogs* hogs) {
  Service service(*bench.stage, bench.load);
  const auto broken = [&](const std::string& what) {
    const std::string log = service.log();
    return failed("the service " + what + (log.empty() ? "" : ". Its log:\n" + log));
  };
  if (!service.connect(*bench.console)) {
    if (bench.console->interrupted()) return std::nullopt;
    return broken("could not be started: is its cgroup usable?");
  }
  const Duration start = monotonic() + kServerStart;
  if (!service.begin(start)) return failed("the load generator could not be started");
  const Duration from = start + bench.load.warm_up;
  if (!bench.console->pause_until(from)) return std::nullopt;
  const auto cpu_before = read_cpu(*bench.host, *bench.stage);
  const auto work_before = hogs ? hogs->work() : 0;
  if (!bench.console->pause_until(from + bench.load.length)) return std::nullopt;
  const auto cpu_after = read_cpu(*bench.host, *bench.stage);
  const auto work_after = hogs ? hogs->work() : 0;
  const auto counted = service.finish();
  if (!counted) return broken("or its load generator died");
  if (counted->empty()) return broken("was sent no request");
  if (!cpu_before || !cpu_after) return failed("the CPU use of the demo's cgroups cannot be read");
  if (hogs && !hogs->running()) return failed("a best-effort hog could not be started, or died");
  PhaseResult result;
  result.figures = figures_of(*counted);
  result.figures.cpu = cpu_between(*cpu_before, *cpu_after, bench.cpus);
  result.figures.work = static_cast<double>(work_after - work_before) /
                        std::chrono::duration<double>(bench.load.length).count();
  return result;
}

std::optional<PhaseResult> measure_with_quota(const Bench& bench, Hogs& hogs) {
  if (!bench.stage->limit_batch(static_cast<double>(bench.cpus) / 2))
    return failed("best effort's CPU quota cannot be written");
  auto result = measure(bench, &hogs);
  if (!bench.stage->limit_batch(std::nullopt)) return failed("best effort's CPU quota cannot be removed");
  return result;
}

std::optional<PhaseResult> measure_managed(const Bench& bench, Hogs& hogs) {
  const ControlValues before = bench.stage->controls();
  ManagedNode node(*bench.host, *bench.stage);
  if (!node.wait_until_ready(*bench.console)) {
    if (bench.console->interrupted()) return std::nullopt;
    (void)node.stop();
    return failed("the agent did not start managing the node. Its log:\n" + node.log());
  }
  auto result = measure(bench, &hogs);
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
  // The batch work is there before the agent, as on a node where the agent is installed.
  Hogs hogs(*bench.stage, scenario, bench.hogs);
  if (!bench.console->pause_until(monotonic() + kHogsWarmUp)) return std::nullopt;
  if (phase == Phase::quota) return measure_with_quota(bench, hogs);
  if (phase == Phase::managed) return measure_managed(bench, hogs);
  return measure(bench, &hogs);
}

}  // namespace evenkeel::demo
