// The whole demo and one phase of it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "agent/demo/load.h"
#include "agent/demo/process.h"
#include "agent/demo/report.h"
#include "agent/demo/service.h"
#include "agent/demo/stage.h"

namespace evenkeel::demo {

// `evenkeel demo`: a real co-location experiment on this machine. A latency-sensitive service and best-effort
// hogs run in their own cgroups: the service alone, both with Kubernetes' settings, with a fixed CPU quota on
// the hogs, and under the real agent. The short form of tests/scoreboard. Does not touch any other cgroup.

struct DemoOptions {
  int seconds = 4;          ///< measured length of one phase, in seconds
  int rounds = 3;           ///< medians of the rounds are shown
  bool quick = false;       ///< one short round: a smoke test, its figures mean little
  std::string json_file{};  ///< empty: no JSON
  /// "builtin", "redis", or "auto": redis where its program is installed and starts.
  std::string service = "auto";
};

/// 0: the experiment ran and everything is restored, whatever the figures. 1: it could not run, was
/// interrupted, or a value was not restored.
int run_demo(const DemoOptions& options);

// Runs one phase of the demo: starts stage, service, hogs and agent, measures, and stops them again.

struct Bench {
  const Host* host = nullptr;
  const Stage* stage = nullptr;
  Console* console = nullptr;
  ServiceLoad load{};
  std::size_t cpus = 0;
  int hogs = 0;
};

struct PhaseResult {
  Figures figures{};
  /// Managed phase only.
  std::vector<AuditLine> audit{};
  Restoration restoration{};
  /// Not empty: why the phase failed; the rest is then invalid.
  std::string failure{};
};

/// Absent when a signal asked the demo to stop.
std::optional<PhaseResult> run_phase(const Bench& bench, Scenario scenario, Phase phase);

}  // namespace evenkeel::demo
