// What the tests of levers have found on this node, over restarts.
#pragma once

#include <string>
#include <string_view>

#include "agent/history/checkpoint.h"
#include "cgroup/base/host.h"
#include "qos/detector/rank_test.h"
#include "qos/model/nodeslo.h"
#include "qos/proof/proof.h"

namespace evenkeel::history {

// Writes and parses STATE_DIR/proof: the evidence about each lever. Does not know files or clocks.
//
// One lever a line (sealed_line()), of which the body is
//
//   KIND KERNEL CONFIGURATION LEVER VERDICT RUN TRIALS TRIALS_OF_RUN SUM SQUARES LOGS HARMS HARMS HELPS HELPS
//
// KIND is 2 for evidence by what the kernel measures, 3 for that by what services report. KERNEL is
// kernel_name(), CONFIGURATION NodeSlo::fingerprint, VERDICT a number (proof::Verdict), SUM and
// SQUARES those of the logarithms of the effect; HARMS and HELPS are the wealth of both stakes. The line
//
//   4 BUDGET
//
// says for how many nanoseconds levers may still be withheld. It holds for every kernel and configuration.

/// What the evidence holds for: another kernel or configuration has other levers.
struct ProofConditions {
  std::string kernel{};
  std::uint64_t configuration = 0;
};

/// Release and version of the running kernel, in one word. The release alone is not enough: that of Debian
/// stays the same when a kernel is replaced by one with fixes.
std::string kernel_name(const Host& host);

std::string verdicts_text(const proof::ProofState& state, const ProofConditions& under);
/// Drops what was found under other conditions, but not the budget.
CheckpointStats read_verdicts(std::string_view text, const ProofConditions& under, proof::ProofState& state);

// Keeps the evidence over restarts in STATE_DIR/proof: loaded when the policy "proof" is switched on, saved
// while it is on. Does not test anything.

class Verdicts {
 public:
  /// `kernel`: kernel_name(). `dry_run`: no lever is in force, so that nothing can be found.
  Verdicts(Checkpoint checkpoint, std::string kernel, bool dry_run)
      : checkpoint_(std::move(checkpoint)), kernel_(std::move(kernel)), dry_run_(dry_run) {}

  /// Before each decision: loads when the policy was switched on, saves when it is switched off.
  void update(const NodeSlo& slo, MonoTime now, proof::ProofState& state);
  /// Saves while the policy is on, if `reason` asks for a copy.
  void save(const NodeSlo& slo, MonoTime now, SaveReason reason, const proof::ProofState& state);

 private:
  void save_now(const NodeSlo& slo, MonoTime now, SaveReason reason, const proof::ProofState& state);

  Checkpoint checkpoint_;
  std::string kernel_;
  bool dry_run_;
  bool on_ = false;  ///< the policy has what was saved
};

}  // namespace evenkeel::history
