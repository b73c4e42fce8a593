#include <algorithm>
#include <cmath>

#include "agent/demo/report.h"

namespace evenkeel::demo {
namespace {

Duration at_rank(const std::vector<Duration>& sorted, double share) {
  const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(sorted.size())));
  return sorted[std::clamp<std::size_t>(rank, 1, sorted.size()) - 1];
}

template <class Pick>
auto median(const std::vector<Figures>& rounds, Pick pick) {
  std::vector<decltype(pick(rounds.front()))> values;
  values.reserve(rounds.size());
  for (const auto& round : rounds) values.push_back(pick(round));
  std::sort(values.begin(), values.end());
  return values[(values.size() - 1) / 2];
}

}  // namespace

const char* name(ServiceKind service) { return service == ServiceKind::redis ? "redis" : "builtin"; }

const char* name(Scenario scenario) {
  return scenario == Scenario::spinners ? "CPU spinners" : "page-fault storm";
}

const char* name(Phase phase) {
  constexpr std::array<const char*, 4> kNames = {"alone", "unmanaged", "quota", "managed"};
  return kNames[static_cast<std::size_t>(phase)];
}

Latency latency_of(std::vector<Duration> all) {
  if (all.empty()) return {};
  std::sort(all.begin(), all.end());
  return {all.size(), at_rank(all, 0.5), at_rank(all, 0.99), at_rank(all, 0.999), all.back()};
}

std::size_t column_of(Duration latency) {
  if (latency <= kFirstColumn) return 0;
  const double doublings =
      std::log2(static_cast<double>(latency.count()) / static_cast<double>(kFirstColumn.count()));
  const auto column = static_cast<std::size_t>(doublings * static_cast<double>(kColumnsPerDoubling));
  return std::min(column, kColumns - 1);
}

Histogram histogram_of(const std::vector<Duration>& all) {
  Histogram histogram{};
  for (const Duration latency : all) ++histogram[column_of(latency)];
  return histogram;
}

std::optional<double> kept_ratio(const CpuShares& cpu) {
  const double left = cpu.batch + cpu.idle;
  if (left <= 0) return std::nullopt;
  return cpu.batch / left;
}

Figures median_of(const std::vector<Figures>& rounds) {
  Figures result;
  if (rounds.empty()) return result;
  result.latency.p50 = median(rounds, [](const Figures& f) { return f.latency.p50; });
  result.latency.p99 = median(rounds, [](const Figures& f) { return f.latency.p99; });
  result.latency.p999 = median(rounds, [](const Figures& f) { return f.latency.p999; });
  result.latency.max = median(rounds, [](const Figures& f) { return f.latency.max; });
  result.cpu.service = median(rounds, [](const Figures& f) { return f.cpu.service; });
  result.cpu.batch = median(rounds, [](const Figures& f) { return f.cpu.batch; });
  result.cpu.others = median(rounds, [](const Figures& f) { return f.cpu.others; });
  result.cpu.idle = median(rounds, [](const Figures& f) { return f.cpu.idle; });
  result.cpu.stolen = median(rounds, [](const Figures& f) { return f.cpu.stolen; });
  result.late_p99 = median(rounds, [](const Figures& f) { return f.late_p99; });
  result.work = median(rounds, [](const Figures& f) { return f.work; });
  for (const auto& round : rounds) {
    result.latency.requests += round.latency.requests;
    for (std::size_t i = 0; i < kColumns; ++i) result.histogram[i] += round.histogram[i];
  }
  return result;
}

bool counts(const Figures& round, std::size_t cpus) {
  constexpr Duration kLate = std::chrono::microseconds(100);
  constexpr double kStolen = 0.02;  // of the CPUs
  return round.late_p99 < kLate && round.cpu.stolen < kStolen * static_cast<double>(cpus);
}

std::optional<double> spread(const std::vector<Duration>& values) {
  if (values.size() < 2) return std::nullopt;
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  return ratio(*most, *least);
}

std::optional<double> ratio(Duration a, Duration b) {
  if (b <= Duration::zero()) return std::nullopt;
  return static_cast<double>(a.count()) / static_cast<double>(b.count());
}

}  // namespace evenkeel::demo
