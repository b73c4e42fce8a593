// The numbers of the demo, and the report of them.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "agent/demo/stage.h"
#include "qos/model/units.h"

namespace evenkeel::demo {

// The numbers of the demo and the arithmetic on them. Does not measure or print.

enum class Scenario : std::uint8_t { spinners, fault_storm };
/// `quota`: no agent, but a CFS quota of half of the CPUs on best effort, as suppression by a fixed share of
/// the node sets it. `managed`: the agent with the configuration that is installed.
enum class Phase : std::uint8_t { alone, unmanaged, quota, managed };
inline constexpr std::array kScenarios = {Scenario::spinners, Scenario::fault_storm};
inline constexpr std::array kPhases = {Phase::alone, Phase::unmanaged, Phase::quota, Phase::managed};
enum class ServiceKind : std::uint8_t { builtin, redis };
const char* name(ServiceKind service);
const char* name(Scenario scenario);
const char* name(Phase phase);

/// The goals that the report prints beside the results.
inline constexpr double kGoalLatencyRatio = 1.25;
inline constexpr double kGoalKeptRatio = 0.85;

struct Latency {
  std::size_t requests = 0;
  Duration p50{}, p99{}, p999{}, max{};
};
/// Nearest rank; the order of `all` does not matter. Zeros when there is none.
Latency latency_of(std::vector<Duration> all);

/// Requests per latency: three columns per doubling from 20 us on, the last takes everything above.
inline constexpr std::size_t kColumns = 27;
inline constexpr std::size_t kColumnsPerDoubling = 3;
inline constexpr Duration kFirstColumn{std::chrono::microseconds(20)};
using Histogram = std::array<std::uint64_t, kColumns>;
std::size_t column_of(Duration latency);
Histogram histogram_of(const std::vector<Duration>& all);

/// Average CPUs in use over the measured time.
struct CpuShares {
  double service = 0, batch = 0, others = 0, idle = 0;
  double stolen = 0;  ///< by the hypervisor
};
/// The share that best effort used of the CPU that service and others left; absent when they left nothing.
std::optional<double> kept_ratio(const CpuShares& cpu);

struct Figures {
  Latency latency{};
  Histogram histogram{};
  CpuShares cpu{};
  double work = 0;      ///< units of work counted by best effort, per second
  Duration late_p99{};  ///< of the load generator itself
};

/// A round counts if the load generator was on time and the hypervisor took little of the CPUs; else its
/// latencies measure something else.
bool counts(const Figures& round, std::size_t cpus);

/// Every figure's median over the rounds (the lower of two middle ones); histograms and requests are summed.
Figures median_of(const std::vector<Figures>& rounds);

/// a / b; absent when b is zero.
std::optional<double> ratio(Duration a, Duration b);

/// The largest over the smallest; absent for fewer than two, or when the smallest is zero.
std::optional<double> spread(const std::vector<Duration>& values);

// Renders the demo's report: table, plot, the agent's actions, verdict; and the same as JSON. Pure text.

struct Outcome {
  ServiceKind service = ServiceKind::builtin;
  std::size_t cpus = 0;
  int rounds = 0;
  double seconds = 0;              ///< of one phase
  double requests_per_second = 0;  ///< of all connections
  std::size_t hogs = 0;
  std::string kernel{};  ///< release and cgroup version
  std::map<Scenario, std::map<Phase, Figures>> figures{};
  std::size_t measured = 0, dropped = 0;  ///< phases, and those of them that do not count
  /// How much the service alone varied between rounds: no smaller difference can be told from chance.
  std::optional<double> p99_spread{}, p999_spread{};
  std::vector<AuditLine> writes{};  ///< the last managed phase, each file once
  Restoration restoration{};
};

std::string table(const Outcome& outcome);
std::string plot(const Outcome& outcome);
std::string what_the_agent_did(const Outcome& outcome);
std::string verdict(const Outcome& outcome);
std::string as_json(const Outcome& outcome);

}  // namespace evenkeel::demo
