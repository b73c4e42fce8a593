// Parses numbers and lists as the kernel does when they are written to its files (lib/kstrtox.c,
// lib/vsprintf.c, lib/bitmap-str.c), errno included. Used by the model of its rules. Does not touch files.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "qos/model/topology.h"

namespace evenkeel::kernel {

/// Zero with a value, or the errno that the kernel returns.
template <class T>
struct KernelParsed {
  int code = 0;
  T value{};
};

/// kstrtoull(base 0): "0x10" and "010" are hexadecimal and octal, one line end is allowed, blanks are not.
KernelParsed<std::uint64_t> kernel_u64(std::string_view text);
/// kstrtoll(base 0).
KernelParsed<std::int64_t> kernel_s64(std::string_view text);
/// cpulist_parse for a machine whose CPU numbers are below `cpu_ids`.
KernelParsed<CpuSet> kernel_cpu_list(std::string_view text, int cpu_ids);

/// The two words of cpu.max as sscanf("%20s %llu") parses them.
struct KernelCpuMax {
  bool unlimited = false;
  std::uint64_t quota_us = 0;
  bool has_period = false;
  std::uint64_t period_us = 0;
};
KernelParsed<KernelCpuMax> kernel_cpu_max(std::string_view text);

/// page_counter_memparse(): "max", or a number followed by K, M, G, T, P or E, in whole pages of 4 KiB.
/// Absent value: max.
KernelParsed<std::optional<std::int64_t>> kernel_bytes(std::string_view text);

}  // namespace evenkeel::kernel
