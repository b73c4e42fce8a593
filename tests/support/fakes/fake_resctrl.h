// A model of the resctrl file system: accepts, rounds and refuses as a real kernel does, with the same texts
// in last_cmd_status. tests/collectors/live/resctrl_live_test.cpp compares it with a real one row by row.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "cgroup/base/kernel_files.h"

namespace evenkeel::test {

class FakeResctrl final : public ResctrlFiles {
 public:
  struct Machine {
    std::uint64_t mask = 0x7ff;
    int least_ways = 1;
    std::vector<int> domains{0, 1};
    int max_groups = 8;
    std::int64_t least_bandwidth = 10, bandwidth_step = 10;
  };
  FakeResctrl() : FakeResctrl(Machine{}) {}
  explicit FakeResctrl(Machine machine);

  Result<std::string_view> read(const std::string& path, std::string& buffer) override;
  Result<> write(const std::string& path, std::string_view text) override;
  Result<> make_dir(const std::string& path) override;
  Result<> remove_dir(const std::string& path) override;
  Result<std::uint64_t> inode(const std::string& path) override;
  Result<> append_subdirs(const std::string& path, std::string& names) override;

  /// A task that runs in a cgroup ("sys/fs/cgroup/…/cgroup.threads"), created in the root's group or another.
  void task(int id, const std::string& threads_file, const std::string& group = "");
  void end(int id);
  /// From now on each read of that file creates another task in its cgroup.
  void forks(const std::string& threads_file, int times) { forks_[threads_file] = times; }
  void file(const std::string& path, const std::string& text) { plain_[path] = text; }
  /// Another process's monitoring group below the root.
  void monitor(const std::string& name, std::set<int> tasks) { monitors_[name] = std::move(tasks); }
  void unmount() { mounted_ = false; }
  void mount();
  /// From now on every write or mkdir at this path fails with `code`; 0 = no failure.
  void fail_writes(const std::string& path, int code) { failing_[path] = code; }
  /// The same for reads, and for looks at a directory.
  void fail_reads(const std::string& path, int code) { unreadable_[path] = code; }

  /// "" is the root's; "<exited>" for a task that has exited.
  [[nodiscard]] std::string group_of(int task) const;
  [[nodiscard]] bool has(const std::string& group) const { return groups_.contains(group); }
  /// The file's text on one line, blanks removed: "MB:0=100;1=100 L3:0=7ff;1=7ff".
  [[nodiscard]] std::string schemata(const std::string& group) const;
  /// All groups with their contents, one per line.
  [[nodiscard]] std::string everything() const;
  [[nodiscard]] std::string status() const { return status_.empty() ? "ok" : status_; }
  /// All changes, "path <- text" or with ": ERRNO"; clears the log.
  std::string taken();
  int changes = 0;
  int reads = 0;

 private:
  using Values = std::map<std::string, std::map<int, std::uint64_t>>;  ///< by resource and domain
  struct Group {
    Values values{};
    std::uint64_t inode = 0;
  };
  [[nodiscard]] std::string text_of(const Group& group) const;
  [[nodiscard]] std::string tasks_of(const std::string& group) const;
  int write_schemata(Group& group, std::string_view text);
  int write_line(Values& values, const std::string& line);
  int write_domain(std::map<int, std::uint64_t>& values, std::set<int>& given, bool mask,
                   const std::string& part);
  int check_mask(const std::string& text, std::uint64_t& value);
  int check_bandwidth(const std::string& text, std::uint64_t& value);
  int write_task(const std::string& group, std::string_view text);
  int change(const std::string& path, std::string_view text, int code);

  Machine machine_;
  std::map<std::string, Group> groups_{};
  std::map<int, std::string> where_{};
  std::map<std::string, std::set<int>> threads_{}, monitors_{};
  std::map<std::string, int> forks_{}, failing_{}, unreadable_{};
  std::map<std::string, std::string> plain_{};
  std::string status_{};
  std::string log_{};
  std::uint64_t next_inode_ = 50;
  int next_task_ = 100000;
  bool mounted_ = true;
};

}  // namespace evenkeel::test
