#include <gtest/gtest.h>

#include "collectors/per_cgroup/reading.h"
#include "tests/support/malformed.h"

namespace evenkeel {
namespace {

using namespace literals;
using namespace per_cgroup;
using namespace std::chrono_literals;

tree::Layout on_v1() {
  tree::Layout layout;
  layout.roots.fill("sys/fs/cgroup/x");
  return layout;
}
tree::Layout on_v2() {
  auto layout = on_v1();
  layout.version = tree::CgroupVersion::v2;
  layout.on_v2.fill(true);
  return layout;
}

/// One cgroup whose files are read a second time after `wall`.
struct Bench {
  explicit Bench(const tree::Layout& on) : layout(on) {}
  void read(ParseFile parse, Text text, std::optional<Duration> wall = std::nullopt) {
    CgroupReading reading{layout, {}, wall, memory, sample};
    parse(text, reading);
  }
  tree::Layout layout;
  CgroupMemory memory{};
  CgroupSample sample{};
};

TEST(CgroupCpu, V1CountsNanoseconds) {
  Bench bench(on_v1());
  bench.read(parse_cpuacct_usage, "1000000000\n");
  EXPECT_EQ(bench.sample.cpu_use, std::nullopt);
  // 2 345 678 901 ns in 1002 ms are 2340 thousandths of a CPU.
  bench.read(parse_cpuacct_usage, "3345678901\n", 1002ms);
  EXPECT_EQ(bench.sample.cpu_use, 2340_mcpu);
}

TEST(CgroupCpu, V2CountsMicroseconds) {
  Bench bench(on_v2());
  bench.read(parse_cpu_stat_v2, "usage_usec 7000000\nuser_usec 1\nsystem_usec 2\n");
  bench.read(parse_cpu_stat_v2, "usage_usec 7750000\nuser_usec 1\nsystem_usec 2\n", 1003ms);
  EXPECT_EQ(bench.sample.cpu_use, 747_mcpu);  // 0.74776 CPUs
}

TEST(CgroupCpu, DecreasingCountersAndStoppedClocksAreAbsent) {
  Bench bench(on_v1());
  bench.read(parse_cpuacct_usage, "3000\n");
  bench.read(parse_cpuacct_usage, "2000\n", 1s);
  EXPECT_EQ(bench.sample.cpu_use, std::nullopt);
  bench.read(parse_cpuacct_usage, "4000\n", 0s);
  EXPECT_EQ(bench.sample.cpu_use, std::nullopt);
  bench.read(parse_cpuacct_usage, "5000\n", -1s);
  EXPECT_EQ(bench.sample.cpu_use, std::nullopt);
}

TEST(CgroupCpu, ThrottlingIsTheIncreaseSinceTheLastTick) {
  Bench bench(on_v1());
  bench.read(parse_cpu_stat_v1,
             "nr_periods 1000\nnr_throttled 40\nthrottled_time 500\nnr_bursts 3\nburst_time 70\n");
  EXPECT_FALSE(bench.sample.throttling);
  bench.read(parse_cpu_stat_v1,
             "nr_periods 1010\nnr_throttled 43\nthrottled_time 900\nnr_bursts 5\nburst_time 80\n", 1s);
  ASSERT_TRUE(bench.sample.throttling);
  EXPECT_EQ(bench.sample.throttling->periods, 10);
  EXPECT_EQ(bench.sample.throttling->throttled_periods, 3);  // a ratio of 0.3
  EXPECT_EQ(bench.sample.throttling->throttled_time, 400ns);
  EXPECT_EQ(bench.sample.throttling->bursts, 2);
  EXPECT_EQ(bench.sample.throttling->burst_time, 10ns);
  bench.read(parse_cpu_stat_v1,
             "nr_periods 1010\nnr_throttled 43\nthrottled_time 900\nnr_bursts 5\nburst_time 80\n", 1s);
  EXPECT_EQ(bench.sample.throttling->periods, 0);
}

TEST(CgroupCpu, V2ThrottlingIsInMicroseconds) {
  Bench bench(on_v2());
  bench.read(parse_cpu_stat_v2,
             "usage_usec 1\nnr_periods 1\nnr_throttled 1\nthrottled_usec 5\nnr_bursts 0\nburst_usec 0\n");
  bench.read(parse_cpu_stat_v2,
             "usage_usec 1\nnr_periods 2\nnr_throttled 2\nthrottled_usec 9\nnr_bursts 1\nburst_usec 3\n", 1s);
  ASSERT_TRUE(bench.sample.throttling);
  EXPECT_EQ(bench.sample.throttling->throttled_time, 4us);
  EXPECT_EQ(bench.sample.throttling->burst_time, 3us);
}

TEST(CgroupCpu, WithoutTheCpuControllerThereIsUseButNoBandwidth) {
  Bench bench(on_v2());
  bench.read(parse_cpu_stat_v2, "usage_usec 0\nuser_usec 0\nsystem_usec 0\n");
  bench.read(parse_cpu_stat_v2, "usage_usec 1000000\nuser_usec 0\nsystem_usec 0\n", 1s);
  EXPECT_EQ(bench.sample.cpu_use, 1000_mcpu);
  EXPECT_FALSE(bench.sample.throttling);
}

TEST(CgroupCpu, KernelsWithoutBurstStillThrottle) {
  Bench bench(on_v1());
  bench.read(parse_cpu_stat_v1, "nr_periods 1\nnr_throttled 0\nthrottled_time 0\n");
  bench.read(parse_cpu_stat_v1, "nr_periods 3\nnr_throttled 1\nthrottled_time 8\n", 1s);
  ASSERT_TRUE(bench.sample.throttling);
  EXPECT_EQ(bench.sample.throttling->bursts, 0);
}

TEST(CgroupCpu, OneDecreasingCounterMakesThrottlingAbsent) {
  Bench bench(on_v1());
  bench.read(parse_cpu_stat_v1, "nr_periods 10\nnr_throttled 5\nthrottled_time 50\n");
  bench.read(parse_cpu_stat_v1, "nr_periods 12\nnr_throttled 4\nthrottled_time 60\n", 1s);
  EXPECT_FALSE(bench.sample.throttling);
}

constexpr const char* kStatV2 =
    "anon 1\nfile 2\ninactive_anon 104857600\nactive_anon 52428800\ninactive_file 73400320\n"
    "active_file 31457280\nunevictable 2097152\nslab 3\n";

TEST(CgroupMemory, V2StatGivesTheThreeViews) {
  Bench bench(on_v2());
  bench.read(parse_memory_current, "314572800\n");
  bench.read(parse_memory_stat_v2, kStatV2);
  EXPECT_EQ(bench.sample.memory.anonymous, 152_MiB);    // 100 + 50 + 2
  EXPECT_EQ(bench.sample.memory.page_cache, 100_MiB);   // 30 + 70; with the above 252
  EXPECT_EQ(bench.sample.memory.working_set, 230_MiB);  // 300 - 70
}

TEST(CgroupMemory, V1StatCountsTheWholeSubtree) {
  Bench bench(on_v1());
  bench.read(parse_memory_current, "314572800\n");
  bench.read(parse_memory_stat_v1,
             "inactive_anon 1\nactive_anon 1\ninactive_file 1\nactive_file 1\nunevictable 1\n"
             "total_inactive_anon 104857600\ntotal_active_anon 52428800\ntotal_inactive_file 73400320\n"
             "total_active_file 31457280\ntotal_unevictable 2097152\n");
  EXPECT_EQ(bench.sample.memory.anonymous, 152_MiB);
  EXPECT_EQ(bench.sample.memory.page_cache, 100_MiB);
  EXPECT_EQ(bench.sample.memory.working_set, 230_MiB);
}

TEST(CgroupMemory, ACacheLargerThanMemoryInUseGivesZeroWorkingSet) {
  Bench bench(on_v2());
  bench.read(parse_memory_current, "1000\n");
  bench.read(parse_memory_stat_v2, kStatV2);
  EXPECT_EQ(bench.sample.memory.working_set, 0_B);
}

TEST(CgroupMemory, AMissingKeyMakesTheValuesThatNeedItAbsent) {
  Bench bench(on_v2());
  bench.read(parse_memory_current, "314572800\n");
  bench.read(parse_memory_stat_v2, "inactive_anon 1\nactive_anon 2\nunevictable 3\ninactive_file 5\n");
  EXPECT_EQ(bench.sample.memory.anonymous, 6_B);
  EXPECT_FALSE(bench.sample.memory.page_cache);
  EXPECT_TRUE(bench.sample.memory.working_set);
}

TEST(CgroupMemory, EventsOfBothVersions) {
  Bench v2(on_v2());
  v2.read(parse_memory_events, "low 1\nhigh 2\nmax 3\noom 4\noom_kill 5\noom_group_kill 6\n");
  ASSERT_TRUE(v2.sample.memory.events);
  EXPECT_EQ(v2.sample.memory.events->high, 2);
  EXPECT_EQ(v2.sample.memory.events->max, 3);
  EXPECT_EQ(v2.sample.memory.events->oom_kill, 5);

  Bench v1(on_v1());
  v1.read(parse_oom_control, "oom_kill_disable 0\nunder_oom 0\noom_kill 2\n");
  v1.read(parse_failcnt, "126\n");
  ASSERT_TRUE(v1.sample.memory.events);
  EXPECT_EQ(v1.sample.memory.events->max, 126);
  EXPECT_EQ(v1.sample.memory.events->oom_kill, 2);
  v1.read(parse_failcnt, Text{});
  EXPECT_FALSE(v1.sample.memory.events);
}

TEST(CgroupSettings, V1LimitIsQuotaAndPeriod) {
  Bench bench(on_v1());
  bench.read(parse_cfs_period, "100000\n");
  bench.read(parse_cpu_limit, "150000\n");
  EXPECT_EQ(bench.sample.applied.cpu_limit, (CpuLimit{150000_us_cpu, 100ms}));
  bench.read(parse_cpu_limit, "-1\n");
  EXPECT_EQ(bench.sample.applied.cpu_limit, (CpuLimit{std::nullopt, 100ms}));
  bench.read(parse_cfs_period, Text{});
  bench.read(parse_cpu_limit, "150000\n");
  EXPECT_FALSE(bench.sample.applied.cpu_limit);  // a quota without a known period is not a known limit
}

TEST(CgroupSettings, V2LimitIsOneFile) {
  Bench bench(on_v2());
  bench.read(parse_cpu_limit, "max 100000\n");
  EXPECT_EQ(bench.sample.applied.cpu_limit, (CpuLimit{std::nullopt, 100ms}));
  bench.read(parse_cpu_limit, "25000 50000\n");
  EXPECT_EQ(bench.sample.applied.cpu_limit, (CpuLimit{25000_us_cpu, 50ms}));
  for (const char* text : {"-1 100000\n", "100000 0\n", "100000 -5\n", "max max\n", "100000 99999999999\n"}) {
    bench.read(parse_cpu_limit, text);
    EXPECT_FALSE(bench.sample.applied.cpu_limit) << text;
  }
}

TEST(CgroupSettings, TheOtherSettings) {
  Bench bench(on_v1());
  bench.read(parse_cpu_burst, "20000\n");
  bench.read(parse_cpu_shares, "1024\n");
  bench.read(parse_cpu_idle, "1\n");
  bench.read(parse_cpus, "0-3,8\n");
  bench.read(parse_cpus_effective, "0-1\n");
  const auto& applied = bench.sample.applied;
  EXPECT_EQ(applied.cpu_burst, 20000_us_cpu);
  EXPECT_EQ(applied.cpu_shares, 1024);
  EXPECT_EQ(applied.cpu_idle, 1);
  EXPECT_EQ(applied.cpus->text(), "0-3,8");
  EXPECT_EQ(applied.cpus_effective->text(), "0-1");
}

TEST(CgroupSettings, AnEmptyCpusetDiffersFromAMissingOne) {
  Bench bench(on_v2());
  bench.read(parse_cpus, "\n");
  ASSERT_TRUE(bench.sample.applied.cpus);
  EXPECT_TRUE(bench.sample.applied.cpus->empty());
  bench.read(parse_cpus, Text{});
  EXPECT_FALSE(bench.sample.applied.cpus);
}

TEST(CgroupParsers, SystemTimeIsTheTotalSinceCreation) {
  Bench v1(on_v1()), v2(on_v2());
  v1.read(parse_cpuacct_stat, "user 100\nsystem 250\n");
  EXPECT_EQ(v1.sample.system_time, 2500ms);
  v2.read(parse_cpu_stat_v2, "usage_usec 9\nuser_usec 4\nsystem_usec 5\n");
  EXPECT_EQ(v2.sample.system_time, 5us);
  v2.read(parse_cpu_stat_v2, "usage_usec 9\n");
  EXPECT_EQ(v2.sample.system_time, std::nullopt);
  for (const char* text : {"system -1\n", "system 9223372036854775807\n", "user 5\n"}) {
    v1.read(parse_cpuacct_stat, text);
    EXPECT_EQ(v1.sample.system_time, std::nullopt) << text;
  }
}

/// Whether the sample has any value.
bool knows_something(const CgroupSample& s) {
  const auto& a = s.applied;
  const auto& m = s.memory;
  return s.cpu_use || s.system_time || s.throttling || m.current || m.working_set || m.anonymous ||
         m.page_cache || m.events || a.cpu_limit || a.cpu_burst || a.cpu_shares || a.cpu_idle ||
         a.plain.known() != 0 || a.cpus || a.cpus_effective;
}

constexpr ParseFile kCounters[] = {
    parse_cpuacct_stat,   parse_cpuacct_usage,  parse_cpu_stat_v1,   parse_cpu_stat_v2, parse_memory_current,
    parse_memory_stat_v1, parse_memory_stat_v2, parse_memory_events, parse_oom_control, parse_failcnt};
constexpr ParseFile kSettings[] = {parse_cfs_period, parse_cpu_limit, parse_cpu_burst, parse_cpu_shares,
                                   parse_cpu_idle};

TEST(CgroupParsers, MissingFilesClearTheirValues) {
  for (const auto& layout : {on_v1(), on_v2()}) {
    Bench bench(layout);
    bench.sample.cpu_use = 1_mcpu;
    bench.sample.throttling = Throttling{};
    bench.sample.memory = {1_B, 1_B, 1_B, 1_B, MemoryEvents{}};
    bench.sample.applied = {CpuLimit{}, 1_us_cpu, 1, 1, CpuSet{}, CpuSet{}, {}};
    for (const auto parse : kCounters) bench.read(parse, Text{}, 1s);
    for (const auto parse : kSettings) bench.read(parse, Text{}, 1s);
    bench.read(parse_cpus, Text{});
    bench.read(parse_cpus_effective, Text{});
    EXPECT_FALSE(knows_something(bench.sample));
  }
}

TEST(CgroupParsers, MalformedTextsAreAbsent) {
  for (const auto& layout : {on_v1(), on_v2()}) {
    for (const auto& text : test::malformed_texts()) {
      Bench bench(layout);
      for (int twice = 0; twice < 2; ++twice)
        for (const auto parse : kCounters) bench.read(parse, text, 1s);
      for (const auto parse : kSettings)
        // "-1" and "max" are valid texts of some settings: unlimited, and the lowest identity.
        if (text != "-1" && text != "max" && text != "-9223372036854775808") bench.read(parse, text, 1s);
      EXPECT_FALSE(knows_something(bench.sample)) << text.substr(0, 40);
    }
  }
}

TEST(CgroupParsers, HugeAndNegativeNumbersInLinesAreAbsent) {
  Bench bench(on_v2());
  for (int twice = 0; twice < 2; ++twice) {
    bench.read(parse_cpu_stat_v2,
               "usage_usec 9223372036854775807\nnr_periods -1\nnr_throttled 5\nthrottled_usec 1\n", 1s);
    EXPECT_FALSE(knows_something(bench.sample));
  }
  bench.read(parse_memory_stat_v2,
             "inactive_anon 9223372036854775807\nactive_anon 1\nunevictable 1\ninactive_file -4\n");
  EXPECT_FALSE(knows_something(bench.sample));
}

}  // namespace
}  // namespace evenkeel
