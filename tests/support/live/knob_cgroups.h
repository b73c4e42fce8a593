// Real cgroups for live tests: a private top directory on the real kernel with cgroups below it, removed at
// the end together with the test's processes.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace evenkeel::test {

class KnobCgroups {
 public:
  enum class Version : int { v1, v2 };
  /// Why it cannot run here; absent if it can.
  static std::optional<std::string> missing(Version version);

  /// `top` is made unique by the process id: "evenkeel-test-<pid><name>".
  KnobCgroups(Version version, std::string_view name);
  ~KnobCgroups();
  KnobCgroups(const KnobCgroups&) = delete;
  KnobCgroups& operator=(const KnobCgroups&) = delete;

  /// The private top directory, relative to a hierarchy's root.
  [[nodiscard]] const std::string& top() const { return top_; }
  /// Creates `path` (below the top, "" is the top itself) in the cpu and cpuset hierarchies. On v1 its memory
  /// nodes are set, its CPUs are not; on v2 its parents delegate both controllers.
  void make(const std::string& path);
  void remove(const std::string& path);
  /// Moves a sleeping process of ours into it; returns 0 or the errno.
  int attach(const std::string& path);
  int write(const std::string& path, std::string_view file, std::string_view text);
  [[nodiscard]] std::string read(const std::string& path,
                                 std::string_view file) const;  ///< "ENOENT" if it does not exist
  /// Relative to "/": "sys/fs/cgroup/cpu/evenkeel-test-1/pod".
  [[nodiscard]] std::string dir(const std::string& path, std::string_view file) const;

 private:
  [[nodiscard]] std::vector<std::string> roots() const;
  Version version_;
  std::string top_;
  std::vector<std::string> made_{};
  std::vector<pid_t> children_{};
};

}  // namespace evenkeel::test
