// The facts that policies share: each fact is a type with one publisher. Which policy publishes and reads
// which fact stands in the type of that policy (qos/decide/policy.h); it can reach no other fact.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <vector>

#include "qos/model/ids.h"
#include "qos/model/objective.h"
#include "qos/model/units.h"

namespace evenkeel::decide {

/// Quotas raised, by "cpu-burst": cgroups whose CPU quota is burst's in this tick. Ascending.
struct BurstQuotas {
  std::vector<CgroupId> containers{};  ///< burst sets the quota, or holds it because it cannot be read
  std::vector<CgroupId> raised_pods{};
  bool operator==(const BurstQuotas&) const = default;
};

/// Memory held back, by "memory-push-back": how much best effort may have. Absent: it is not held back.
struct PushedBackMemory {
  std::optional<Bytes> target{};
  bool operator==(const PushedBackMemory&) const = default;
};

/// By "brake": the limits in force until the lease ends.
struct BrakeInForce {
  bool cpu = false;
  std::optional<Bytes> memory{};  ///< how much best effort may have; absent: its memory is not cut
  bool operator==(const BrakeInForce&) const = default;
};

/// Memory held back, by "interference": antagonists that have to give up memory, and how much each may have.
struct MemoryLimits {
  struct Limit {
    CgroupId antagonist{};
    Bytes memory{};
    bool operator==(const Limit&) const = default;
  };
  std::vector<Limit> limits{};
  bool operator==(const MemoryLimits&) const = default;
};

/// Cache cut, by "interference": antagonists that are limited in cache and memory bandwidth.
struct CacheLimits {
  std::vector<CgroupId> antagonists{};
  bool operator==(const CacheLimits&) const = default;
};

/// By "interference": the cgroups whose counters it follows. Both ascending.
struct WatchedCgroups {
  std::vector<CgroupId> services{};
  std::vector<CgroupId> best_effort{};
  bool operator==(const WatchedCgroups&) const = default;
};

/// By "interference": pods for which a limit has helped a service so often within a day that they must be
/// evicted. Ascending.
struct RepeatAntagonists {
  std::vector<CgroupId> pods{};
  bool operator==(const RepeatAntagonists&) const = default;
};

/// By "proof": levers that were found to harm services on this node. The policy that uses one chooses
/// another.
struct HarmfulLevers {
  bool besteffort_quota = false;
  bool operator==(const HarmfulLevers&) const = default;
};

/// By "proof": levers of which a trial is under way, so that they may be without effect.
struct LeversOnTrial {
  bool disk_suppression = false;
  bool operator==(const LeversOnTrial&) const = default;
};

/// By "objectives": what services' own figures allow best effort. The rules without objectives apply where it
/// says nothing.
struct ServiceObjectives {
  enum class Move : std::uint8_t { grow, hold, shrink, pause };

  bool in_force = false;      ///< the figure of at least one objective is known
  bool some_unknown = false;  ///< that of another one is not: best effort gets no more than the rules give
  Move move = Move::grow;
  std::optional<MilliCpu> besteffort_cpu{};  ///< absent: the whole node
  Percent besteffort_disks{100};             ///< of the limits on disks that are configured for best effort
  /// Between figure and target, of the target, where it is smallest; negative: the target is missed.
  Percent slack{};
  Stall stall = Stall::none;  ///< what that service waits for most
  /// Memory is to be taken from best effort.
  [[nodiscard]] bool memory_is_short() const {
    return in_force && move >= Move::shrink && stall == Stall::memory;
  }
  bool operator==(const ServiceObjectives&) const = default;
};

/// Children narrowed, kept by "cpu-suppress" and "brake" together: on cgroup v1, the cgroups inside of the
/// BestEffort directory whose quota came down with its quota (qos/decide/besteffort_quota.cpp).
struct NarrowedChildren {
  struct Child {
    QuotaTime original{},
        requested{};  ///< what it had before, and the lowest quota requested in the last round
    Duration period{};
    MonoTime seen{};
    bool operator==(const Child&) const = default;
  };
  std::unordered_map<CgroupId, Child> children{};
  MonoTime last_round{};  ///< when a policy last narrowed any
  bool operator==(const NarrowedChildren&) const = default;
};

/// All facts: a plain value, part of what is remembered from tick to tick.
class Shared {
 public:
  using All =
      std::tuple<BurstQuotas, PushedBackMemory, BrakeInForce, MemoryLimits, CacheLimits, WatchedCgroups,
                 RepeatAntagonists, HarmfulLevers, LeversOnTrial, ServiceObjectives, NarrowedChildren>;
  template <class Fact>
  [[nodiscard]] Fact& of() {
    return std::get<Fact>(facts_);
  }
  template <class Fact>
  [[nodiscard]] const Fact& of() const {
    return std::get<Fact>(facts_);
  }
  bool operator==(const Shared&) const = default;

 private:
  All facts_{};
};

/// A bit for each fact, in the order of Shared::All.
using FactSet = std::uint32_t;

template <class Fact, class... All>
constexpr FactSet bit_of(const std::tuple<All...>* /*all*/) {
  FactSet bit = 1, found = 0;
  ((found |= std::is_same_v<Fact, All> ? bit : 0, bit <<= 1), ...);
  return found;
}
template <class... Facts>
inline constexpr FactSet kFactSet = (FactSet{0} | ... |
                                     bit_of<Facts>(static_cast<const Shared::All*>(nullptr)));

/// What one policy does with which facts.
struct FactUse {
  FactSet publishes = 0;       ///< sets it in each tick; withdrawn when the policy is switched off
  FactSet reads = 0;           ///< as published in the same tick: by a policy that comes before
  FactSet reads_previous = 0;  ///< as published in the tick before: by a policy that comes later
  FactSet amends = 0;          ///< keeps it together with other policies, in any order
};
constexpr FactUse operator|(FactUse a, FactUse b) {
  return {a.publishes | b.publishes, a.reads | b.reads, a.reads_previous | b.reads_previous,
          a.amends | b.amends};
}

// How a policy's type says it: Policy<State, Publishes<A>, Reads<B, C>>.
template <class... Facts>
struct Publishes {
  static constexpr FactUse kUse{.publishes = kFactSet<Facts...>};
  static void withdraw(Shared& shared) { ((shared.of<Facts>() = Facts{}), ...); }
};
template <class... Facts>
struct Reads {
  static constexpr FactUse kUse{.reads = kFactSet<Facts...>};
  static void withdraw(Shared& /*shared*/) {}
};
template <class... Facts>
struct ReadsPrevious {
  static constexpr FactUse kUse{.reads_previous = kFactSet<Facts...>};
  static void withdraw(Shared& /*shared*/) {}
};
template <class... Facts>
struct Amends {
  static constexpr FactUse kUse{.amends = kFactSet<Facts...>};
  static void withdraw(Shared& /*shared*/) {}
};

/// The facts that one policy may reach, in the way that it has declared; anything else does not compile.
template <class... Uses>
class FactView {
 public:
  static constexpr FactUse kUse = (FactUse{} | ... | Uses::kUse);

  explicit FactView(Shared& shared) : shared_(&shared) {}

  template <class Fact>
  requires(((kUse.reads | kUse.reads_previous) & kFactSet<Fact>) != 0)
      [[nodiscard]] const Fact& read() const {
    return shared_->of<Fact>();
  }
  /// Replaces the present value.
  template <class Fact>
  requires((kUse.publishes & kFactSet<Fact>) != 0) [[nodiscard]] Fact& publish() const {
    return shared_->of<Fact>();
  }
  template <class Fact>
  requires((kUse.amends & kFactSet<Fact>) != 0) [[nodiscard]] Fact& amend() const {
    return shared_->of<Fact>();
  }
  /// Resets all facts that the policy publishes.
  void withdraw() const { (Uses::withdraw(*shared_), ...); }

 private:
  Shared* shared_;
};

/// The position of the first policy in this order that reads a fact before it is published, or publishes a
/// fact of another policy. Absent: the order is right.
constexpr std::optional<std::size_t> first_misplaced(std::span<const FactUse> order) {
  FactSet before = 0, amended = 0;
  for (const FactUse& use : order) amended |= use.amends;
  for (std::size_t i = 0; i < order.size(); ++i) {
    FactSet after = 0;
    for (const FactUse& later : order.subspan(i + 1)) after |= later.publishes;
    const FactUse& use = order[i];
    const bool alone = (use.publishes & (before | amended)) == 0;
    const bool found = (use.reads & ~before) == 0 && (use.reads_previous & ~after) == 0;
    if (!alone || !found) return i;
    before |= use.publishes;
  }
  return std::nullopt;
}

}  // namespace evenkeel::decide
