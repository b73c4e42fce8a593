// Policy "proof": tests on the node itself whether the levers in force do services good.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "qos/decide/policy.h"
#include "qos/detector/sign_test.h"

namespace evenkeel::proof {

// From time to time one lever is withheld for one tick, before or after a tick in which it is in force; the
// order is drawn. What the services felt in the two ticks is compared, and a sequential test (detector::
// SignTest) says when the pairs are enough. A lever that harms is withheld for good.

/// What services feel of a lever.
enum class Feeling : std::uint8_t {
  run_queue_wait,  ///< seconds from runnable to running: mean of the slowest 5 % (BPF), or of all (schedstat)
  throttling,      ///< seconds in which their own CPU quotas held them up
};
inline constexpr std::size_t kFeelings = 2;

enum class Verdict : std::uint8_t {
  unknown,        ///< too few pairs
  helps,          ///< services feel less of it while the lever is in force
  no_difference,  ///< not found in many pairs
  harms,          ///< services feel more of it: the lever is withheld
};

/// A lever that can be withheld for a second without any harm that lasts.
struct Lever {
  std::string_view name;
  std::string_view policy;  ///< its intents for this lever are withheld
  Feeling feeling;
  bool (*is_one)(const decide::Intent&);  ///< null: the request sizes, which are no values of cgroups
};
inline constexpr std::size_t kLevers = 5;
std::span<const Lever, kLevers> levers();

/// The chance that a lever without any effect is ever said to harm; the same for helping.
inline constexpr double kErrorRate = 0.02;
/// After so many pairs without a finding there is no difference worth a name; a new run begins.
inline constexpr std::int64_t kPairsPerRun = 200;

struct Evidence {
  detector::SignTest harms{}, helps{};
  std::int64_t run = 1;    ///< the error rate is divided among all runs: 6 / (pi^2 run^2) of it each
  std::int64_t pairs = 0;  ///< measured, all runs
  std::int64_t pairs_of_run = 0;
  double log_sum = 0, log_squares = 0;  ///< of ln(in force / withheld), where both are above zero
  std::int64_t logs = 0;
  Verdict verdict = Verdict::unknown;

  /// The wealth that decides in this run.
  [[nodiscard]] double decisive() const;
  /// What services feel with the lever, as a multiple of without; 95 % interval. Absent: fewer than two
  /// pairs.
  struct Effect {
    double ratio = 1, low = 1, high = 1;
  };
  [[nodiscard]] std::optional<Effect> effect() const;
};

struct Pair {
  std::size_t lever = 0;
  bool withheld_first = false;
  bool second = false;  ///< the second tick is being measured
  double first = 0;     ///< what was felt in the first one
  [[nodiscard]] bool withholds() const { return withheld_first != second; }
};

struct ProofEvent {
  std::size_t lever = 0;
  Verdict verdict{};
};

struct ProofState {
  std::array<Evidence, kLevers> evidence{};
  std::optional<Pair> pair{};
  std::optional<MonoTime> next{};                ///< not before this moment
  std::optional<std::uint64_t> configuration{};  ///< NodeSlo::fingerprint that the evidence is of
  std::uint64_t random = 0;
  std::uint64_t moments = 0;             ///< at which a pair might begin
  Duration withheld{};                   ///< for trials, since the start
  std::vector<ProofEvent> events{};      ///< of this tick
  std::vector<std::uint8_t> services{};  ///< scratch memory: by index in NodeSnapshot::cgroups
  struct Seen {
    CgroupId cgroup{};
    std::array<std::uint64_t, kWaitBuckets> histogram{};
  };
  std::vector<Seen> seen{}, seen_before{};  ///< histograms of the services, ascending by cgroup
};

using Felt = std::array<std::optional<double>, kFeelings>;
/// What the services felt in the tick that has just passed; absent: unknown, or too few waits.
Felt felt(const NodeSnapshot& node, ProofState& state);

using ProofPolicy =
    decide::Policy<ProofState, decide::Publishes<decide::HarmfulLevers>, decide::Reads<decide::BrakeInForce>>;
extern const ProofPolicy proof_policy;

std::string_view name(Verdict verdict);
std::string_view name(Feeling feeling);

}  // namespace evenkeel::proof
