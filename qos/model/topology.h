// The machine's CPUs and sets of CPU numbers.
#pragma once

#include <bitset>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace evenkeel {

// A set of CPU numbers below 1024, with the kernel's list format ("0-3,8"). No allocation.

using CpuId = int;

class CpuSet {
 public:
  static constexpr std::size_t kCapacity = 1024;

  /// Reads the kernel's list format: "0-3,8", "" and "\n" are the empty set, spaces around items are
  /// accepted. Absent for anything else: reversed ranges, numbers >= 1024, stray characters.
  static std::optional<CpuSet> parse(std::string_view text);
  /// The CPUs `first` to `last`, both included.
  static CpuSet range(CpuId first, CpuId last);

  void add(CpuId cpu) { bits_.set(static_cast<std::size_t>(cpu)); }
  void remove(CpuId cpu) { bits_.reset(static_cast<std::size_t>(cpu)); }
  [[nodiscard]] bool contains(CpuId cpu) const {
    return cpu >= 0 && static_cast<std::size_t>(cpu) < kCapacity && bits_.test(static_cast<std::size_t>(cpu));
  }
  [[nodiscard]] std::size_t size() const { return bits_.count(); }
  [[nodiscard]] bool empty() const { return bits_.none(); }
  [[nodiscard]] bool subset_of(const CpuSet& other) const { return (bits_ & ~other.bits_).none(); }
  /// The first member >= `from`, or -1: `for (c = s.next(0); c >= 0; c = s.next(c + 1))`.
  [[nodiscard]] CpuId next(CpuId from) const;
  /// The kernel's list format, ranges joined, ascending; "" for the empty set.
  [[nodiscard]] std::string text() const;

  friend CpuSet operator|(const CpuSet& a, const CpuSet& b) { return CpuSet(a.bits_ | b.bits_); }
  friend CpuSet operator&(const CpuSet& a, const CpuSet& b) { return CpuSet(a.bits_ & b.bits_); }
  friend CpuSet operator-(const CpuSet& a, const CpuSet& b) { return CpuSet(a.bits_ & ~b.bits_); }
  bool operator==(const CpuSet&) const = default;
  CpuSet() = default;

 private:
  explicit CpuSet(std::bitset<kCapacity> bits) : bits_(bits) {}
  std::bitset<kCapacity> bits_{};
};

// The CPU topology of the machine. A value; collectors/node/topology.cpp fills it.

struct CpuInfo {
  CpuId id = 0;
  int core = 0;    ///< unique on the machine: two CPUs with the same core are SMT siblings
  int socket = 0;  ///< physical package
  int numa = 0;    ///< NUMA node
  int l3 = 0;      ///< last-level cache domain
};

struct CpuTopology {
  std::vector<CpuInfo> cpus{};  ///< online CPUs, ascending by id; empty = unknown
  CpuSet online{};
  std::string model{};          ///< of the first CPU, as the kernel names it; empty: not given
  std::string vendor{};         ///< of the first CPU, "GenuineIntel"; empty: not given
  std::optional<bool> turbo{};  ///< CPUs may exceed their nominal frequency; absent: unknown
};

/// Whether a core has several online CPUs (SMT).
bool has_siblings(const CpuTopology& topology);

}  // namespace evenkeel
