// Runs one phase of the demo: starts stage, service, hogs and agent, measures, and stops them again.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "agent/demo/console.h"
#include "agent/demo/figures.h"
#include "agent/demo/managed.h"
#include "agent/demo/restored.h"
#include "agent/demo/service.h"
#include "agent/demo/stage.h"

namespace evenkeel::demo {

struct Bench {
  const Host* host = nullptr;
  const Stage* stage = nullptr;
  Console* console = nullptr;
  ServiceLoad load{};
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
