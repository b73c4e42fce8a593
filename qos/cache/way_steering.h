// How many cache ways best effort gives up, and the misses of services by which that is decided. Does not
// know groups or masks of resctrl.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "qos/decide/shared.h"
#include "qos/model/ids.h"
#include "qos/model/snapshot.h"
#include "qos/model/task_measurements.h"
#include "qos/model/units.h"

namespace evenkeel::cache {

// Counts the last-level cache misses of services per instruction, compares them with each service's best
// times, and computes which share of the cache traffic is best effort's. Fixed memory per container. Does not
// decide anything.

class ServiceMisses {
 public:
  enum class Whose : std::uint8_t { service, best_effort };

  /// Adds a window that ended now. One without misses (another process used the counter) discards what was
  /// known.
  void take(const CpuCounts& counts, Whose whose, MonoTime now);
  /// Treats values older than `valid` as unknown; a container without values for much longer is removed.
  void age(MonoTime now, Duration valid);

  /// Misses per instruction of all services; absent: not known of any.
  [[nodiscard]] std::optional<double> per_instruction() const;
  /// The same as a multiple of the services' references, none of which counts as less than `least` misses per
  /// instruction. A service weighs as much as its instructions, so which of them run makes no difference.
  [[nodiscard]] std::optional<double> above_reference(double least) const;
  /// Best effort's share of what is loaded into the cache. Absent: of none of its containers
  /// anything is known.
  [[nodiscard]] std::optional<double> best_effort_share() const;
  /// Marks the current values as the state before, for change_since().
  void mark();
  /// For the services counted wholly after `since`: their misses as a multiple of those expected from the
  /// marked values. Absent: no service was counted before and after.
  [[nodiscard]] std::optional<double> change_since(MonoTime since) const;

 private:
  struct Container {
    CgroupId cgroup{};
    Whose whose = Whose::service;
    MonoTime began{}, ended{};  ///< of the newest window
    bool known = false;
    double misses = 0, instructions = 0;  ///< per second
    double per_instruction = 0;
    std::optional<double> reference{}, marked{};  ///< misses per instruction
    MonoTime taught{};                            ///< when the reference last changed
  };
  Container& of(CgroupId cgroup, Whose whose);
  static void learn(Container& one, MonoTime now);

  std::vector<Container> containers_{};  ///< ascending by cgroup
};

// Steers how many cache ways best effort has to give up, by the misses of services: one step at a time, each
// a trial that is kept only where it helped (Heracles, ISCA 2015: a service comes before batch work; dCAT,
// EuroSys 2018: ways are given where they lower the misses). One answer for all caches: counters do not say
// at which cache a container missed. Does not know groups, masks or settings of resctrl.

/// Result of a step. A cut helps or does not; restoring ways is harmless or hurts.
enum class WayStep : std::uint8_t { helped, no_help, harmless, hurt };
inline constexpr std::size_t kWaySteps = 4;
inline constexpr std::array<const char*, kWaySteps> kWayStepNames = {"helped", "no-help", "harmless", "hurt"};

class WaySteering {
 public:
  /// The ways of best effort: as configured, and the minimum that it keeps.
  struct Room {
    std::int64_t ways = 0, least = 1;
  };
  /// Called once per tick. `watched` tells services from best effort.
  void steer(const NodeSnapshot& node, const NodeSlo& slo, const decide::WatchedCgroups& watched, Room room);
  void forget() { *this = {}; }

  /// How many of the configured ways are taken from best effort.
  [[nodiscard]] std::int64_t taken() const { return taken_; }
  /// Misses per instruction of services, and the same as a multiple of their reference; absent: not known.
  [[nodiscard]] std::optional<double> misses() const { return misses_; }
  [[nodiscard]] std::optional<double> times_usual() const { return times_usual_; }
  /// Since it was switched on, indexed by WayStep.
  [[nodiscard]] const std::array<std::uint64_t, kWaySteps>& steps() const { return steps_; }

 private:
  /// A step that is under way.
  struct Trial {
    MonoTime since{};
    std::int64_t before = 0;  ///< ways taken
  };
  void add_counts(const NodeSnapshot& node, const NodeSlo& slo, const decide::WatchedCgroups& watched);
  void judge(MonoTime now, const ResctrlDynamic& settings, Duration turn);
  void begin(MonoTime now, std::int64_t taken);
  void end(MonoTime now, WayStep what, Duration turn);
  void decide(MonoTime now, const ResctrlDynamic& settings, Room room, Duration turn);

  ServiceMisses counted_{};
  std::int64_t taken_ = 0;
  std::optional<Trial> trial_{};
  std::optional<double> misses_{}, times_usual_{};
  std::optional<double> best_effort_share_{};  ///< of the misses; absent: none of its containers is counted
  std::optional<MonoTime> high_since_{}, calm_since_{}, unknown_since_{};
  MonoTime cut_after_{}, grow_after_{};                 ///< earliest time of the next cut or growth
  int cut_backoff_turns_ = 0, grow_backoff_turns_ = 0;  ///< how long the next rest is; 0: no step has failed
  std::array<std::uint64_t, kWaySteps> steps_{};
};

}  // namespace evenkeel::cache
