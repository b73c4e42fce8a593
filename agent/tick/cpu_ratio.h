// For how much a CPU of this machine counts where the Node's annotation does not say it: the NodeSLO's table
// of CPU models, read as Koordinator's manager reads its own. Does not read files.
#pragma once

#include <optional>
#include <string>

#include "qos/model/snapshot.h"

namespace evenkeel::tick {

struct ModelRatio {
  std::optional<double> ratio{};  ///< with two decimals, as the manager writes it
  std::string missing{};          ///< what the table lacks, where it gives none
};
/// What the table says of a machine with these CPUs. Turbo that is not known counts as off.
ModelRatio ratio_in(const CpuNormalizationModels& table, const CpuTopology& cpus);

// Gives NodeSnapshot::object the ratio of the table where its annotation gives none.

class CpuRatio {
 public:
  /// `node.object` and `node.slo` are those of the inputs again.
  void inputs_changed(NodeSnapshot& node);
  /// After a measurement. Allocates nothing while the CPUs are the same.
  void update(NodeSnapshot& node);
  /// What the table gives. Absent: nothing, or it is not asked, or the Node's annotation outranks it.
  [[nodiscard]] const std::optional<double>& of_table() const { return of_table_; }
  /// Empty, or why the table gives no ratio although something needs one of it.
  [[nodiscard]] const std::string& missing() const { return missing_; }

 private:
  /// Of the CPUs, what can change.
  struct Cpus {
    CpuSet online{};
    std::optional<bool> turbo{};
    bool operator==(const Cpus&) const = default;
  };
  std::optional<double> annotated_{}, of_table_{};
  std::optional<Cpus> cpus_{};  ///< for which the ratio was looked up; absent: it was not yet
  std::string missing_{};
};

}  // namespace evenkeel::tick
