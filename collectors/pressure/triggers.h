// PSI triggers between two ticks, and the cgroups that they watch for the brake.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cgroup/base/host.h"
#include "cgroup/base/result.h"
#include "cgroup/tree/tree.h"
#include "collectors/base/collector.h"
#include "qos/model/snapshot.h"

namespace evenkeel::pressure {

// Selects the cgroups that the brake protects.

/// The cgroups of pods and host applications that are not best effort.
std::vector<CgroupIndex> latency_sensitive(const NodeSnapshot& node);

// PSI triggers that report a waiting service between two ticks: one for CPU and one for memory on each pod
// and host application that is not best effort, and on the node. They follow the tree: new cgroups get
// triggers, removed ones lose them. Does not wait (the event loop does) and does not judge what fired.

struct TriggerHealth {
  Duration window{};          ///< zero: the kernel accepts none
  std::size_t open = 0;       ///< triggers armed
  std::size_t missing = 0;    ///< whose file could not be opened
  std::size_t left_out = 0;   ///< beyond the limit
  std::uint64_t opened = 0;   ///< since the start
  std::string why_missing{};  ///< of the last failure
};

class PressureTriggers {
 public:
  /// The limit on open triggers; each service has two. A trigger costs a descriptor and, with a window below
  /// 2 s, a kernel thread for its cgroup.
  static constexpr std::size_t kMaxTriggers = 512;

  /// `host` must outlive it.
  explicit PressureTriggers(const Host& host) : host_(host) {}
  ~PressureTriggers();
  PressureTriggers(const PressureTriggers&) = delete;
  PressureTriggers& operator=(const PressureTriggers&) = delete;

  /// Nothing is opened without one. It must outlive this object or be reset: set_alarm_source({}).
  void set_alarm_source(collectors::AlarmDescriptors waiting);
  /// The pods, the tree or the settings changed: opens new triggers, closes those of removed cgroups. Uses at
  /// most `most` descriptors.
  void follow(const tree::CgroupTree& tree, const NodeSnapshot& node, const BrakeSettings& settings,
              std::size_t most);
  /// Called once per tick: retries missing files (a unified directory created after the others).
  void retry();
  [[nodiscard]] TriggerHealth health() const;

 private:
  struct Trigger {
    CgroupId victim{};
    Contended resource = Contended::cpu;
    std::string file{};
    Fd fd{};
    int error = 0;
    int attempts = 0;
  };
  [[nodiscard]] std::vector<Trigger> wanted(const tree::CgroupTree& tree, const NodeSnapshot& node,
                                            std::size_t most);
  void close_all();
  void open(Trigger& trigger);
  void close(Trigger& trigger);
  void ready(int fd, std::uint32_t events);
  [[nodiscard]] Duration stall(Contended what) const;

  const Host& host_;
  collectors::AlarmDescriptors alarm_source_{};
  BrakeSettings settings_{};
  Duration window_{};  ///< zero: not determined yet, or none accepted
  std::vector<Trigger> triggers_{};
  std::size_t left_out_ = 0;
  std::uint64_t opened_ = 0;
};

}  // namespace evenkeel::pressure
