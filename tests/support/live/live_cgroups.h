// Real cgroups of this machine for live tests: a private top directory in every hierarchy, removed with all
// beneath it in the end.
#pragma once

#include <optional>
#include <string>

#include "cgroup/base/host.h"
#include "cgroup/tree/layout.h"

namespace evenkeel::test {

class LiveCgroups {
 public:
  /// Tries to make its top directory; why_not() says what stood in the way.
  LiveCgroups();
  ~LiveCgroups();
  LiveCgroups(const LiveCgroups&) = delete;
  LiveCgroups& operator=(const LiveCgroups&) = delete;

  [[nodiscard]] const std::string& why_not() const { return why_not_; }
  [[nodiscard]] const Host& host() const { return *host_; }
  /// With the private top as cgroup root.
  [[nodiscard]] const tree::Layout& layout() const { return layout_; }
  /// "evenkeel-test-<pid>": the cgroup root to give to the agent.
  [[nodiscard]] const std::string& top() const { return top_; }
  /// Makes top/`path` (and what is above it) in every hierarchy. Returns its path relative to a hierarchy.
  std::string make(const std::string& path);
  /// The same in one hierarchy.
  void make_in(const std::string& hierarchy, const std::string& path);
  void remove(const std::string& path);
  /// The largest weight for all below top/: what else the machine does is not to be what a service waits for.
  void come_first();
  /// Absolute path of a file of top/`path`.
  [[nodiscard]] std::string file(Controller controller, const std::string& path,
                                 const std::string& name) const;
  /// The same in the unified hierarchy, where pressure is.
  [[nodiscard]] std::string unified_file(const std::string& path, const std::string& name) const;
  /// The file with the quota of CPU of top/`path`: cpu.max, on v1 cpu.cfs_quota_us.
  [[nodiscard]] std::string quota_file(const std::string& path) const;
  /// In how many periods top/`path` had to stop for its quota so far, by cpu.stat; -1: not told.
  [[nodiscard]] long throttled_periods(const std::string& path) const;

 private:
  std::optional<Host> host_{};
  tree::Layout layout_{};
  std::string top_{};
  std::string why_not_{};
};

}  // namespace evenkeel::test
