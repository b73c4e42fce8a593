// Real cgroups of this machine for live tests: a private top directory in every hierarchy, removed with all
// its descendants at the end.
#pragma once

#include <optional>
#include <string>

#include "cgroup/base/host.h"
#include "cgroup/tree/layout.h"

namespace evenkeel::test {

class LiveCgroups {
 public:
  /// Tries to create its top directory; why_not() gives the reason if that fails.
  LiveCgroups();
  ~LiveCgroups();
  LiveCgroups(const LiveCgroups&) = delete;
  LiveCgroups& operator=(const LiveCgroups&) = delete;

  [[nodiscard]] const std::string& why_not() const { return unavailable_reason_; }
  [[nodiscard]] const Host& host() const { return *host_; }
  /// With the private top as cgroup root.
  [[nodiscard]] const tree::Layout& layout() const { return layout_; }
  /// "evenkeel-test-<pid>": the cgroup root to give to the agent.
  [[nodiscard]] const std::string& top() const { return top_; }
  /// Creates top/`path` and its parents in every hierarchy. Returns its path relative to a hierarchy.
  std::string make(const std::string& path);
  /// The same in one hierarchy.
  void make_in(const std::string& hierarchy, const std::string& path);
  void remove(const std::string& path);
  /// Sets the largest weight for everything below top/, so that other load on the machine does not make a
  /// service wait.
  void come_first();
  /// Absolute path of a file of top/`path`.
  [[nodiscard]] std::string file(Controller controller, const std::string& path,
                                 const std::string& name) const;
  /// The same in the unified hierarchy, which has the pressure files.
  [[nodiscard]] std::string unified_file(const std::string& path, const std::string& name) const;
  /// The CPU quota file of top/`path`: cpu.max, on v1 cpu.cfs_quota_us.
  [[nodiscard]] std::string quota_file(const std::string& path) const;
  /// The same for the burst: cpu.max.burst, on v1 cpu.cfs_burst_us.
  [[nodiscard]] std::string burst_file(const std::string& path) const;
  /// How many periods of top/`path` were throttled so far, from cpu.stat; -1: unknown.
  [[nodiscard]] long throttled_periods(const std::string& path) const;

 private:
  std::optional<Host> host_{};
  tree::Layout layout_{};
  std::string top_{};
  std::string unavailable_reason_{};
};

}  // namespace evenkeel::test
