// Programs that run in the kernel, and their tables: loaded, attached, read, and gone with the object. The
// door to libbpf. May not: know what the programs do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "cgroup/base/result.h"

namespace evenkeel::bpf {

/// What is told to programs before they are loaded.
struct BpfProgramSpec {
  struct Table {
    const char* name;
    std::uint32_t rows;
  };
  const char* name;                       ///< for the kernel's lists (bpftool prog)
  std::span<const unsigned char> object;  ///< see collectors/bpf/objects.h
  std::span<const Table> tables;          ///< those whose size depends on the machine
  std::span<const std::byte> constants;   ///< all of the object's constant data
  const char* without = nullptr;          ///< programs whose name ends so are left out
};

class BpfProgram {
 public:
  /// Fits the programs to this kernel, loads and attaches them. EPERM: a capability is missing; ENOENT: no
  /// BTF, or a tracepoint is not there; anything else: the verifier refused. why_not_loaded() has the
  /// sentences; what libbpf and the verifier say goes nowhere.
  static Result<BpfProgram> load(const BpfProgramSpec& plan);
  BpfProgram(BpfProgram&&) noexcept;
  BpfProgram& operator=(BpfProgram&&) noexcept;
  ~BpfProgram();

  /// A table that is mapped into our memory: each row padded to 8 bytes. Empty: there is none of that name.
  [[nodiscard]] std::span<std::byte> mapped(const char* table) const;
  /// The programs' variables.
  [[nodiscard]] std::span<std::byte> variables() const;
  [[nodiscard]] int descriptor(const char* table) const;  ///< -1: there is no such table
  /// A program that runs only when it is called (SEC("raw_tp") and no tracepoint); -1: there is none.
  [[nodiscard]] int callable(const char* program) const;

 private:
  struct Impl;
  explicit BpfProgram(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// What a program tells at once: records of one of its tables, in order.
class BpfRing {
 public:
  using OnRecord = std::function<void(std::span<const std::byte> record)>;
  /// `table`: the descriptor of a ring buffer (BPF_MAP_TYPE_RINGBUF).
  static Result<BpfRing> open(int table, OnRecord take);
  BpfRing(BpfRing&&) noexcept;
  BpfRing& operator=(BpfRing&&) noexcept;
  ~BpfRing();

  [[nodiscard]] int fd() const;  ///< readable (EPOLLIN) while there are records
  void read();                   ///< takes all that are there

 private:
  struct Impl;
  explicit BpfRing(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// How many CPUs the kernel has prepared for: rows of its per-CPU tables. 0: unknown.
std::uint32_t possible_cpus();

/// Runs a program on that CPU, now, whatever runs there. Returns when it is done. ENXIO: the CPU is offline.
Result<> run_on_cpu(int program, std::uint32_t cpu);

/// Puts a row into a table, or takes it away.
Result<> put_row(int table, const void* key, const void* value);
Result<> remove_row(int table, const void* key);

/// Takes rows out of a table, as many as fit: keys and values are arrays of `most`. Returns how many; 0 is
/// the end. `position` is where to go on; start with nothing in it.
struct TableCursor {
  std::uint32_t at = 0;
  bool begun = false, ended = false;
};
Result<std::uint32_t> drain_rows(int table, TableCursor& position, void* keys, void* values,
                                 std::uint32_t most);

}  // namespace evenkeel::bpf
