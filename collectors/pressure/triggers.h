// The kernel's own word that a service waits, between two ticks: a pressure trigger for a CPU and one for
// memory on each pod and host application that is not best effort, and on the node. They follow the tree:
// what is born gets its own, what dies loses them. May not: wait (whoever has an event loop does), or judge
// what fired.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "cgroup/base/fd.h"
#include "cgroup/base/host.h"
#include "cgroup/tree/tree.h"
#include "collectors/base/alarm_wait.h"
#include "qos/model/snapshot.h"

namespace evenkeel::pressure {

struct TriggerHealth {
  Duration window{};          ///< zero: none can be had
  std::size_t open = 0;       ///< that may fire
  std::size_t missing = 0;    ///< whose file could not be had
  std::size_t left_out = 0;   ///< beyond the most that are held
  std::uint64_t opened = 0;   ///< since the start
  std::string why_missing{};  ///< of the last one that could not be had
};

class PressureTriggers {
 public:
  /// Held at the same time; two for each service. Each costs a descriptor and, in a window below 2 s, its
  /// cgroup a thread of the kernel.
  static constexpr std::size_t kMaxTriggers = 512;

  /// `host` must outlive it.
  explicit PressureTriggers(const Host& host) : host_(host) {}
  ~PressureTriggers();
  PressureTriggers(const PressureTriggers&) = delete;
  PressureTriggers& operator=(const PressureTriggers&) = delete;

  /// Without one nothing is opened. It must outlive this object, or be taken away: set_alarm_source({}).
  void set_alarm_source(collectors::AlarmDescriptors waiting);
  /// The pods, the tree or the settings changed: opens what is new, closes what is gone. At most `most`
  /// descriptors.
  void follow(const tree::CgroupTree& tree, const NodeSnapshot& node, const BrakeSettings& settings,
              std::size_t most);
  /// Once per tick: tries again what was not there (a unified directory made after the others).
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
  Duration window_{};  ///< zero: not looked for, or none
  std::vector<Trigger> triggers_{};
  std::size_t left_out_ = 0;
  std::uint64_t opened_ = 0;
};

}  // namespace evenkeel::pressure
