// The executor's tables: the values it holds, with their originals, and the values that the kernel refused.
// The tables are sorted; a lookup allocates nothing. Does not touch files.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "cgroup/base/kernel_files.h"
#include "cgroup/executor/contest.h"
#include "qos/decide/intent.h"
#include "qos/model/ids.h"
#include "qos/model/knob.h"
#include "qos/model/reason.h"
#include "qos/model/units.h"

namespace evenkeel::executor {

/// A value in a table: a number in place, a CPU set elsewhere. A KnobValue always has room for a set of all
/// CPUs.
class StoredValue {
 public:
  StoredValue() = default;
  StoredValue(const KnobValue& value) {  // NOLINT(google-explicit-constructor): it is that value
    const auto* plain = std::get_if<std::int64_t>(&value);
    number_ = plain ? std::optional(*plain) : std::nullopt;
    if (const auto* cpus = std::get_if<CpuSet>(&value)) cpus_ = std::make_shared<const CpuSet>(*cpus);
  }
  [[nodiscard]] KnobValue value() const {
    if (number_) return *number_;
    return cpus_ ? KnobValue(*cpus_) : Unlimited{};
  }
  /// Absent: it is no number.
  [[nodiscard]] std::optional<std::int64_t> number() const { return number_; }
  bool operator==(const KnobValue& other) const {
    const auto* others = std::get_if<CpuSet>(&other);
    return cpus_ && others ? *cpus_ == *others : !cpus_ && value() == other;
  }

 private:
  std::optional<std::int64_t> number_ = 0;
  std::shared_ptr<const CpuSet> cpus_{};  ///< null: a number, or without one unlimited
};

/// One (cgroup, knob) that the executor wrote.
struct HeldValue {
  CgroupId cgroup{};
  Knob knob{};
  KnobFile file{};
  std::string original{}, ours{};
  StoredValue original_value{}, ours_value{};
  decide::PolicyIndex by = decide::kNoPolicy;
  Reason why{};
  MonoTime since{};
  CgroupId first_later_cgroup{};  ///< cgroups with this id or a later one were created while the value was
                                  ///< held
  Contest contest{};
  std::optional<std::int64_t> owners{};  ///< what the owner asked for when it was last known
  /// What the file held before the first write, whatever its owner has written since.
  StoredValue before_us{};
};

/// A (cgroup, knob) that is not held, because its owner's value goes further than the wanted one.
struct KeptValue {
  CgroupId cgroup{};
  Knob knob{};
  StoredValue owners{}, wanted{};
  decide::PolicyIndex by = decide::kNoPolicy;
};

/// A CPU set of a pod or container that is equal to what the agent wrote to a directory above, and was there
/// before: its owner chose it.
struct OwnSet {
  CgroupId cgroup{};
  KnobFile file{};
  std::string text{};
};

/// A value that the kernel refuses in this file, and how long it is not retried.
struct Rejected {
  CgroupId cgroup{};
  Knob knob{};
  StoredValue value{};
  RetryBackoff pause{};
};

/// A vector sorted by (cgroup, knob) with one row each.
template <class Row>
class KnobTable {
 public:
  Row* find(CgroupId cgroup, Knob knob) {
    const auto at = place(cgroup, knob);
    return at != rows_.end() && at->cgroup == cgroup && at->knob == knob ? &*at : nullptr;
  }
  /// The row, inserted if there is none. Invalidates pointers to rows.
  Row& at(CgroupId cgroup, Knob knob) {
    auto at = place(cgroup, knob);
    if (at == rows_.end() || at->cgroup != cgroup || at->knob != knob) {
      Row row;
      row.cgroup = cgroup;
      row.knob = knob;
      at = rows_.insert(at, std::move(row));
    }
    return *at;
  }
  void erase(CgroupId cgroup, Knob knob) {
    if (Row* row = find(cgroup, knob)) rows_.erase(rows_.begin() + (row - rows_.data()));
  }
  template <class Which>
  void erase_if(Which which) {
    std::erase_if(rows_, which);
  }
  std::vector<Row>& rows() { return rows_; }
  [[nodiscard]] const std::vector<Row>& rows() const { return rows_; }
  [[nodiscard]] std::size_t size() const { return rows_.size(); }

 private:
  auto place(CgroupId cgroup, Knob knob) {
    return std::lower_bound(rows_.begin(), rows_.end(), std::pair(cgroup, knob),
                            [](const Row& row, auto key) { return std::pair(row.cgroup, row.knob) < key; });
  }
  std::vector<Row> rows_{};
};

}  // namespace evenkeel::executor
