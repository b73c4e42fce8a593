// Parameters of the kernel's I/O cost model (io.cost) for each disk of the node: latency targets, and what
// the disk can do. Keeps its memory from tick to tick. Does not know the kernel's file format.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "qos/model/disk_map.h"
#include "qos/model/reason.h"

namespace evenkeel::decide {

struct DiskCost {
  DiskNumber disk = 0;
  std::int64_t read_percent = 95, write_percent = 95;  ///< percentage of requests that meet the target
  std::int64_t read_latency_us = 3000, write_latency_us = 3000;
  bool own_model = false;
  /// What the disk can do: bytes, sequential and random operations per second, for reads, then for writes. 0:
  /// not given.
  std::array<std::int64_t, 6> model{};
  bool operator==(const DiskCost&) const = default;
};

class CostPlan {
 public:
  struct Wish {
    DiskCost cost{};
    bool hold = false;  ///< leave this disk as it is
    Reason why{};
  };
  std::uint8_t by = 0;  ///< the policy, by its position in the registry

  void clear() { wishes_.clear(); }
  void want(const DiskCost& cost, const Reason& why) { wishes_.push_back({cost, false, why}); }
  void hold(DiskNumber disk) { wishes_.push_back({{.disk = disk}, true, {}}); }
  [[nodiscard]] const std::vector<Wish>& wishes() const { return wishes_; }

 private:
  std::vector<Wish> wishes_{};
};

}  // namespace evenkeel::decide
