// Services and a batch pod on a model cache with a known cost of best effort's ways for the services; each is
// counted for ten seconds per minute, one after the other.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <vector>

#include "qos/cache/way_steering.h"

namespace evenkeel::test {

inline constexpr CgroupId kWeb{1}, kDatabase{2}, kBatch{3};
inline constexpr double kUsual = 2000;  ///< misses per million instructions

struct CacheWays : testing::Test {
  CacheWays() {
    node.at = MonoTime(std::chrono::hours(1));
    node.counters.backend = CounterBackend::rotating;
    slo.evenkeel.resctrl_dynamic = {.enable = true, .cache_ways = true};
    slo.evenkeel.interference.enable = true;
    watched = {.services = {kWeb, kDatabase}, .best_effort = {kBatch}};
    node.cgroups.emplace_back().id = kBatch;
  }
  void count(CgroupId of, std::optional<double> misses_per_million, std::int64_t instructions) {
    CpuCounts counts{.cgroup = of,
                     .window = std::chrono::seconds(10),
                     .cycles = instructions,
                     .instructions = instructions};
    if (misses_per_million)
      counts.cache_misses =
          static_cast<std::int64_t>(*misses_per_million * static_cast<double>(instructions) / 1e6);
    node.cpu_counts.push_back(counts);
  }
  [[nodiscard]] std::int64_t ways_of_batch() const { return room.ways - steering.taken(); }
  void tick() {
    node.at += std::chrono::seconds(1);
    node.cpu_counts.clear();
    const auto second = node.at.time_since_epoch() / std::chrono::seconds(1) % 60;
    const auto times = batch ? suffers(ways_of_batch()) : 1.0;
    node.cgroups.back().cpu_use = MilliCpu(batch ? 1000 : 0);
    const auto misses = known ? std::optional(kUsual * times) : std::nullopt;
    if (second == 10) count(kWeb, misses, web_instructions);
    if (second == 30) count(kDatabase, known ? std::optional(2 * kUsual * times) : misses, 1'000'000'000);
    if (second == 50 && batch && batch_is_counted) count(kBatch, batch_misses, 1'000'000'000);
    steering.steer(node, slo, watched, room);
    if (seen.back() != steering.taken()) seen.push_back(steering.taken());
  }
  void pass(Duration time) {
    for (const auto end = node.at + time; node.at < end;) tick();
  }
  [[nodiscard]] std::uint64_t steps(cache::WayStep what) const {
    return steering.steps()[static_cast<std::size_t>(what)];
  }

  NodeSnapshot node{};
  NodeSlo slo{};
  decide::WatchedCgroups watched{};
  cache::WaySteering steering{};
  cache::WaySteering::Room room{.ways = 8, .least = 1};
  bool batch = false, batch_is_counted = true, known = true;
  double batch_misses = 20000;
  std::int64_t web_instructions = 1'000'000'000;
  /// By which factor services' misses grow while best effort has that many ways.
  std::function<double(std::int64_t)> suffers = [](std::int64_t ways) {
    return 1 + 0.35 * static_cast<double>(ways);
  };
  std::vector<std::int64_t> seen{0};  ///< the numbers of ways that were in effect
};
}  // namespace evenkeel::test
