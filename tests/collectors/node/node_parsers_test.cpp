#include <gtest/gtest.h>

#include "collectors/node/parsers.h"
#include "tests/support/malformed.h"

namespace evenkeel {
namespace {

using test::malformed_texts;
using test::truncations;

TEST(NodeCpu, CountsUserNiceSystemAndInterruptsOnly) {
  // 1000 user + 50 nice + 300 system + 20 irq + 30 softirq; 9000 idle and 200 iowait do not count, 5 are
  // stolen.
  const auto ticks = node::cpu_ticks("cpu  1000 50 300 9000 200 20 30 5 0 0\ncpu0 1 2 3\n");
  ASSERT_TRUE(ticks);
  EXPECT_EQ(ticks->used, 1400);
  EXPECT_EQ(ticks->stolen, 5);
  EXPECT_EQ(node::cpu_ticks("cpu  1180 50 360 9400 260 25 35 9 0 0\n")->used, 1650);
}

TEST(NodeCpu, OldKernelsWithoutStealAreParsed) {
  const auto ticks = node::cpu_ticks("cpu 1 2 3 4 5 6 7\n");
  ASSERT_TRUE(ticks);
  EXPECT_EQ(ticks->used, 1 + 2 + 3 + 6 + 7);
  EXPECT_EQ(ticks->stolen, std::nullopt) << "which is not none";
}

TEST(NodeCpu, StartedTasksAreTheLineProcesses) {
  const std::string before = "cpu  1 2 3 4 5 6 7 8 0 0\nintr 5 0 7\nctxt 99\n";
  EXPECT_EQ(node::tasks_started(before + "btime 1\nprocesses 7674271\nprocs_running 3\n"), 7674271);
  for (const char* text : {"", "procs_running 3\n", "processes\n", "processes -1\n", "processes x\n"})
    EXPECT_EQ(node::tasks_started(before + text), std::nullopt) << text;
  for (const auto& text : malformed_texts()) EXPECT_FALSE(node::tasks_started(text)) << text.substr(0, 40);
}

TEST(NodeCpu, MalformedTextsAreAbsent) {
  for (const auto& text : malformed_texts()) EXPECT_FALSE(node::cpu_ticks(text)) << text.substr(0, 40);
  for (const char* text : {"cpu0 1 2 3 4 5 6 7\n", "cpu  1 2 3 4 5 6\n", "cpu  1 -2 3 4 5 6 7\n",
                           "cpu  a b c d e f g\n", "cpu  9223372036854775807 1 0 0 0 0 0\n", "intr 1 2 3\n",
                           "cpu  1 2 3\n4 5 6 7\n", "cpu  1 2 3 4 5 6 7 -8\n"})
    EXPECT_FALSE(node::cpu_ticks(text)) << text;
}

TEST(NodeCpu, EachCpuHasALineOfItsOwn) {
  const auto uses = node::use_of_each_cpu(
      "cpu  9 9 9 9 9 9 9 9 0 0\ncpu0 1000 50 300 9000 200 20 30 5 0 0\ncpu1 1 -2 3 4 5 6 7\n"
      "cpu17 1 2 3 4 5 6 7\ncpu2000 1 2 3 4 5 6 7\ncpufreq 1 2 3 4 5 6 7\nintr 1 2 3\n");
  ASSERT_EQ(uses.size(), 2u);
  EXPECT_EQ(uses[0].cpu, 0);
  EXPECT_EQ(uses[0].ticks, 1400);
  EXPECT_EQ(uses[1].cpu, 17);
  EXPECT_EQ(uses[1].ticks, 1 + 2 + 3 + 6 + 7);
  for (const auto& text : malformed_texts())
    EXPECT_TRUE(node::use_of_each_cpu(text).empty()) << text.substr(0, 40);
}

TEST(NodeMemory, ReadsTheKernelsLines) {
  const auto memory = node::parse_meminfo(
      "MemTotal:       263000000 kB\nMemFree:        20000000 kB\nMemAvailable:   180000000 kB\n"
      "Active(file):    1000 kB\nInactive(file):  2000 kB\nSomethingNew: 7\nHugePages_Total:      10\n"
      "HugePages_Free:       3\nHugepagesize:       2048 kB\n");
  ASSERT_TRUE(memory);
  EXPECT_EQ(memory->total - memory->available, Bytes(84'992'000'000));  // 83 000 000 KiB
  EXPECT_EQ(memory->total - *memory->free, Bytes(248'832'000'000));     // 243 000 000 KiB
  EXPECT_EQ(memory->page_cache, Bytes(3000 * 1024));
  EXPECT_EQ(memory->hugepages, Bytes(10 * 2048 * 1024));
}

TEST(NodeMemory, MissingLinesAreAbsent) {
  const auto memory = node::parse_meminfo("MemTotal: 100 kB\nMemAvailable: 50 kB\n");
  ASSERT_TRUE(memory);
  EXPECT_EQ(memory->free, std::nullopt);
  EXPECT_EQ(memory->page_cache, std::nullopt);
  EXPECT_EQ(memory->hugepages, Bytes(0));  // kernels without huge pages have no such lines
}

TEST(NodeMemory, MalformedTextsAreAbsent) {
  for (const auto& text : malformed_texts()) EXPECT_FALSE(node::parse_meminfo(text)) << text.substr(0, 40);
  for (const char* text :
       {"MemTotal: 100 kB\n", "MemAvailable: 100 kB\n", "MemTotal: 0 kB\nMemAvailable: 0 kB\n",
        "MemTotal: 100 kB\nMemAvailable: 101 kB\n", "MemTotal: -5 kB\nMemAvailable: -6 kB\n",
        "MemTotal: 9223372036854775807 kB\nMemAvailable: 1 kB\n", "MemTotal: x kB\nMemAvailable: 1 kB\n"})
    EXPECT_FALSE(node::parse_meminfo(text)) << text;
}

TEST(NodeMemory, ImplausibleHugePagesAreRejected) {
  const auto memory = node::parse_meminfo(
      "MemTotal: 1000 kB\nMemAvailable: 500 kB\nHugePages_Total: 9223372036854775807\nHugepagesize: 2048 "
      "kB\n");
  ASSERT_TRUE(memory);
  EXPECT_EQ(memory->hugepages, Bytes(0));
}

TEST(NodeMemory, PageSizesAreParsedFromDirectoryNames) {
  EXPECT_EQ(node::hugepage_size("hugepages-2048kB"), Bytes(2 << 20));
  EXPECT_EQ(node::hugepage_size("hugepages-1048576kB"), Bytes(1 << 30));
  for (const char* name :
       {"", "hugepages-", "hugepages-kB", "hugepages-2048", "hugepages-2048MB", "2048kB", "hugepages--1kB",
        "hugepages-99999999999999999999kB", "hugepages-9223372036854775807kB"})
    EXPECT_EQ(node::hugepage_size(name), std::nullopt) << name;
}

constexpr std::string_view kPressure =
    "some avg10=0.78 avg60=1.25 avg300=0.44 total=5894568\nfull avg10=0.10 avg60=0.20 avg300=0.30 total=12\n";

TEST(Psi, ReadsBothLines) {
  const auto pressure = node::parse_pressure(kPressure);
  ASSERT_TRUE(pressure && pressure->full);
  EXPECT_DOUBLE_EQ(pressure->some.avg10_percent, 0.78);
  EXPECT_DOUBLE_EQ(pressure->some.avg60_percent, 1.25);
  EXPECT_DOUBLE_EQ(pressure->some.avg300_percent, 0.44);
  EXPECT_EQ(pressure->some.total, std::chrono::microseconds(5894568));
  EXPECT_DOUBLE_EQ(pressure->full->avg300_percent, 0.30);
  EXPECT_EQ(pressure->full->total, std::chrono::microseconds(12));
}

TEST(Psi, OldKernelsHaveNoFullLineForTheCpu) {
  const auto pressure = node::parse_pressure("some avg10=1.00 avg60=2.00 avg300=3.00 total=4\n");
  ASSERT_TRUE(pressure);
  EXPECT_FALSE(pressure->full);
}

TEST(Psi, MalformedTextsAreAbsent) {
  for (const auto& text : malformed_texts()) EXPECT_FALSE(node::parse_pressure(text)) << text.substr(0, 40);
  for (const char* text :
       {"full avg10=0.00 avg60=0.00 avg300=0.00 total=0\n", "some avg10=nan avg60=0.00 avg300=0.00 total=0\n",
        "some avg10=inf avg60=0.00 avg300=0.00 total=0\n",
        "some avg10=-1.00 avg60=0.00 avg300=0.00 total=0\n",
        "some avg10=0.00 avg60=1e300 avg300=0.00 total=0\n",
        "some avg10=0.00 avg60=0.00 avg300=0.00 total=-1\n",
        "some avg10=0.00 avg60=0.00 avg300=0.00 total=9223372036854775807\n",
        "some avg60=0.00 avg10=0.00 avg300=0.00 total=0\n",
        "some avg10=0.00\navg60=0.00 avg300=0.00 total=0\n"})
    EXPECT_FALSE(node::parse_pressure(text)) << text;
}

TEST(Psi, ATruncatedTextNeverGivesAMissingLine) {
  const auto whole_some = kPressure.find("total=") + 6;
  for (const auto text : truncations(kPressure)) {
    const auto pressure = node::parse_pressure(text);
    EXPECT_EQ(pressure.has_value(), text.size() > whole_some) << text;
    const bool full = pressure && pressure->full;
    EXPECT_EQ(full, text.size() > kPressure.find("total=12") + 6) << text;
  }
}

TEST(Topology, FindsCpusWhereverTheyAreListed) {
  EXPECT_EQ(node::cpus_of_cpuinfo("processor\t: 0\nmodel name\t: x\n\nprocessor\t: 2\n")->text(), "0,2");
  EXPECT_EQ(node::cpus_of_stat("cpu  1 2 3\ncpu0 1 2\ncpu1 1 2\ncpu3 1 2\nintr 5\n")->text(), "0-1,3");
}

TEST(Topology, MalformedListsAreAbsent) {
  for (const auto& text : malformed_texts()) {
    EXPECT_FALSE(node::cpus_of_cpuinfo(text)) << text.substr(0, 40);
    EXPECT_FALSE(node::cpus_of_stat(text)) << text.substr(0, 40);
  }
  for (const char* text : {"processor : -1\n", "processor : 1024\n", "processor : x\n", "processor 0\n"})
    EXPECT_FALSE(node::cpus_of_cpuinfo(text)) << text;
  for (const char* text : {"cpux 1\n", "cpu-1 1\n", "cpu1024 1\n", "cpu0x 1\n", "cpu 1 2 3\n"})
    EXPECT_FALSE(node::cpus_of_stat(text)) << text;
}

TEST(NodeParsers, TheCpuModelIsTheKernelsName) {
  EXPECT_EQ(node::cpu_model_of(
                "processor\t: 0\nmodel\t\t: 207\nmodel name\t: Some(R) CPU @ 2.1GHz\nprocessor\t: 1\n"
                "model name\t: Other\n"),
            "Some(R) CPU @ 2.1GHz");
  EXPECT_EQ(
      node::cpu_model_of("processor\t: 0\nBogoMIPS\t: 50\nCPU implementer\t: 0x41\nCPU part\t: 0xd0c\n"),
      "0x41 0xd0c");
  EXPECT_EQ(node::cpu_model_of("processor\t: 0\ncpu\t\t: POWER9\n"), "POWER9");
  EXPECT_EQ(node::cpu_model_of("processor\t: 0\nmodel name\t:\n"), "");
  for (const auto& text : test::malformed_texts())
    EXPECT_EQ(node::cpu_model_of(text), "") << text.substr(0, 40);
}

TEST(NodeParsers, TheCpuVendorIsOfItsOwnLine) {
  EXPECT_EQ(node::cpu_vendor_of("processor\t: 0\nvendor_id\t: GenuineIntel\nprocessor\t: 1\n"),
            "GenuineIntel");
  EXPECT_EQ(node::cpu_vendor_of("processor\t: 0\nCPU implementer\t: 0x41\n"), "") << "arm64";
  for (const auto& text : test::malformed_texts())
    EXPECT_EQ(node::cpu_vendor_of(text), "") << text.substr(0, 40);
}

TEST(NodeParsers, NamesHaveTheirNumberAtTheEnd) {
  EXPECT_EQ(node::number_in_name("cpu12", "cpu"), 12);
  EXPECT_EQ(node::number_in_name("node0", "node"), 0);
  for (const char* name :
       {"cpu", "cpufreq", "cpu1x", "cpu-1", "acpu1", "node1", "", "cpu99999999999999999999"})
    EXPECT_EQ(node::number_in_name(name, "cpu"), std::nullopt) << name;
}

TEST(NodeParsers, TurboIsOnWhereItIsNotOff) {
  EXPECT_EQ(node::turbo_enabled("0\n"), true);
  EXPECT_EQ(node::turbo_enabled("1\n"), false);
  for (const auto* text : {"", "maybe\n", "-1\n"}) EXPECT_EQ(node::turbo_enabled(text), std::nullopt) << text;
}

}  // namespace
}  // namespace evenkeel
