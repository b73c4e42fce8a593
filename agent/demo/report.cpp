#include "agent/demo/report.h"

#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstdio>

#include "agent/runtime/clock.h"
#include "agent/runtime/json.h"

namespace evenkeel::demo {

namespace {

[[gnu::format(printf, 1, 2)]] std::string formatted(const char* format, ...) {
  std::array<char, 512> text{};
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text.data(), text.size(), format, arguments);
  va_end(arguments);
  return text.data();
}

double microseconds(Duration duration) { return std::chrono::duration<double, std::micro>(duration).count(); }

std::string times(const std::optional<double>& value) { return value ? formatted("%.2f x", *value) : "-"; }
std::string percent(const std::optional<double>& value) {
  return value ? formatted("%.0f %%", *value * 100) : "-";
}

const Figures* figures_of(const Outcome& outcome, Scenario scenario, Phase phase) {
  const auto of_scenario = outcome.figures.find(scenario);
  if (of_scenario == outcome.figures.end()) return nullptr;
  const auto found = of_scenario->second.find(phase);
  return found == of_scenario->second.end() ? nullptr : &found->second;
}

std::string row(const Outcome& outcome, Scenario scenario, Phase phase) {
  const Figures* figures = figures_of(outcome, scenario, phase);
  const Figures* alone = figures_of(outcome, scenario, Phase::alone);
  if (figures == nullptr || alone == nullptr) return {};
  const Latency& latency = figures->latency;
  const bool batch = phase != Phase::alone;
  const std::string work = scenario == Scenario::spinners ? formatted("%.0f rounds/s", figures->work)
                                                          : formatted("%.0f pages/s", figures->work);
  return formatted("  %-10s %7.0f %7.0f %7.0f %7.0f  %7s %7s   %7.2f %6.2f %7.2f %6.2f  %6s  %s\n",
                   name(phase), microseconds(latency.p50), microseconds(latency.p99),
                   microseconds(latency.p999), microseconds(latency.max),
                   times(ratio(latency.p99, alone->latency.p99)).c_str(),
                   times(ratio(latency.p999, alone->latency.p999)).c_str(), figures->cpu.service,
                   figures->cpu.batch, figures->cpu.others, figures->cpu.idle,
                   batch ? percent(kept_ratio(figures->cpu)).c_str() : "-", batch ? work.c_str() : "-");
}

/// One character per half order of magnitude of requests: each step is about three times more.
char shade(std::uint64_t requests) {
  constexpr std::string_view kShades = " .:-=+*#%@";
  if (requests == 0) return kShades.front();
  const auto step = 1 + static_cast<std::size_t>(2 * std::log10(static_cast<double>(requests)));
  return kShades[std::min(step, kShades.size() - 1)];
}

std::string short_path(const std::string& path) {
  const auto at = path.find("kubepods");
  if (at == std::string::npos) return path;
  std::string out = path.substr(at);
  for (const std::string& same : {std::string(8, 'b'), std::string(8, 'c'), std::string(8, 'a')}) {
    const auto pod = out.find("pod" + same);
    if (pod != std::string::npos)
      out = out.substr(0, pod + 7) + "…" + out.substr(std::min(out.size(), out.find('/', pod)));
  }
  const auto slash = out.rfind('/');
  const auto before = slash == std::string::npos ? slash : out.rfind('/', slash - 1);
  if (before != std::string::npos && slash - before > 40)
    out = out.substr(0, before + 5) + "…" + out.substr(slash);
  return out;
}

}  // namespace

std::string table(const Outcome& outcome) {
  std::string out = formatted(
      "%s, %zu CPUs. Service: %s, %.0f requests/s over local sockets, open loop. Batch: %zu hogs.\n"
      "Medians of %d x %.0f s. quota: half of the CPUs for best effort, no agent. managed: evenkeel as "
      "installed.\n\n",
      outcome.kernel.c_str(), outcome.cpus,
      outcome.service == ServiceKind::redis ? "redis (PING, SET, GET)" : "built-in, 0.05 ms a request",
      outcome.requests_per_second, outcome.hogs, outcome.rounds, outcome.seconds);
  out +=
      "             latency of the service, us         compared with     CPUs used by                  batch "
      "  "
      "work of\n";
  out +=
      "                 p50     p99   p99.9     max  p99 alone  p99.9   service  batch  others   idle   "
      "keeps  "
      "batch\n";
  for (const Scenario scenario : kScenarios) {
    out += formatted("%s\n", name(scenario));
    for (const Phase phase : kPhases) out += row(outcome, scenario, phase);
  }
  if (outcome.dropped > 0)
    out += formatted(
        "%zu of %zu measurements were dropped: the load generator was late (p99 of 0.1 ms and more), or the "
        "hypervisor took 2 %% of the CPUs and more.\n",
        outcome.dropped, outcome.measured);
  return out;
}

std::string plot(const Outcome& outcome) {
  std::string out = "Requests by latency (each shade is about three times more requests)\n";
  std::string axis(23 + kColumns, ' ');
  double label = microseconds(kFirstColumn);
  for (std::size_t column = 0; column < kColumns; column += 2 * kColumnsPerDoubling, label *= 4) {
    const std::string text = formatted("%g", label);
    axis.replace(23 + column, text.size(), text);
  }
  out += axis + " us\n";
  for (const Scenario scenario : kScenarios)
    for (const Phase phase : kPhases) {
      const Figures* figures = figures_of(outcome, scenario, phase);
      if (figures == nullptr) continue;
      std::string line =
          formatted("%-10s %-10s|", scenario == Scenario::spinners ? "spinners" : "storm", name(phase));
      for (const auto requests : figures->histogram) line += shade(requests);
      out += line + "|\n";
    }
  return out;
}

std::string what_the_agent_did(const Outcome& outcome) {
  constexpr std::size_t kShown = 12;
  std::string out = "What the agent wrote, and why\n";
  if (outcome.writes.empty()) return out + "  nothing\n";
  for (std::size_t i = 0; i < std::min(kShown, outcome.writes.size()); ++i) {
    const AuditLine& line = outcome.writes[i];
    out += "  " + short_path(line.path) + ": " + line.old_text + " -> " + line.new_text + "  (" + line.by +
           ": " + line.why + ")\n";
  }
  if (outcome.writes.size() > kShown) out += formatted("  and %zu more\n", outcome.writes.size() - kShown);
  return out;
}

namespace {

/// Whether a latency goal is reached, unless the service alone varies by more than what is asked for.
std::string judged(const std::optional<double>& slower, const std::optional<double>& spread) {
  if (!slower) return "not measured";
  if (!spread) return "too few rounds to tell";
  if (*spread > kGoalLatencyRatio && *slower < *spread)
    return formatted("cannot be told, alone varies by %.2f x between rounds", *spread);
  return *slower <= kGoalLatencyRatio ? "reached" : "missed";
}

}  // namespace

std::string verdict(const Outcome& outcome) {
  std::string out =
      formatted("Goals: managed latency <= %.2f x alone, batch keeps >= %.0f %% of the idle CPU\n",
                kGoalLatencyRatio, kGoalKeptRatio * 100);
  for (const Scenario scenario : kScenarios) {
    const Figures* alone = figures_of(outcome, scenario, Phase::alone);
    const Figures* managed = figures_of(outcome, scenario, Phase::managed);
    if (alone == nullptr || managed == nullptr) continue;
    const auto p99 = ratio(managed->latency.p99, alone->latency.p99);
    const auto p999 = ratio(managed->latency.p999, alone->latency.p999);
    const auto kept = kept_ratio(managed->cpu);
    out += formatted("  %-16s  p99 %s (%s), p99.9 %s (%s), batch keeps %s (%s)\n", name(scenario),
                     times(p99).c_str(), judged(p99, outcome.p99_spread).c_str(), times(p999).c_str(),
                     judged(p999, outcome.p999_spread).c_str(), percent(kept).c_str(),
                     kept && *kept >= kGoalKeptRatio ? "reached" : "missed");
  }
  out += formatted("restored: %zu of %zu files\n", outcome.restoration.restored, outcome.restoration.written);
  for (const auto& left : outcome.restoration.left) out += "  not restored: " + left + '\n';
  return out;
}

namespace {

void phase_json(runtime::Json& json, Phase phase, const Figures& figures, const Figures& alone) {
  json.begin_object().member("phase", name(phase));
  json.member("requests", figures.latency.requests);
  json.member("p50_seconds", runtime::seconds(figures.latency.p50))
      .member("p99_seconds", runtime::seconds(figures.latency.p99));
  json.member("p999_seconds", runtime::seconds(figures.latency.p999))
      .member("max_seconds", runtime::seconds(figures.latency.max));
  json.member("p99_to_alone", ratio(figures.latency.p99, alone.latency.p99));
  json.member("p999_to_alone", ratio(figures.latency.p999, alone.latency.p999));
  json.member("service_cpus", figures.cpu.service).member("batch_cpus", figures.cpu.batch);
  json.member("others_cpus", figures.cpu.others).member("idle_cpus", figures.cpu.idle);
  json.member("stolen_cpus", figures.cpu.stolen);
  json.member("generator_late_p99_seconds", runtime::seconds(figures.late_p99));
  json.member("batch_keeps", phase == Phase::alone ? std::nullopt : kept_ratio(figures.cpu));
  json.member("batch_work_per_second", figures.work);
  json.end_object();
}

}  // namespace

std::string as_json(const Outcome& outcome) {
  std::string out;
  runtime::Json json(out);
  json.begin_object().member("kernel", outcome.kernel).member("cpus", outcome.cpus);
  json.member("service", name(outcome.service));
  json.member("rounds", outcome.rounds).member("phase_seconds", outcome.seconds);
  json.member("goal_latency_to_alone", kGoalLatencyRatio).member("goal_batch_keeps", kGoalKeptRatio);
  json.member("measurements", outcome.measured).member("measurements_dropped", outcome.dropped);
  json.member("alone_p99_spread", outcome.p99_spread).member("alone_p999_spread", outcome.p999_spread);
  json.key("scenarios").begin_array();
  for (const auto& [scenario, phases] : outcome.figures) {
    json.begin_object().member("scenario", name(scenario)).key("phases").begin_array();
    const auto alone = phases.find(Phase::alone);
    for (const auto& [phase, figures] : phases)
      phase_json(json, phase, figures, alone == phases.end() ? Figures{} : alone->second);
    json.end_array().end_object();
  }
  json.end_array();
  json.member("files_written", outcome.restoration.written);
  json.member("files_restored", outcome.restoration.restored);
  json.key("left_behind").begin_array();
  for (const auto& left : outcome.restoration.left) json.value(left);
  json.end_array().end_object();
  return out + '\n';
}

}  // namespace evenkeel::demo
