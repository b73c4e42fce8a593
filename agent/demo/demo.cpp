#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <optional>
#include <set>
#include <string>

#include "agent/demo/experiment.h"
#include "agent/demo/load.h"
#include "agent/demo/redis.h"
#include "agent/demo/report.h"

namespace evenkeel::demo {
namespace {

constexpr Duration kRequestCost = std::chrono::microseconds(50);
constexpr double kRequestsPerCpu = 1000, kMostRequests = 8000;  ///< a second
constexpr double kBusyIsNoise = 0.1;                            ///< CPUs used by others before the start
/// Rough time of a phase beyond its measured part: starts, warm-ups, stops.
constexpr double kOverheadSeconds = 1.2;
constexpr int kPhasesPerRound = 7;  ///< alone, and three more for each scenario

struct Run {
  const DemoOptions& options;
  Bench bench;
  Outcome outcome{};
  std::map<Scenario, std::map<Phase, std::vector<Figures>>> rounds{};
  int steps_done = 0;
};

int complain(const std::string& what) {
  std::fprintf(stderr, "evenkeel demo: %s\n", what.c_str());
  return 1;
}

std::string kernel_text(const tree::Layout& layout) {
  utsname system{};
  ::uname(&system);
  return std::string("Linux ") + system.release + ", cgroup " + tree::name(layout.version);
}

/// CPUs that other processes use now, while the demo is idle.
double noise(const Host& host, Console& console) {
  constexpr Duration kLook = std::chrono::seconds(1);
  const auto before = machine_times(host);
  const Duration from = monotonic();
  console.pause_until(from + kLook);
  const auto after = machine_times(host);
  if (!before || !after) return 0;
  return static_cast<double>((after->used - before->used).count()) /
         static_cast<double>((monotonic() - from).count());
}

void warn_if_busy(const Host& host, Console& console) {
  const double busy = noise(host, console);
  if (busy > kBusyIsNoise)
    std::fprintf(stderr, "demo: others use %.2f CPUs of this machine: the figures will be noisy\n", busy);
}

/// Each file once, with its last value; restores appear only as a count.
std::vector<AuditLine> last_writes(const std::vector<AuditLine>& audit) {
  std::vector<AuditLine> writes;
  std::set<std::string> seen;
  for (auto line = audit.rbegin(); line != audit.rend(); ++line)
    if (line->kind == "write" && seen.insert(line->path).second) writes.insert(writes.begin(), *line);
  return writes;
}

/// False: stop, with the exit status in `status`.
bool step(Run& run, int round, Scenario scenario, Phase phase, int& status) {
  const int steps = kPhasesPerRound * run.outcome.rounds;
  const std::string what = "round " + std::to_string(round + 1) + " of " +
                           std::to_string(run.outcome.rounds) + ": " +
                           (phase == Phase::alone ? "" : std::string(name(scenario)) + ", ") + name(phase);
  run.bench.console->progress(static_cast<double>(run.steps_done++) / steps, what);
  auto result = run_phase(run.bench, scenario, phase);
  if (!result) status = complain("interrupted by " + run.bench.console->interrupted_by() + "; cleaning up");
  if (result && !result->failure.empty()) status = complain(result->failure);
  if (status != 0) return false;
  ++run.outcome.measured;
  if (counts(result->figures, run.outcome.cpus)) {
    run.rounds[scenario][phase].push_back(result->figures);
  } else {
    ++run.outcome.dropped;
  }
  if (phase != Phase::managed) return true;
  run.outcome.writes = last_writes(result->audit);
  add(run.outcome.restoration, result->restoration);
  return true;
}

/// Phases alternate, so that a disturbance or drift of the machine affects all of them. The phase with the
/// service alone is the same in both scenarios and is measured once a round.
int run_rounds(Run& run) {
  int status = 0;
  for (int round = 0; round < run.outcome.rounds; ++round) {
    if (!step(run, round, Scenario::spinners, Phase::alone, status)) return status;
    run.rounds[Scenario::fault_storm][Phase::alone] = run.rounds[Scenario::spinners][Phase::alone];
    for (const Scenario scenario : kScenarios)
      for (const Phase phase : {Phase::unmanaged, Phase::quota, Phase::managed})
        if (!step(run, round, scenario, phase, status)) return status;
  }
  return 0;
}

int report(Run& run) {
  for (const auto& [scenario, phases] : run.rounds)
    for (const auto& [phase, figures] : phases)
      if (!figures.empty()) run.outcome.figures[scenario][phase] = median_of(figures);
  std::vector<Duration> p99, p999;
  for (const auto& alone : run.rounds[Scenario::spinners][Phase::alone]) {
    p99.push_back(alone.latency.p99);
    p999.push_back(alone.latency.p999);
  }
  run.outcome.p99_spread = spread(p99);
  run.outcome.p999_spread = spread(p999);
  const Outcome& outcome = run.outcome;
  std::printf("%s\n%s\n%s\n%s", table(outcome).c_str(), plot(outcome).c_str(),
              what_the_agent_did(outcome).c_str(), verdict(outcome).c_str());
  if (!run.options.json_file.empty()) {
    std::ofstream file(run.options.json_file);
    file << as_json(outcome);
    if (!file.flush()) return complain(run.options.json_file + ": cannot be written");
  }
  return outcome.restoration.left.empty() ? 0 : 1;
}

/// The program of redis; empty: the built-in service. Absent: what was asked for cannot be used, and that was
/// said.
std::optional<std::string> chosen_service(const std::string& asked, const Stage& stage, Console& console) {
  if (asked == "builtin") return "";
  const bool needed = asked == "redis";
  std::string program = program_in_path("redis-server");
  if (program.empty()) {
    if (needed) complain("redis-server is not installed (not in PATH)");
    return needed ? std::nullopt : std::optional<std::string>("");
  }
  RedisServer probe(program, [&] { return stage.enter(stage.service()); });
  if (probe.wait_until_ready(console) || console.interrupted()) return program;
  const std::string why = program + " does not start. Its log:\n" + probe.log();
  if (needed) {
    complain(why);
    return std::nullopt;
  }
  std::fprintf(stderr, "demo: the service is the built-in one, for %s", why.c_str());
  return "";
}

Bench bench_for(const DemoOptions& options, int cpus, const std::string& redis) {
  Bench bench{.cpus = static_cast<std::size_t>(cpus), .hogs = 2 * cpus};
  bench.load.redis = redis;
  bench.load.workers = cpus;
  bench.load.requests_per_second = std::min(kMostRequests, kRequestsPerCpu * cpus);
  bench.load.iterations = calibrated_iterations(kRequestCost);
  bench.load.length = std::chrono::seconds(options.quick ? 1 : options.seconds);
  return bench;
}

Outcome outcome_for(const DemoOptions& options, const Bench& bench) {
  Outcome outcome;
  outcome.service = bench.load.redis.empty() ? ServiceKind::builtin : ServiceKind::redis;
  outcome.cpus = bench.cpus;
  outcome.rounds = options.quick ? 1 : options.rounds;
  outcome.seconds = std::chrono::duration<double>(bench.load.length).count();
  outcome.requests_per_second = bench.load.requests_per_second;
  outcome.hogs = static_cast<std::size_t>(bench.hogs);
  outcome.kernel = kernel_text(bench.stage->layout());
  return outcome;
}

int run_on(const Host& host, const DemoOptions& options) {
  const auto cpus = static_cast<int>(usable_cpus().size());
  if (cpus == 0) return complain("the CPUs of this machine cannot be determined");
  Console console;
  auto stage = Stage::build(host, cpus);
  if (!stage)
    return complain("cannot create cgroups here (" + std::string(errno_name(stage.error().code)) +
                    "); the demo needs cgroup file systems mounted for writing");
  const auto redis = chosen_service(options.service, *stage, console);
  if (!redis) return 1;
  warn_if_busy(host, console);
  Run run{.options = options, .bench = bench_for(options, cpus, *redis)};
  run.bench.host = &host;
  run.bench.stage = &*stage;
  run.bench.console = &console;
  run.outcome = outcome_for(options, run.bench);
  std::fprintf(stderr, "demo: seven phases, %d round%s, about %.0f s; Ctrl-C stops and cleans up\n",
               run.outcome.rounds, run.outcome.rounds == 1 ? "" : "s",
               kPhasesPerRound * run.outcome.rounds * (run.outcome.seconds + kOverheadSeconds));
  const int status = run_rounds(run);
  console.clear();
  return status != 0 ? status : report(run);
}

}  // namespace

int run_demo(const DemoOptions& options) {
  if (::geteuid() != 0) return complain("needs root: it creates cgroups and writes their control files");
  const auto host = Host::open("/");
  if (!host) return complain("the file system root cannot be opened");
  return run_on(*host, options);
}

}  // namespace evenkeel::demo
