#include "cgroup/kernel/knob_files.h"

#include <gtest/gtest.h>

#include <map>

namespace evenkeel {
namespace {

tree::Layout layout(bool v2) {
  tree::Layout out;
  out.version = v2 ? tree::CgroupVersion::v2 : tree::CgroupVersion::v1;
  for (std::size_t i = 0; i < kControllerCount; ++i) {
    out.roots[i] = v2 ? "sys/fs/cgroup" : "sys/fs/cgroup/some";
    out.on_v2[i] = v2;
  }
  return out;
}

std::string said(const std::optional<KnobValue>& value) { return value ? text(*value) : "nothing"; }
std::string parsed(Knob knob, std::string_view content, bool v2) {
  return said(kernel::parse_value(knob, content, layout(v2)));
}

TEST(KnobFiles, NamesFollowTheControllersHierarchy) {
  EXPECT_EQ(kernel::file_name(Knob::cpu_quota, layout(false)), "cpu.cfs_quota_us");
  EXPECT_EQ(kernel::file_name(Knob::cpu_quota, layout(true)), "cpu.max");
  auto half = layout(false);
  half.roots[static_cast<std::size_t>(Controller::cpuset)].clear();
  EXPECT_EQ(kernel::file_name(Knob::cpuset_cpus, half), "") << "no hierarchy, no lever";
}

TEST(KnobFiles, EveryFileLeadsBackToItsKnob) {
  for (const auto& lever : knob_table()) {
    EXPECT_TRUE(lever.v1_file.empty() || kernel::knob_of_file(lever.v1_file) == lever.knob) << lever.name;
    EXPECT_EQ(kernel::knob_of_file(lever.v2_file), lever.knob) << lever.name;
  }
  EXPECT_EQ(kernel::knob_of_file("memory.current"), std::nullopt);
  EXPECT_EQ(kernel::knob_of_file(""), std::nullopt);
}

TEST(KnobFiles, ReadsWhatTheKernelWrites) {
  EXPECT_EQ(parsed(Knob::cpu_quota, "150000\n", false), "150000");
  EXPECT_EQ(parsed(Knob::cpu_quota, "-1\n", false), "unlimited");
  EXPECT_EQ(parsed(Knob::cpu_quota, "150000 100000\n", true), "150000");
  EXPECT_EQ(parsed(Knob::cpu_quota, "max 50000\n", true), "unlimited");
  EXPECT_EQ(parsed(Knob::cpu_bvt, "-1\n", false), "-1");
  EXPECT_EQ(parsed(Knob::cpuset_cpus, "0-1,3\n", false), "0-1,3");
  EXPECT_EQ(parsed(Knob::cpuset_cpus, "\n", true), "");
  EXPECT_EQ(parsed(Knob::memory_high, "max\n", true), "unlimited");
  EXPECT_EQ(parsed(Knob::memory_min, "989999104\n", true), "989999104");
  EXPECT_EQ(parsed(Knob::memory_min, "990000000\n", true), "989999104") << "whole pages, wherever it stands";
  EXPECT_EQ(parsed(Knob::memory_oom_group, "1\n", true), "1");
}

TEST(KnobFiles, GarbageIsNothing) {
  for (const bool v2 : {false, true})
    for (const auto knob : {Knob::cpu_quota, Knob::cpu_burst, Knob::cpu_shares, Knob::cpu_idle})
      for (const char* text :
           {"", "\n", "x", "1x", "--1", "1 2 3", "99999999999999999999", "0x10", "1\n2", "\x01"})
        EXPECT_EQ(parsed(knob, text, v2), "nothing") << row(knob).name << " " << text;
  for (const char* text : {"-2", "max", "1 100000"})
    EXPECT_EQ(parsed(Knob::cpu_quota, text, false), "nothing");
  for (const char* text : {"-1", "max x", "max 0", "max -5", "1 2x"})
    EXPECT_EQ(parsed(Knob::cpu_quota, text, true), "nothing") << text;
  for (const char* text : {"a", "3-1", "1-", "5000", "0\n1"})
    EXPECT_EQ(parsed(Knob::cpuset_cpus, text, false), "nothing") << text;
}

TEST(KnobFiles, ALimitKeepsThePeriodThatTheFileHas) {
  const auto v1 = layout(false), v2 = layout(true);
  EXPECT_EQ(kernel::format_value(Knob::cpu_quota, std::int64_t{1000}, "-1", v1), "1000");
  EXPECT_EQ(kernel::format_value(Knob::cpu_quota, Unlimited{}, "1000", v1), "-1");
  EXPECT_EQ(kernel::format_value(Knob::cpu_quota, std::int64_t{1000}, "max 50000\n", v2), "1000 50000");
  EXPECT_EQ(kernel::format_value(Knob::cpu_quota, Unlimited{}, "1000 100000", v2), "max 100000");
  EXPECT_EQ(kernel::format_value(Knob::cpu_quota, Unlimited{}, "", v2), "max")
      << "the kernel keeps its period";
}

TEST(KnobFiles, ALineOfADiskKeepsItsDevice) {
  const auto on = layout(false);
  for (const char* current : {"8:16 1048576", "\r8:16 1048576\n"}) {
    const auto value = kernel::parse_value(Knob::io_read_bps, current, on);
    ASSERT_TRUE(value) << current;
    EXPECT_EQ(kernel::format_value(Knob::io_read_bps, *value, current, on), "8:16 1048576");
  }
}

TEST(KnobFiles, TheEmptySetIsALineEndBecauseAnEmptyWriteDoesNothing) {
  EXPECT_EQ(kernel::format_value(Knob::cpuset_cpus, CpuSet{}, "0", layout(true)), "\n");
  EXPECT_EQ(kernel::format_value(Knob::cpuset_cpus, CpuSet::range(0, 2), "", layout(false)), "0-2");
}

TEST(KnobFiles, SharesAndWeightsAreMovedIntoTheirRange) {
  const auto v1 = layout(false), v2 = layout(true);
  EXPECT_EQ(kernel::format_value(Knob::cpu_shares, std::int64_t{1}, "", v1), "2");
  EXPECT_EQ(kernel::format_value(Knob::cpu_shares, std::int64_t{262144}, "", v2), "10000");
  EXPECT_EQ(kernel::as_kernel_stores(Knob::cpu_shares, std::int64_t{1}, v2), KnobValue{std::int64_t{1}});
  EXPECT_EQ(kernel::as_kernel_stores(Knob::cpu_burst, std::int64_t{1}, v1), KnobValue{std::int64_t{1}});
}

TEST(KnobFiles, TheTableSaysWhatIsLegal) {
  EXPECT_TRUE(kernel::legal_value(Knob::cpu_quota, Unlimited{}));
  EXPECT_TRUE(kernel::legal_value(Knob::cpu_quota, std::int64_t{1000}));
  EXPECT_FALSE(kernel::legal_value(Knob::cpu_quota, std::int64_t{999}));
  EXPECT_FALSE(kernel::legal_value(Knob::cpu_quota, CpuSet::range(0, 1)));
  EXPECT_FALSE(kernel::legal_value(Knob::cpu_idle, std::int64_t{2}));
  EXPECT_FALSE(kernel::legal_value(Knob::cpu_idle, Unlimited{}));
  EXPECT_FALSE(kernel::legal_value(Knob::cpu_bvt, std::int64_t{-2}));
  EXPECT_FALSE(kernel::legal_value(Knob::cpuset_cpus, std::int64_t{1}));
  EXPECT_TRUE(kernel::legal_value(Knob::cpuset_cpus, CpuSet::range(0, 1)));
}

TEST(KnobFiles, SameTextMeansTheSameSetting) {
  EXPECT_TRUE(kernel::same_text(Knob::cpuset_cpus, "0,1", "0-1\n"));
  EXPECT_TRUE(kernel::same_text(Knob::cpuset_cpus, "\n", ""));
  EXPECT_FALSE(kernel::same_text(Knob::cpuset_cpus, "", "0-1"));
  EXPECT_TRUE(kernel::same_text(Knob::cpu_quota, "max 100000", "max 100000\n"));
  EXPECT_TRUE(kernel::same_text(Knob::cpu_quota, "1000", "1000 100000"));
  EXPECT_FALSE(kernel::same_text(Knob::cpu_quota, "1000 50000", "1000 100000"));
  EXPECT_FALSE(kernel::same_text(Knob::cpu_quota, "1000 100000", "2000 100000"));
  EXPECT_FALSE(kernel::same_text(Knob::cpu_shares, "2", "20"));
}

TEST(KnobFiles, TheSnapshotGivesEachKnobItsValue) {
  Applied applied;
  for (const auto& lever : knob_table())
    EXPECT_EQ(said(kernel::applied_value(applied, lever.knob)), "nothing");
  applied.cpu_limit = CpuLimit{};
  EXPECT_EQ(said(kernel::applied_value(applied, Knob::cpu_quota)), "unlimited");
  applied.cpu_limit->quota = QuotaTime(7000);
  applied.cpu_burst = QuotaTime(1);
  applied.cpu_shares = 2;
  applied.cpu_idle = 0;
  applied.cpus = CpuSet::range(1, 2);
  applied.plain.set(Knob::cpu_bvt, -1);
  applied.plain.set(Knob::memory_min, 4096);
  applied.plain.set(Knob::memory_high, kPlainMax);
  const std::map<Knob, std::string> expected = {{Knob::cpu_quota, "7000"},  {Knob::cpu_burst, "1"},
                                                {Knob::cpu_shares, "2"},    {Knob::cpu_idle, "0"},
                                                {Knob::cpuset_cpus, "1-2"}, {Knob::cpu_bvt, "-1"},
                                                {Knob::memory_min, "4096"}, {Knob::memory_high, "unlimited"}};
  for (const auto& lever : knob_table())
    EXPECT_EQ(said(kernel::applied_value(applied, lever.knob)),
              expected.contains(lever.knob) ? expected.at(lever.knob) : "nothing");
}

TEST(KnobFiles, TheMemoryLimitOfV1HasWordsOfItsOwn) {
  EXPECT_EQ(parsed(Knob::memory_limit, "9223372036854771712\n", false), "unlimited");
  EXPECT_EQ(parsed(Knob::memory_limit, "max\n", true), "unlimited");
  EXPECT_EQ(kernel::format_value(Knob::memory_limit, Unlimited{}, "4096", layout(false)), "-1");
  EXPECT_EQ(kernel::format_value(Knob::memory_limit, Unlimited{}, "4096", layout(true)), "max");
  EXPECT_TRUE(kernel::same_text(Knob::memory_limit, "-1", "9223372036854771712"));
}

TEST(KnobFiles, LeversOfTheNodeHaveOneNameEverywhere) {
  EXPECT_EQ(kernel::file_name(Knob::min_free_kbytes, layout(false)), "min_free_kbytes");
  EXPECT_EQ(kernel::file_name(Knob::min_free_kbytes, layout(true)), "min_free_kbytes");
  EXPECT_EQ(parsed(Knob::min_free_kbytes, "67584\n", true), "67584");
}

}  // namespace
}  // namespace evenkeel
