// For how much a CPU counts by its model, where the Node does not say it. Values; agent/config reads them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace evenkeel {

/// In standard CPUs, 1 to 5, by what the machine has switched on. Absent: the table does not say it.
struct CpuModelRatios {
  std::string model{};  ///< as in /proc/cpuinfo
  std::optional<double> base{}, hyper_thread{}, turbo{}, hyper_thread_turbo{};
};

/// extensions.evenkeel.cpuNormalizationModels, in the words of Koordinator's cpu-normalization-config.
struct CpuNormalizationModels {
  bool enable = false;  ///< cpuNormalization: auto
  std::vector<CpuModelRatios> models{};
  std::optional<double> default_ratio{};  ///< where `models` does not say it
};

/// Whether Koordinator is told to make as many more CPUs allocatable as the table's ratio says.
enum class ResourceAmplification : std::uint8_t { off, automatic };

}  // namespace evenkeel
