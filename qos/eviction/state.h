// State of eviction between ticks: the pending pod, recent evictions, pods that are skipped for a while, and
// the last verdicts. A value, so that a tick can be replayed.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "qos/eviction/use.h"
#include "qos/model/reason.h"
#include "qos/model/units.h"

namespace evenkeel::eviction {

/// The last verdict of a trigger, for status output.
struct EvictionVerdict {
  bool needed = false;  ///< a pod must be evicted
  Reason why{};         ///< the figures behind it, or why they are not known
  Reason outcome{};     ///< which pod is evicted, or why none is
};

struct EvictionState {
  static constexpr std::size_t kTriggers = 9;
  static constexpr int kMaxTokens = 5;

  struct Asked {
    std::string uid{}, owner_uid{}, gang{};
    MonoTime at{};
    std::string_view by{};
    Duration patience{};  ///< after which it is not waited for any longer
  };
  std::optional<Asked> pending{};   ///< eviction requested, and its cgroup is still there
  std::optional<MonoTime> freed{};  ///< when the last victim's cgroup was gone
  std::optional<MonoTime> began{};  ///< when the first decision was made
  std::uint16_t draining = 0;       ///< by trigger: between its threshold and its lower mark
  struct SkippedPod {
    std::string uid{};
    MonoTime until{};
  };
  std::vector<SkippedPod> skipped_pods{};  ///< eviction refused or failed; not requested again before then
  struct Gone {
    std::string uid{}, owner_uid{}, gang{};
    MonoTime at{};
  };
  std::vector<Gone> recent_evictions{};
  int tokens = kMaxTokens;  ///< this many evictions may follow at once; one more comes with time
  MonoTime refilled{};
  EvictionUse use{};
  std::array<EvictionVerdict, kTriggers> verdicts{};  ///< in the order of eviction_triggers()
};

}  // namespace evenkeel::eviction
