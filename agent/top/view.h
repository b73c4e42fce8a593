// What an operator wants to see first of a node, as values, and read from a running agent's pages. Absent is
// what the agent does not know.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "qos/model/units.h"

namespace evenkeel::top {

/// CPU limit in force, of a quota and its period.
struct CpuLimit {
  std::optional<MilliCpu> cpu{};
  bool unlimited = false;  ///< known to be without one
};

/// A pod, or a host application.
struct PodUse {
  std::string name{};       ///< "namespace/name"; where the agent does not know it, the cgroup
  std::string qos_class{};  ///< the kubelet's, short: "Guar", "Burst", "BE"; "host": a host application
  std::optional<MilliCpu> cpu_use{};
  CpuLimit limit{};
  /// Share of the CFS periods of the last tick in which the pod or one of its containers was throttled: the
  /// highest.
  std::optional<double> throttled_percent{};
  std::optional<Bytes> memory{};  ///< working set
  /// Share of the last 10 s in which a task waited (PSI some, avg10) for `stalled_on`: the highest.
  std::optional<double> stall_percent{};
  std::string stalled_on{};  ///< "cpu", "mem", "io"
};

/// PSI of the node: shares of the last 10 s.
struct Stall {
  std::optional<double> some_percent{}, full_percent{};
};

/// The BestEffort directory.
struct BestEffort {
  std::optional<MilliCpu> cpu_use{};
  CpuLimit limit{};
  std::string levers{};  ///< "cpu.max (cpu-suppress), cpu.idle (cpu-identity)": its CPU values that are held
  std::string why{};     ///< the sentence of suppression; empty: it holds nothing
};

/// What the node advertises to batch pods, and how much of that they request.
struct Lent {
  std::optional<MilliCpu> cpu{}, cpu_requested{};
  std::optional<Bytes> memory{}, memory_requested{};
};

/// The brake on best effort's use of one resource.
struct Brake {
  std::optional<bool> on{};
  std::optional<std::int64_t> times{};
  std::optional<Duration> time{};
};

/// A policy and how many values it holds.
struct Held {
  std::string policy{};
  int values = 0;
};

/// Since the agent's start.
struct Counts {
  std::optional<std::int64_t> writes{}, refusals{}, foreign_writes{}, evictions{}, ticks{};
};

struct View {
  std::optional<MilliCpu> cpu_capacity{}, cpu_use{}, cpu_stolen{};
  std::optional<Bytes> memory_total{}, memory_available{};
  Stall cpu_stall{}, memory_stall{}, io_stall{};
  std::optional<MilliCpu> services_use{};  ///< of kubepods without the BestEffort directory
  BestEffort best_effort{};
  Lent lent{};
  Brake cpu_brake{}, memory_brake{};
  std::vector<Held> levers{};
  std::vector<std::string> withdrawn{};  ///< levers that proof found to harm
  Counts counts{};
  std::vector<PodUse> pods{};  ///< the highest CPU use first, unknown use last
};

/// The answers of the agent, as they came.
struct PageTexts {
  std::string snapshot{};  ///< /v1/snapshot
  std::string explain{};   ///< /v1/explain
  std::string metrics{};   ///< /metrics
};

/// Absent: a text is not what these pages contain. Texts in the view are not yet printable.
std::optional<View> read_view(const PageTexts& texts);

// Renders a view as lines of text. Does not know the terminal.

/// Zero: as much as it takes.
struct Room {
  std::size_t columns = 0;
  std::size_t lines = 0;
};

/// Printable, none longer or more than there is room for. `-` is what is not known; pods that do not fit are
/// counted in the last line.
std::vector<std::string> render(const View& view, const Room& room);

/// The text made printable, and cut to so many characters; zero: not cut.
std::string fitted(const std::string& text, std::size_t columns);

}  // namespace evenkeel::top
