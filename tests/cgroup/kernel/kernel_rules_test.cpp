// The model of the kernel's rules, where the write matrix does not reach.
#include <gtest/gtest.h>

#include <cerrno>

#include "cgroup/kernel/knob_files.h"
#include "cgroup/kernel/rules.h"

namespace evenkeel {
namespace {

kernel::KernelRules v1_of(int groups, bool chain = true) {
  kernel::KernelRules rules({.online = CpuSet::range(0, 3)});
  for (int i = 0; i < groups; ++i) rules.add({.parent = chain ? i - 1 : (i == 0 ? -1 : 0)});
  return rules;
}

TEST(KernelText, ReadsNumbersAsTheKernelDoes) {
  struct Row {
    const char* text;
    int code;
    std::uint64_t value;
  };
  constexpr Row kRows[] = {
      {"0", 0, 0},
      {"7\n", 0, 7},
      {"+7", 0, 7},
      {"0x1f", 0, 31},
      {"017", 0, 15},
      {"00", 0, 0},
      {"", EINVAL, 0},
      {"\n", EINVAL, 0},
      {"7\n\n", EINVAL, 0},
      {" 7", EINVAL, 0},
      {"7 ", EINVAL, 0},
      {"08", EINVAL, 0},
      {"-7", EINVAL, 0},
      {"0xg", EINVAL, 0},
      {"1e3", EINVAL, 0},
      {"+", EINVAL, 0},
      {"++1", EINVAL, 0},
      {"max", EINVAL, 0},
      {"18446744073709551615", 0, 18446744073709551615ULL},
      {"18446744073709551616", ERANGE, 0},
  };
  for (const auto& row : kRows) {
    const auto parsed = kernel::kernel_u64(row.text);
    EXPECT_EQ(parsed.code, row.code) << row.text;
    if (row.code == 0) {
      EXPECT_EQ(parsed.value, row.value) << row.text;
    }
  }
  EXPECT_EQ(kernel::kernel_s64("-9223372036854775808").value, INT64_MIN);
  EXPECT_EQ(kernel::kernel_s64("-9223372036854775809").code, ERANGE);
  EXPECT_EQ(kernel::kernel_s64("-0x10").value, -16);
  EXPECT_EQ(kernel::kernel_u64(std::string_view("7\0x", 3)).value, 7U) << "a C string ends at the NUL";
}

TEST(KernelText, ReadsCpuListsAsTheKernelDoes) {
  struct Row {
    const char* text;
    int code;
    const char* set;
  };
  constexpr Row kRows[] = {
      {"", 0, ""},
      {"\n", 0, ""},
      {"0-3", 0, "0-3"},
      {"0,2", 0, "0,2"},
      {" 0 2 ", 0, "0,2"},
      {",,1,,", 0, "1"},
      {"all", 0, "0-3"},
      {"N", 0, "3"},
      {"2-N", 0, "2-3"},
      {"0-3:1/2", 0, "0,2"},
      {"all:1/3", 0, "0,3"},
      {"4", ERANGE, ""},
      {"0-4", ERANGE, ""},
      {"9-8", EINVAL, ""},
      {"1-", EINVAL, ""},
      {"-1", EINVAL, ""},
      {"a", EINVAL, ""},
      {"0-3:1", EINVAL, ""},
      {"0-3:1/0", EINVAL, ""},
      {"0-3:3/2", EINVAL, ""},
      {"1.2", EINVAL, ""},
      {"0x1", EINVAL, ""},
      {"4294967296", EOVERFLOW, ""},
  };
  for (const auto& row : kRows) {
    const auto parsed = kernel::kernel_cpu_list(row.text, 4);
    EXPECT_EQ(parsed.code, row.code) << row.text;
    EXPECT_EQ(parsed.code == 0 ? parsed.value.text() : "", row.set) << row.text;
  }
}

TEST(KernelRules, AGrandchildIsBoundByTheNearestLimitAbove) {
  auto rules = v1_of(3);
  EXPECT_EQ(rules.write(0, "cpu.cfs_quota_us", "50000"), 0);
  EXPECT_EQ(rules.write(2, "cpu.cfs_quota_us", "50001"), EINVAL);
  EXPECT_EQ(rules.write(2, "cpu.cfs_quota_us", "50000"), 0);
  EXPECT_EQ(rules.write(0, "cpu.cfs_quota_us", "49999"), EINVAL);
  EXPECT_EQ(rules.write(1, "cpu.cfs_quota_us", "-1"), 0);
}

TEST(KernelRules, ARemovedChildNoLongerBindsItsParent) {
  auto rules = v1_of(2);
  ASSERT_EQ(rules.write(1, "cpu.cfs_quota_us", "50000"), 0);
  ASSERT_EQ(rules.write(0, "cpu.cfs_quota_us", "10000"), EINVAL);
  rules.remove(1);
  EXPECT_EQ(rules.write(0, "cpu.cfs_quota_us", "10000"), 0);
  EXPECT_EQ(rules.write(1, "cpu.shares", "2"), ENOENT);
  EXPECT_EQ(rules.read(1, "cpu.shares"), std::nullopt);
}

TEST(KernelRules, SiblingsDoNotBindEachOther) {
  auto rules = v1_of(3, false);
  EXPECT_EQ(rules.write(1, "cpu.cfs_quota_us", "10000"), 0);
  EXPECT_EQ(rules.write(2, "cpu.cfs_quota_us", "90000"), 0);
}

TEST(KernelRules, BvtIsAVendorFile) {
  kernel::KernelRules mainline({.online = CpuSet::range(0, 1)});
  kernel::KernelRules vendor({.online = CpuSet::range(0, 1), .plain = kernel::vendor_plain_knobs()});
  for (auto* rules : {&mainline, &vendor}) rules->add({});
  EXPECT_EQ(mainline.write(0, "cpu.bvt_warp_ns", "-1"), ENOENT);
  EXPECT_EQ(vendor.write(0, "cpu.bvt_warp_ns", "-1"), 0);
  EXPECT_EQ(vendor.write(0, "cpu.bvt_warp_ns", "3"), EINVAL);
  EXPECT_EQ(vendor.read(0, "cpu.bvt_warp_ns"), "-1\n");
}

TEST(KernelRules, AnOfflineCpuIsRefusedOnV1AndKeptForLaterOnV2) {
  kernel::KernelRules v1({.online = CpuSet::range(0, 1), .cpu_ids = 4});
  kernel::KernelRules v2({.cpu_v2 = true, .cpuset_v2 = true, .online = CpuSet::range(0, 1), .cpu_ids = 4});
  for (auto* rules : {&v1, &v2}) rules->add({});
  EXPECT_EQ(v1.write(0, "cpuset.cpus", "3"), EINVAL);
  EXPECT_EQ(v2.write(0, "cpuset.cpus", "3"), 0);
  EXPECT_EQ(v2.read(0, "cpuset.cpus.effective"), "0-1\n") << "nothing of it is there: the parent's";
}

TEST(KernelRules, EveryWeightReadsBackAsItWasWritten) {
  kernel::KernelRules rules({.cpu_v2 = true, .cpuset_v2 = true, .online = CpuSet::range(0, 1)});
  rules.add({});
  for (std::int64_t weight = 1; weight <= 10000; ++weight) {
    ASSERT_EQ(rules.set(0, Knob::cpu_shares, weight), 0);
    ASSERT_EQ(rules.value(0, Knob::cpu_shares), KnobValue{weight});
  }
}

}  // namespace
}  // namespace evenkeel
