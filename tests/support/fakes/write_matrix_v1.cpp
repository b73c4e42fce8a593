// cgroup v1. Answers measured on 6.18 and 6.1. The machine has at least the CPUs 0 and 1, and fewer than
// 1000.
#include <cerrno>

#include "tests/support/fakes/write_matrix.h"

namespace evenkeel::test {
namespace {

using enum Where;
constexpr std::string_view kQuota = "cpu.cfs_quota_us", kBurst = "cpu.cfs_burst_us",
                           kPeriod = "cpu.cfs_period_us", kShares = "cpu.shares", kIdle = "cpu.idle",
                           kCpus = "cpuset.cpus";

constexpr MatrixRow kNumbers[] = {
    {ctr, kQuota, "20000", 0, "20000"},
    {ctr, kQuota, "", 0, "20000"},
    {ctr, kQuota, "\n", EINVAL, "20000"},
    {ctr, kQuota, "21000\n", 0, "21000"},
    {ctr, kQuota, "22000 ", EINVAL, "21000"},
    {ctr, kQuota, " 22000", EINVAL, "21000"},
    {ctr, kQuota, "+22000", 0, "22000"},
    {ctr, kQuota, "0x5dc0", 0, "24000"},
    {ctr, kQuota, "056700", 0, "24000"},
    {ctr, kQuota, "abc", EINVAL, "24000"},
    {ctr, kQuota, "max", EINVAL, "24000"},
    {ctr, kQuota, "2e4", EINVAL, "24000"},
    {ctr, kQuota, "--1", EINVAL, "24000"},
    {ctr, kQuota, "0x", EINVAL, "24000"},
    {ctr, kQuota, "9223372036854775807", EINVAL, "24000"},
    {ctr, kQuota, "9223372036854775808", ERANGE, "24000"},
    {ctr, kQuota, "-9223372036854775809", ERANGE, "24000"},
    {ctr, kQuota, "99999999999999999999", ERANGE, "24000"},
    {ctr, kQuota, "99999999999999999999x", ERANGE, "24000"},
    {ctr, kBurst, "99999999999999999999", ERANGE, "0"},
    {ctr, kBurst, "18446744073709551615", EINVAL, "0"},
    {ctr, kPeriod, "18446744073709551615", EINVAL, "100000"},
    {ctr, "cpu.max", "max", ENOENT, "ENOENT"},
    {ctr, "cpu.weight", "100", ENOENT, "ENOENT"},
};

constexpr MatrixRow kBandwidth[] = {
    {ctr, kQuota, "999", EINVAL, "-1"},
    {ctr, kQuota, "1000", 0, "1000"},
    {ctr, kQuota, "0", EINVAL, "1000"},
    {ctr, kQuota, "-2", 0, "-1"},
    {ctr, kQuota, "17592186044415", 0, "17592186044415"},
    {ctr, kBurst, "1", EINVAL, "0"},
    {ctr, kQuota, "17592186044416", EINVAL, "17592186044415"},
    {ctr, kQuota, "20000", 0, "20000"},
    {ctr, kBurst, "10000", 0, "10000"},
    {ctr, kBurst, "20000", 0, "20000"},
    {ctr, kBurst, "20001", EINVAL, "20000"},
    {ctr, kQuota, "15000", EINVAL, "20000"},
    {ctr, kBurst, "-1", EINVAL, "20000"},
    {ctr, kBurst, "abc", EINVAL, "20000"},
    {ctr, kBurst, "", 0, "20000"},
    {ctr, kQuota, "-1", 0, "-1"},
    {ctr, kQuota, "15000", EINVAL, "-1"},
    {ctr, kBurst, "10000000", 0, "10000000"},
    {ctr, kQuota, "100000", EINVAL, "-1"},
    {ctr, kBurst, "0", 0, "0"},
    {ctr, kQuota, "100000", 0, "100000"},
    {ctr, kPeriod, "999", EINVAL, "100000"},
    {ctr, kPeriod, "1000", 0, "1000"},
    {ctr, kPeriod, "1000001", EINVAL, "1000"},
    {ctr, kPeriod, "1000000", 0, "1000000"},
    {ctr, kPeriod, "-1", EINVAL, "1000000"},
};

constexpr MatrixRow kHierarchy[] = {
    {ctr, kQuota, "20000", 0, "20000"},
    {pod, kQuota, "10000", EINVAL, "-1"},
    {top, kQuota, "19999", EINVAL, "-1"},
    {ctr, kQuota, "10000", 0, "10000"},
    {pod, kQuota, "10000", 0, "10000"},
    {ctr, kQuota, "10001", EINVAL, "10000"},
    {ctr, kQuota, "-1", 0, "-1"},
    {pod, kQuota, "-1", 0, "-1"},
    {top, kQuota, "50000", 0, "50000"},
    {ctr, kQuota, "50001", EINVAL, "-1"},
    {ctr, kQuota, "50000", 0, "50000"},
    {pod, kQuota, "49999", EINVAL, "-1"},
    {pod, kQuota, "50000", 0, "50000"},
    {top, kQuota, "-1", 0, "-1"},
    {pod, kPeriod, "200000", EINVAL, "100000"},
    {pod, kPeriod, "50000", 0, "50000"},
    {ctr, kPeriod, "50000", 0, "50000"},
    {ctr, kPeriod, "49999", EINVAL, "50000"},
    {pod, kQuota, "100000", 0, "100000"},
    {ctr, kPeriod, "25000", 0, "25000"},
    {ctr, kQuota, "50001", EINVAL, "50000"},
};

constexpr MatrixRow kSharesAndIdle[] = {
    {ctr, kShares, "1", 0, "2"},
    {ctr, kShares, "0", 0, "2"},
    {ctr, kShares, "262145", 0, "262144"},
    {ctr, kShares, "18446744073709551615", 0, "262144"},
    {ctr, kShares, "-1", EINVAL, "262144"},
    {ctr, kShares, "512", 0, "512"},
    {ctr, kIdle, "2", EINVAL, "0"},
    {ctr, kIdle, "-1", EINVAL, "0"},
    {ctr, kIdle, "0", 0, "0"},
    {ctr, kShares, "", 0, "512"},
    {ctr, kIdle, "1", 0, "1"},
    {ctr, kShares, "", 0, "3"},
    {ctr, kShares, "512", EINVAL, "3"},
    {ctr, kIdle, "1", 0, "1"},
    {ctr, kIdle, "0", 0, "0"},
    {ctr, kShares, "", 0, "1024"},
};

constexpr MatrixRow kCpusets[] = {
    {ctr, kCpus, "0", EACCES, ""},
    {pod, kCpus, "0-1", EACCES, ""},
    {top, kCpus, "0-1", 0, "0-1"},
    {pod, kCpus, "0,1", 0, "0-1"},
    {ctr, "", "", ENOSPC, ""},
    {ctr, kCpus, " 1 \n", 0, "1"},
    {pod, kCpus, "0", EBUSY, "0-1"},
    {pod, kCpus, "1", 0, "1"},
    {ctr, kCpus, "0", EACCES, "1"},
    {ctr, kCpus, "0-1", EACCES, "1"},
    {ctr, kCpus, "1000", ERANGE, "1"},
    {ctr, kCpus, "0-1000", ERANGE, "1"},
    {ctr, kCpus, "1000-0", EINVAL, "1"},
    {ctr, kCpus, "99999999999", EOVERFLOW, "1"},
    {ctr, kCpus, "a", EINVAL, "1"},
    {ctr, kCpus, "1-0", EINVAL, "1"},
    {ctr, kCpus, "1-", EINVAL, "1"},
    {ctr, kCpus, "-1", EINVAL, "1"},
    {ctr, kCpus, "1;0", EINVAL, "1"},
    {ctr, kCpus, "1,,1", 0, "1"},
    {ctr, kCpus, "1 1", 0, "1"},
    {ctr, kCpus, "0-1:1/2", EACCES, "1"},
    {ctr, kCpus, "1:1/0", EINVAL, "1"},
    {ctr, kCpus, "\n", 0, ""},
    {ctr, kCpus, "1", 0, "1"},
    {ctr, "", "", 0, ""},
    {ctr, kCpus, "", 0, "1"},
    {ctr, kCpus, "\n", ENOSPC, "1"},
    {pod, kCpus, "\n", EBUSY, "1"},
    {pod, kCpus, "0-1", 0, "0-1"},
    {ctr, kCpus, "0", 0, "0"},
    {ctr, kCpus, "0-1:1/2", 0, "0"},
    {top, kCpus, "0", EBUSY, "0-1"},
    {pod, kCpus, "0", 0, "0"},
    {top, kCpus, "0", 0, "0"},
    {top, "cpuset.cpus.effective", "0", ENOENT, "ENOENT"},
};

constexpr MatrixScene kScenes[] = {
    {"numbers", kNumbers},     {"bandwidth", kBandwidth},
    {"hierarchy", kHierarchy}, {"shares and idle", kSharesAndIdle},
    {"cpusets", kCpusets},
};

}  // namespace

std::span<const MatrixScene> v1_scenes() { return kScenes; }

}  // namespace evenkeel::test
