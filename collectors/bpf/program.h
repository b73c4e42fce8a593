// BPF programs: the compiled ones, and how one is loaded, attached and read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "cgroup/base/result.h"

namespace evenkeel::bpf {

// The compiled programs of collectors/bpf/*.bpf.c as byte arrays to load into the kernel: see
// collectors/bpf/programs.cmake.

extern const std::span<const unsigned char> cpu_counters_object;
extern const std::span<const unsigned char> run_queue_object;

// Loads BPF programs into the kernel, attaches them and reads their tables; everything is released with the
// object. Does not know what the programs do.

/// What to load, and the constants to set before loading.
struct BpfProgramSpec {
  struct Table {
    const char* name;
    std::uint32_t rows;
  };
  const char* name;                       ///< shown by the kernel (bpftool prog)
  std::span<const unsigned char> object;  ///< one of those above
  std::span<const Table> tables;          ///< those whose size depends on the machine
  std::span<const std::byte> constants;   ///< all of the object's constant data
  const char* without = nullptr;          ///< programs whose name ends in this are not loaded
};

class BpfProgram {
 public:
  /// Relocates the programs for this kernel, loads and attaches them. EPERM: a capability is missing; ENOENT:
  /// no BTF, or a tracepoint does not exist; EOPNOTSUPP: the programs' variables cannot be mapped; anything
  /// else: the verifier refused. bpf_load_problem() gives the explanation; messages of libbpf and the
  /// verifier are discarded.
  static Result<BpfProgram> load(const BpfProgramSpec& plan);
  BpfProgram(BpfProgram&&) noexcept;
  BpfProgram& operator=(BpfProgram&&) noexcept;
  ~BpfProgram();

  /// A table mapped into our memory, each row padded to 8 bytes. Empty if no table has that name.
  [[nodiscard]] std::span<std::byte> mapped(const char* table) const;
  /// The programs' global variables.
  [[nodiscard]] std::span<std::byte> variables() const;
  [[nodiscard]] int descriptor(const char* table) const;  ///< -1 if there is no such table
  /// Descriptor of a program that runs only when called (SEC("raw_tp") without a tracepoint); -1 if there is
  /// none.
  [[nodiscard]] int callable(const char* program) const;

 private:
  struct Impl;
  explicit BpfProgram(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// Reads the records of a program's ring buffer, in order.
class BpfRing {
 public:
  using OnRecord = std::function<void(std::span<const std::byte> record)>;
  /// `table`: the descriptor of a ring buffer (BPF_MAP_TYPE_RINGBUF).
  static Result<BpfRing> open(int table, OnRecord take);
  BpfRing(BpfRing&&) noexcept;
  BpfRing& operator=(BpfRing&&) noexcept;
  ~BpfRing();

  [[nodiscard]] int fd() const;  ///< readable (EPOLLIN) while there are records
  void read();                   ///< consumes all available records

 private:
  struct Impl;
  explicit BpfRing(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// The number of possible CPUs, which is the number of rows of a per-CPU table. 0: unknown.
std::uint32_t possible_cpus();

/// Runs a program on that CPU at once and returns when it has finished. ENXIO: the CPU is offline.
Result<> run_on_cpu(int program, std::uint32_t cpu);

/// Inserts a row into a table, or deletes it.
Result<> put_row(int table, const void* key, const void* value);
Result<> remove_row(int table, const void* key);

/// Moves rows out of a table: keys and values are arrays of `most`. Returns how many rows were moved; 0 means
/// the end. `position` tells where to continue; start with an empty one.
struct TableCursor {
  std::uint32_t at = 0;
  bool begun = false, ended = false;
};
Result<std::uint32_t> drain_rows(int table, TableCursor& position, void* keys, void* values,
                                 std::uint32_t most);

}  // namespace evenkeel::bpf
