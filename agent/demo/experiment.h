// One phase of the demo: stage, service, hogs and agent brought together, measured, and taken apart again.
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
  /// Managed only.
  std::vector<AuditLine> audit{};
  Restoration restoration{};
  /// Not empty: the phase failed, with the reason; nothing else counts.
  std::string failure{};
};

/// Absent when somebody asked to stop.
std::optional<PhaseResult> run_phase(const Bench& bench, Scenario scenario, Phase phase);

}  // namespace evenkeel::demo
