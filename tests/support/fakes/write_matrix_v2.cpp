// cgroup v2. Answers measured on 6.1. The machine has at least the CPUs 0 and 1, and fewer than 1000.
#include <cerrno>

#include "tests/support/fakes/write_matrix.h"

namespace evenkeel::test {
namespace {

using enum Where;
constexpr std::string_view kMax = "cpu.max", kBurst = "cpu.max.burst", kWeight = "cpu.weight",
                           kIdle = "cpu.idle", kCpus = "cpuset.cpus", kEffective = "cpuset.cpus.effective";

constexpr MatrixRow kWords[] = {
    {ctr, kMax, "20000 100000", 0, "20000 100000"},   {ctr, kMax, "", 0, "20000 100000"},
    {ctr, kMax, "\n", EINVAL, "20000 100000"},        {ctr, kMax, "21000", 0, "21000 100000"},
    {ctr, kMax, "22000\n", 0, "22000 100000"},        {ctr, kMax, " 23000  50000 ", 0, "23000 50000"},
    {ctr, kMax, "24000 100000 7", 0, "24000 100000"}, {ctr, kMax, "25000x", 0, "25000 100000"},
    {ctr, kMax, "26000 x", 0, "26000 100000"},        {ctr, kMax, "-1", EINVAL, "26000 100000"},
    {ctr, kMax, "0", EINVAL, "26000 100000"},         {ctr, kMax, "abc", EINVAL, "26000 100000"},
    {ctr, kMax, "maximum", EINVAL, "26000 100000"},   {ctr, kMax, "max", 0, "max 100000"},
    {ctr, kMax, "max 50000", 0, "max 50000"},         {ctr, "cpu.cfs_quota_us", "1", ENOENT, "ENOENT"},
    {ctr, "cpu.shares", "2", ENOENT, "ENOENT"},
};

constexpr MatrixRow kBandwidth[] = {
    {ctr, kMax, "999", EINVAL, "max 100000"},
    {ctr, kMax, "1000", 0, "1000 100000"},
    {ctr, kMax, "20000 999", EINVAL, "1000 100000"},
    {ctr, kMax, "max 2000000", EINVAL, "1000 100000"},
    {ctr, kMax, "20000 1000000", 0, "20000 1000000"},
    {ctr, kMax, "20000 100000", 0, "20000 100000"},
    {ctr, kBurst, "20000", 0, "20000"},
    {ctr, kBurst, "20001", EINVAL, "20000"},
    {ctr, kBurst, "-1", EINVAL, "20000"},
    {ctr, kBurst, "max", EINVAL, "20000"},
    {ctr, kMax, "15000 100000", EINVAL, "20000 100000"},
    {ctr, kMax, "15000", EINVAL, "20000 100000"},
    {pod, kMax, "10000 100000", 0, "10000 100000"},
    {ctr, kMax, "50000 100000", 0, "50000 100000"},
    {pod, kMax, "max 100000", 0, "max 100000"},
    {ctr, kMax, "max", 0, "max 100000"},
    {ctr, kMax, "15000", EINVAL, "max 100000"},
    {ctr, kBurst, "0", 0, "0"},
    {ctr, kMax, "15000", 0, "15000 100000"},
};

constexpr MatrixRow kWeightAndIdle[] = {
    {ctr, kWeight, "0", ERANGE, "100"},  {ctr, kWeight, "10001", ERANGE, "100"},
    {ctr, kWeight, "-1", EINVAL, "100"}, {ctr, kWeight, "1", 0, "1"},
    {ctr, kWeight, "10000", 0, "10000"}, {ctr, kWeight, "33", 0, "33"},
    {ctr, kIdle, "2", EINVAL, "0"},      {ctr, kIdle, "1", 0, "1"},
    {ctr, kWeight, "", 0, "0"},          {ctr, kWeight, "100", EINVAL, "0"},
    {ctr, kWeight, "0", ERANGE, "0"},    {ctr, kIdle, "0", 0, "0"},
    {ctr, kWeight, "", 0, "100"},
};

constexpr MatrixRow kCpusets[] = {
    {ctr, kCpus, "0", 0, "0"},       {ctr, kCpus, "1000", ERANGE, "0"}, {ctr, kCpus, "1-0", EINVAL, "0"},
    {ctr, kCpus, "a", EINVAL, "0"},  {ctr, kCpus, "\n", 0, ""},         {ctr, kEffective, "", 0, "0-1"},
    {ctr, kCpus, "0-1", 0, "0-1"},   {pod, kCpus, "0", 0, "0"},         {ctr, kEffective, "", 0, "0"},
    {ctr, kCpus, "1", 0, "1"},       {ctr, kEffective, "", 0, "0"},     {ctr, "", "", 0, ""},
    {ctr, kCpus, "0", 0, "0"},       {ctr, kCpus, "", 0, "0"},          {ctr, kCpus, "\n", ENOSPC, "0"},
    {pod, kCpus, "\n", ENOSPC, "0"}, {pod, kCpus, "0-1", 0, "0-1"},     {ctr, kEffective, "0", EINVAL, "0"},
};

constexpr std::string_view kMin = "memory.min", kLow = "memory.low", kHigh = "memory.high",
                           kOomGroup = "memory.oom.group";

constexpr MatrixRow kMemory[] = {
    {ctr, kMin, "4095", 0, "0"},
    {ctr, kMin, "990000000", 0, "989999104"},
    {ctr, kMin, "", 0, "989999104"},
    {ctr, kMin, "-1", EINVAL, "989999104"},
    {ctr, kMin, "abc", EINVAL, "989999104"},
    {ctr, kMin, "8192x", EINVAL, "989999104"},
    {ctr, kMin, "8192 8192", EINVAL, "989999104"},
    {ctr, kMin, " 8192\n", 0, "8192"},
    {ctr, kMin, "3M", 0, "3145728"},
    {ctr, kMin, "0x2000", 0, "8192"},
    {ctr, kMin, "max", 0, "max"},
    {ctr, kMin, "\n", 0, "0"},
    {ctr, kMin, "9223372036854775807", 0, "max"},
    {ctr, kMin, "0", 0, "0"},
    {ctr, kLow, "1g", 0, "1073741824"},
    {pod, kLow, "4096", 0, "4096"},
    {ctr, kHigh, "8192", 0, "8192"},
    {ctr, kHigh, "max\n", 0, "max"},
    {ctr, kHigh, "maximum", EINVAL, "max"},
    {ctr, kOomGroup, "1", 0, "1"},
    {ctr, kOomGroup, "2", EINVAL, "1"},
    {ctr, kOomGroup, "-1", EINVAL, "1"},
    {ctr, kOomGroup, "0\n", 0, "0"},
    {ctr, "memory.wmark_ratio", "95", ENOENT, "ENOENT"},
};

constexpr MatrixScene kScenes[] = {
    {"words", kWords},     {"bandwidth", kBandwidth}, {"weight and idle", kWeightAndIdle},
    {"cpusets", kCpusets}, {"memory", kMemory},
};

}  // namespace

std::span<const MatrixScene> v2_scenes() { return kScenes; }

}  // namespace evenkeel::test
