// A model of the cgroup files with one line per disk: accepts, refuses and prints what the real ones do. Does
// not limit anything.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

namespace evenkeel::test {

class FakeDisks {
 public:
  explicit FakeDisks(bool v2) : v2_(v2) {}

  /// "8:16"; writes for other devices fail with ENODEV.
  std::set<std::string> devices{};
  /// Whether io.weight (v2) and blkio.cost.weight (v1) exist.
  bool weights = false;
  /// Whether io.latency (v2) exists.
  bool latencies = false;

  [[nodiscard]] bool has(std::string_view file) const;
  /// Returns 0 or the errno.
  int write(const std::string& cgroup, std::string_view file, std::string_view text);
  [[nodiscard]] std::string read(const std::string& cgroup, std::string_view file) const;
  void forget(const std::string& cgroup);

 private:
  int write_parts(std::string_view file, std::map<std::string, std::string>& line,
                  std::string_view rest) const;
  bool v2_;
  using Lines = std::map<std::string, std::map<std::string, std::string>>;  ///< by device, by key
  std::map<std::string, Lines> files_{};                                    ///< by "cgroup/file"
};

}  // namespace evenkeel::test
