// The agent of one node: collectors, policies and writers, connected once and driven by tick(). Does not own
// an event loop; each part is in the folder of its name.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agent/api/pages.h"
#include "agent/record/health.h"
#include "agent/tick/tick.h"
#include "agent/writers/writers.h"

namespace evenkeel {

struct AgentOptions {
  std::string host_root = "/";
  std::string cgroup_root{};
  std::string state_dir{};
  inputs::Inputs::Options inputs{};
  bool dry_run = false;
  bool stepped = false;  ///< no events are waited for: files and tree are read in every tick
};

/// The parts that the program connects with servers and with its event loop.
struct AgentParts {
  inputs::Inputs& inputs;
  brakes::Brakes& brakes;
  evictions::Evictions& evictions;
  lender::Lender& lender;
  figures::Figures& figures;
  record::Recorder& recorder;
  record::ServerActivity& servers;
  tick::Tick& tick;
};

class Agent {
 public:
  struct Created {
    std::unique_ptr<Agent> agent{};
    std::string error{};
    int exit_code = 1;
  };
  /// Opens the host, takes the state directory's lock, restores what a crash left and reads the inputs once.
  /// `wall` is null in stepped mode.
  static Created create(const AgentOptions& options, runtime::Log& log, const runtime::Clock& clock,
                        const runtime::WallClock* wall);

  /// One full round: measure, decide, write.
  const tick::TickResult& tick(MonoTime now) { return tick_.run(now); }
  /// An event between two ticks: decides again on the existing measurements.
  const tick::TickResult& react(MonoTime now) { return tick_.react(now); }
  /// A PSI trigger or BPF reported between two ticks that a service waits too long: brakes if that helps.
  const tick::TickResult& alarm(const Alarm& alarm);
  /// When react() is to be called at the latest; absent: no brake is on.
  [[nodiscard]] std::optional<MonoTime> due() const { return brakes_.due(); }
  /// Computes what can be lent from the ticks so far, and saves what was learned. Less often than a tick: it
  /// allocates.
  void lend(MonoTime now);
  /// Orderly stop: saves what was learned and restores every original value.
  tick::TickResult stop(MonoTime now);

  /// Descriptors whose readiness calls for react().
  [[nodiscard]] std::vector<int> descriptors() const;
  [[nodiscard]] AgentParts parts();
  /// For the pages; valid for the agent's lifetime.
  [[nodiscard]] api::AgentView view() const;

 private:
  /// What must open successfully before the agent can be constructed.
  struct Opened {
    Host host;
    tree::Layout layout;
    executor::Journal journal;
    record::Audit audit;
  };
  Agent(const AgentOptions& options, Opened opened, runtime::Log& log, const runtime::Clock& clock,
        const runtime::WallClock* wall);

  writers::KernelAccess kernel_;
  inputs::Inputs inputs_;
  tick::Observer observer_;
  record::Recorder recorder_;
  tick::Decider decider_;
  tick::Execution execution_;
  tick::Reclaims reclaims_;
  brakes::Brakes brakes_;
  evictions::Evictions evictions_;
  lender::Lender lender_;
  record::ServerActivity servers_{};
  tick::Tick tick_;
};

}  // namespace evenkeel
