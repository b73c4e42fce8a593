// The agent's side of eviction: asks for the next victim once a tick, requests its eviction or kills its
// processes, and records the outcome. Does not choose the victim (qos/eviction/eviction.h does).
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "agent/evictions/pod_killer.h"
#include "agent/inputs/inputs.h"
#include "agent/record/recorder.h"
#include "agent/runtime/clock.h"
#include "cgroup/base/kernel_files.h"
#include "cgroup/tree/pod_processes.h"
#include "cgroup/tree/tree.h"
#include "qos/eviction/eviction.h"
#include "qos/model/units.h"

namespace evenkeel::evictions {

/// How a pod that was chosen is removed.
enum class EvictionRoute : std::uint8_t {
  api,          ///< eviction is requested from the API server
  kill,         ///< there is no API server: the agent kills the pod's processes
  report_only,  ///< stepped mode and dry run
  unavailable   ///< there is no API server, and killWithoutApi is not set
};

/// Sums since the start, for the metrics.
struct EvictionCounters {
  std::array<std::uint64_t, kFeatureGates.size()> chosen{};  ///< pods, by trigger
  std::uint64_t failures = 0, pods_killed = 0;
};

class Evictions {
 public:
  using Request = std::function<void(const eviction::Eviction&)>;
  /// All of these must outlive it.
  struct Environment {
    const inputs::Inputs& inputs;
    const NodeSnapshot& node;
    const tree::CgroupTree& tree;
    const Host& host;
    KernelFiles& files;
    const runtime::Clock& clock;
    record::Recorder& recorder;
    bool report_only = false;  ///< no pod is evicted: stepped mode and dry run
  };
  explicit Evictions(const Environment& environment) : in_(environment) {}

  /// Requests evictions from the API server. Without it pods are killed or left alone, see route().
  void set_evictor(Request request) { request_ = std::move(request); }
  [[nodiscard]] EvictionRoute route() const;

  /// Once a tick, on fresh measurements: carries on with the pod that is being killed, and chooses the next
  /// victim. `chosen` is cleared first.
  void update(eviction::EvictionFacts facts, MonoTime now, std::vector<eviction::Eviction>& chosen);

  /// The API server refused the eviction, or it failed: this pod is not chosen again before `pause` has
  /// passed.
  void failed(const std::string& uid, const std::string& why, Duration pause);
  /// The API server no longer has the pod: nothing failed, but its cgroup may stay for a while. It is not
  /// chosen again before `pause` has passed.
  void gone(const std::string& uid, const std::string& why, Duration pause);
  /// No usable answer to the eviction request (no connection, 401, 5xx). The pod may still be terminating, so
  /// no other pod is chosen until its patience has passed.
  void unanswered(const std::string& uid, const std::string& why);

  [[nodiscard]] const eviction::EvictionState& state() const { return state_; }
  [[nodiscard]] const EvictionCounters& counters() const { return counters_; }

 private:
  void record(const eviction::Eviction& victim, MonoTime now);
  void record_failure(const std::string& uid, const std::string& why, MonoTime now);
  void start_kill(const eviction::Eviction& victim, MonoTime now);
  void continue_kill(MonoTime now);
  void killed(const std::string& uid, Duration grace, MonoTime now);

  Environment in_;
  Request request_{};
  eviction::EvictionState state_{};
  std::optional<PodKiller> pod_killer_{};
  EvictionCounters counters_{};
};

}  // namespace evenkeel::evictions
