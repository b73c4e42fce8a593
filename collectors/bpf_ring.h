// What a program in the kernel tells at once: records of one of its tables, in order, with a descriptor that
// is ready while there are any. A door to libbpf. May not: know what the records mean.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>

#include "cgroup/result.h"

namespace evenkeel {

class BpfRing {
 public:
  using Take = std::function<void(std::span<const std::byte> record)>;
  /// `table`: the descriptor of a ring buffer (BPF_MAP_TYPE_RINGBUF).
  static Result<BpfRing> open(int table, Take take);
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

}  // namespace evenkeel
