// Policy "proof": tests on the node itself whether the levers in force do services good.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "qos/decide/policy.h"
#include "qos/detector/rank_test.h"

namespace evenkeel::proof {

// A trial is a row of spans, each of one tick or some. In one of them, which is drawn, one lever is withheld;
// in the others it is in force. What the services felt in the spans is compared, and a sequential test
// (detector::RankTest) says when the trials are enough. A lever that harms is withheld for good.
//
// There are two kinds of evidence about a lever, each with trials and a test of its own: what the kernel
// measures of services, and what services report of themselves for their objectives.

/// What services feel of a lever.
enum class Feeling : std::uint8_t {
  run_queue_wait,  ///< seconds from runnable to running: mean of the slowest 5 % (BPF), or of all (schedstat)
  throttling,      ///< seconds in which their own CPU quotas held them up
  memory_stall,    ///< seconds in which some of their tasks waited for memory (PSI)
  io_stall,        ///< the same for disks
  cpu_stall,       ///< the same for a CPU; only where run-queue waits are not measured
  reported,        ///< the figure that a service reports, as a multiple of its target: not felt in each tick
};
inline constexpr std::size_t kFeelings = 5;  ///< that are felt in each tick
using Felt = std::array<std::optional<double>, kFeelings>;

/// How a trial that compares this feeling is divided.
struct Pace {
  std::int64_t spans;
  std::int64_t ticks;  ///< of a span; at most, if figures are compared
};
Pace pace(Feeling feeling);

enum class Verdict : std::uint8_t {
  unknown,        ///< too few trials
  helps,          ///< services feel less of it while the lever is in force
  no_difference,  ///< not found in many trials
  harms,          ///< services feel more of it: the lever is withheld
};

/// A lever that can be withheld for some seconds without any harm that lasts.
struct Lever {
  std::string_view name;
  std::string_view policy;  ///< its intents for this lever are withheld
  Feeling feeling;
  std::optional<Feeling> otherwise;       ///< what is compared where `feeling` is unknown
  bool (*is_one)(const decide::Intent&);  ///< null: the request sizes, which are no values of cgroups
};
inline constexpr std::size_t kLevers = 9;
std::span<const Lever, kLevers> levers();
/// What a trial of the lever would compare now. Absent: nothing that it may do is known.
std::optional<Feeling> comparable(const Lever& lever, const Felt& now);
/// The one that cpu-suppress has a substitute for.
inline constexpr std::size_t kBesteffortQuota = 0;
/// Without them a quota harms on EEVDF kernels, the only ones that have them.
inline constexpr std::size_t kRequestSizes = 2;

/// The one that watches what its own limits do, and must not take a trial for that.
inline constexpr std::size_t kDiskSuppression = 8;

using InForce = std::array<bool, kLevers>;
InForce in_force(const decide::Intents& intents);
/// Removes the lever's intents, with the reason why its values are restored.
void withhold(std::size_t lever, const decide::Intents::Withheld& how, decide::Intents& intents);

/// The chance that a lever without any effect is ever said to harm; the same for helping. It is per lever and
/// node: among a thousand nodes few may lose a lever for nothing.
inline constexpr double kErrorRate = 0.001;
/// Whether services may report figures of which is known when they were measured. It is a matter of the
/// configuration, so that it is the same for all trials.
bool compares_figures(const NodeSlo& slo);
/// Of one of the two kinds of evidence. Where figures are compared each has half: both together are wrong no
/// more often than stated, however they depend on each other (Bonferroni).
double error_rate(const NodeSlo& slo);
/// After so many trials without a finding there is no difference worth a name; a new run begins.
inline constexpr std::int64_t kTrialsPerRun = 50;
inline constexpr std::int64_t kMostSpans = 16;

struct Evidence {
  detector::RankTest harms{}, helps{};
  std::int64_t run = 1;     ///< the error rate is divided among all runs: 6 / (pi^2 run^2) of it each
  std::int64_t trials = 0;  ///< measured, all runs
  std::int64_t trials_of_run = 0;
  double log_sum = 0, log_squares = 0;  ///< of ln(in force / withheld), where all are above zero
  std::int64_t logs = 0;
  Verdict verdict = Verdict::unknown;
  std::optional<Feeling> feeling{};  ///< that the last trial compared; absent: none since the start

  /// The wealth that decides in this run, if all runs may be wrong so often.
  [[nodiscard]] double decisive(double error_rate) const;
  /// What services feel with the lever, as a multiple of without. The interval is one of a sequence: the
  /// chance that any of them ever misses the ratio is 5 %, so it may be looked at after each trial. Absent:
  /// too few trials for a bound, at least three.
  struct Effect {
    double ratio = 1, low = 1, high = 1;
  };
  [[nodiscard]] std::optional<Effect> effect() const;
};

struct Trial {
  std::size_t lever = 0;
  Feeling feeling{};
  std::int64_t spans = 2;
  std::int64_t ticks = 1;                 ///< Pace::ticks
  double error_rate = kErrorRate;         ///< of the evidence
  std::int64_t withheld = 0;              ///< the span that was drawn: it is without the lever
  std::int64_t span = 0, tick = 0;        ///< being measured; ticks of this span that have passed
  std::array<double, kMostSpans> felt{};  ///< of each span, the sum of its ticks
  bool despite_trouble = false;           ///< trouble has postponed it for long enough: it goes on through it
  bool met_trouble = false;
  [[nodiscard]] bool withholds() const { return span == withheld; }
};
/// Adds the outcome of a trial whose spans were all measured. True: the verdict has changed.
bool conclude(const Trial& trial, Evidence& evidence);
/// Ends a trial at a tick with trouble: it then has only the spans up to that with the trouble, which is the
/// worst of them. False: it says nothing, for the lever was in force in all of these, or there is only one.
bool cut_short(Trial& trial);

/// The figures of one objective in the span that is being measured.
struct ReportedSum {
  std::size_t objective = 0;
  double sum = 0;  ///< of its figures, as multiples of the target
  std::int64_t figures = 0;
  MonoTime until{};  ///< of the newest one that was looked at
};
/// What a span by figures needs. A span lasts until a whole figure of each service that is compared lies in
/// it. Absent: no service reports a fresh figure of which is known when it was measured.
std::optional<Pace> reported_pace(const NodeSnapshot& node, const NodeSlo& slo);
/// The objectives whose figures a trial that begins now compares.
void begin_reported(const NodeSnapshot& node, const NodeSlo& slo, std::vector<ReportedSum>& compared);
struct ReportedStep {
  bool lost = false;              ///< a figure is missing, so that the trial says nothing
  std::optional<double> value{};  ///< of the span, which is complete
};
/// Takes the figures that have come, if they were measured after `since`.
ReportedStep take_reported(const NodeSnapshot& node, const NodeSlo& slo, MonoTime since,
                           std::vector<ReportedSum>& compared);

struct ProofEvent {
  std::size_t lever = 0;
  Verdict verdict{};
};

/// What is needed to know what has come since the last tick.
struct FeltBefore {
  struct Waits {
    CgroupId cgroup{};
    std::array<std::uint64_t, kWaitBuckets> histogram{};
  };
  struct Stall {
    Duration sum{};            ///< of all services
    std::uint64_t services{};  ///< a hash of which these are
  };
  std::vector<Waits> waits{}, waits_earlier{};  ///< histograms of the services, ascending by cgroup
  std::optional<Stall> cpu{}, memory{}, io{};
  std::vector<std::uint8_t> services{};  ///< scratch memory: by index in NodeSnapshot::cgroups
};
/// What the services felt in the tick that has just passed; absent: unknown, or too few waits.
Felt felt(const NodeSnapshot& node, FeltBefore& before);

/// How much services usually feel of one thing.
struct Usual {
  double level = 0;        ///< now: a mean that forgets a fifth of itself with each tick
  double high = 0;         ///< what the level exceeds in a tenth of the ticks
  std::int64_t ticks = 0;  ///< that it was learned from, until there are enough
};
/// Learns from the tick that has just passed. What services feel far more of than usual; absent: nothing, or
/// what is usual is not known yet.
std::optional<Feeling> unusual(const Felt& now, std::array<Usual, kFeelings>& usual);
/// Whether what is usual is not known yet of something that is felt.
bool is_learning(const Felt& now, const std::array<Usual, kFeelings>& usual);

/// Whether a lever could be tried now.
enum class Standing : std::uint8_t {
  not_in_force,  ///< no policy asks for it
  unknown,       ///< what services feel of it is not known, or they are idle
  testable,
};

/// A trial that has begun.
struct Tried {
  MonoTime at{};
  Duration span{};  ///< for which its lever is withheld; at most, if figures are compared
};

struct ProofState {
  std::array<Evidence, kLevers> evidence{};  ///< by what the kernel measures
  std::array<Evidence, kLevers> reported{};  ///< by what services report
  std::vector<ReportedSum> compared{};       ///< in the trial, if it is by figures
  std::optional<MonoTime> span_began{};      ///< the same
  std::array<Standing, kLevers> standing{};
  std::optional<Trial> trial{};
  std::optional<MonoTime> next{};                     ///< no trial begins before this moment
  std::array<std::optional<Tried>, kLevers> tried{};  ///< the last trial of each
  std::optional<std::uint64_t> configuration{};       ///< NodeSlo::fingerprint that the evidence is of
  std::uint64_t random = 0;
  std::uint64_t moments = 0;         ///< at which a trial might begin
  Duration withheld{};               ///< in trials
  std::optional<Duration> budget{};  ///< that is left; absent: before the first tick
  std::vector<ProofEvent> events{};  ///< of this tick
  bool begun = false;                ///< a trial, in this tick
  bool compares_waits =
      false;  ///< a lever that acts on run-queue waits was in force under this configuration
  FeltBefore before{};
  std::array<Usual, kFeelings> usual{};
  std::string_view trouble{};                 ///< that services are in; empty: none
  std::optional<MonoTime> postponed_since{};  ///< trouble has kept trials from beginning, or broken them off
};

/// A trial that could begin.
struct Candidate {
  std::size_t lever = 0;
  Feeling feeling{};
  Pace pace{};
};
/// The one that begins at this moment. `reported`: what a trial by figures needs; absent: there is none.
/// Absent: all have been decided, or rest.
std::optional<Candidate> choose(const ProofState& state, MonoTime at, const Felt& now,
                                const std::optional<Pace>& reported);

/// Of both kinds of evidence. One that harms outranks one that helps: a lever is for all services.
Verdict verdict(const ProofState& state, std::size_t lever);
/// The evidence that the verdict rests on.
const Evidence& deciding(const ProofState& state, std::size_t lever);

/// Withholds the lever that is in a trial, and those that harm.
void withhold_all(const ProofSettings& settings, const ProofState& state, decide::Intents& intents);

using ProofPolicy =
    decide::Policy<ProofState, decide::Publishes<decide::HarmfulLevers, decide::LeversOnTrial>,
                   decide::Reads<decide::BrakeInForce, decide::ServiceObjectives>>;
extern const ProofPolicy proof_policy;

std::string_view name(Verdict verdict);
std::string_view name(Feeling feeling);
std::string_view name(Standing standing);

}  // namespace evenkeel::proof
