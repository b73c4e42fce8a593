// Objectives: a figure that a service reports about itself, such as its latency, and the target for it. Does
// not know where the figure is read (agent/figures).
#pragma once

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>

#include "qos/model/pod.h"
#include "qos/model/units.h"

namespace evenkeel {

/// A metric in Prometheus' text format, scraped from the service.
struct PrometheusFigure {
  std::string url{};  ///< http only; "{podIP}" in it is the address of each pod that is meant
  std::string metric{};
  TextMap labels{};                          ///< that a series must have
  std::optional<double> quantile_percent{};  ///< of a histogram; absent: the metric is a plain figure
  Duration interval{std::chrono::seconds(2)};
  bool operator==(const PrometheusFigure&) const = default;
};

/// One entry of extensions.evenkeel.objectives. Smaller figures are better.
struct Objective {
  std::string name{};
  std::string namespace_{};        ///< of the pods that are meant
  TextMap match_labels{};          ///< all of which they have
  std::string host_application{};  ///< meant instead of pods
  PrometheusFigure prometheus{};
  std::string file{};          ///< a text file that holds the figure
  std::string socket{};        ///< a datagram socket of the agent that receives the figure
  double target = 0;           ///< in the figure's own unit
  Percent margin_percent{20};  ///< of the target: with more to spare best effort grows, with less it holds
  Percent pause_percent{150};  ///< of the target: from this figure on best effort pauses
  Duration pause{std::chrono::seconds(10)};
  Duration stale_after{std::chrono::seconds(10)};
  /// A figure that is no quantile of a histogram speaks of at most so much time before it was read. Absent:
  /// not known.
  std::optional<Duration> figure_covers{};
  bool operator==(const Objective&) const = default;
};

inline bool is_meant(const Objective& objective, const Pod& pod) {
  return objective.host_application.empty() && pod.namespace_ == objective.namespace_ && is_active(pod) &&
         std::ranges::all_of(objective.match_labels, [&](const auto& wanted) {
           const auto found = pod.labels.find(wanted.first);
           return found != pod.labels.end() && found->second == wanted.second;
         });
}

/// What is known of one objective's figure.
struct ObjectiveFigure {
  std::optional<double> value{};    ///< the last one that was accepted; absent: none yet
  MonoTime at{};                    ///< when it was measured
  std::optional<MonoTime> since{};  ///< it speaks of nothing earlier; absent: not known
  MonoTime until{};                 ///< and of nothing later
};

/// What the tasks of a service wait for.
enum class Stall : std::uint8_t { none, cpu, memory, io };

}  // namespace evenkeel
