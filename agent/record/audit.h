// The audit log, and the names of pods in it.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "agent/runtime/clock.h"
#include "cgroup/base/result.h"
#include "cgroup/tree/tree.h"
#include "qos/model/pod.h"

namespace evenkeel::record {

// Maps cgroups to the pods that they belong to, named "namespace/name". Does not read anything: the roster
// gives it the pods.

class PodNames {
 public:
  /// `tree` must outlive it.
  explicit PodNames(const tree::CgroupTree& tree) : tree_(tree) {}
  /// The roster changed. `pods` is not null.
  void update(std::shared_ptr<const std::vector<Pod>> pods);

  /// The uid of the pod that a cgroup belongs to; empty: it belongs to none.
  [[nodiscard]] std::string_view uid_of(CgroupId cgroup) const;
  /// Null: no pod with this uid has a name.
  [[nodiscard]] const Pod* find_pod(std::string_view uid) const;
  /// "namespace/name" of a cgroup's pod, its uid where only the directory is known; empty: no pod.
  [[nodiscard]] std::string pod_name(CgroupId cgroup) const;
  /// The same for a uid.
  [[nodiscard]] std::string pod_name_of_uid(std::string_view uid) const;
  /// pod_name(), or the path of a cgroup that belongs to no pod; for a cgroup that is_gone(), "gone". No two
  /// pods have the same: one that is no longer listed, beside its successor of the same name, has its uid,
  /// too.
  [[nodiscard]] std::string display_name(CgroupId cgroup) const;
  [[nodiscard]] bool is_gone(CgroupId cgroup) const {
    return cgroup && tree_.find(cgroup.itself()) == nullptr;
  }
  /// Whether this is the name or the uid of a pod.
  [[nodiscard]] bool is_pod(std::string_view name_or_uid) const;
  /// False: of a pod only the directory is known, so its name is not.
  [[nodiscard]] bool knows_all_names() const;

 private:
  void find_namesakes();
  const tree::CgroupTree& tree_;
  std::shared_ptr<const std::vector<Pod>> pods_{};
  std::unordered_map<std::string_view, const Pod*> by_uid_{};  ///< into pods_
  std::unordered_set<const Pod*> namesakes_{};                 ///< another pod has the name before them
};

// The audit log of the agent's actions and of foreign writes: one JSON line per write, restore, refusal,
// foreign write, configuration change, eviction, reclaim and finding. Bounded on disk (two files) and in
// memory (the newest lines, for /v1/audit). A line that cannot be written (full or read-only disk, no
// descriptor) is counted; the next one tries again. A file that somebody else rotated (logrotate) is noticed
// within kLookEvery.

struct AuditEvent {
  std::string_view
      kind{};  ///< "write", "restore", "would-write", "would-restore", "refused", "foreign", "yielded",
               ///< "config", "evict", "would-evict", "not-evicted", "ended", "deferred", "reclaim",
               ///< "would-reclaim", "reclaim-stopped", and those of contention_record.cpp,
               ///< interference_record.cpp, objectives_record.cpp and proof_record.cpp
  std::string_view path{};
  std::string_view old_text{}, new_text{};
  std::string_view by{}, why{};
  std::string_view pod{};  ///< "namespace/name", or the uid where only the directory is known; empty: no pod
};

class Audit {
 public:
  static constexpr std::size_t kRotateBytes = 4 << 20;
  static constexpr std::size_t kRecentLines = 1024;
  static constexpr auto kLookEvery = std::chrono::seconds(1);

  /// `state_dir` empty: nothing goes to disk.
  static Result<Audit> open(const std::string& state_dir, const runtime::WallClock* clock);
  void record(const AuditEvent& event, MonoTime now);

  struct RecentLine {
    double unix_seconds = 0;  ///< zero in stepped mode, where `now` gives the time
    std::string pod{};
    std::string line{};
  };
  [[nodiscard]] const std::deque<RecentLine>& remembered() const { return recent_lines_; }
  /// Lines that are not in the file.
  [[nodiscard]] std::uint64_t lost() const { return lost_; }

 private:
  Audit(std::string path, const runtime::WallClock* clock) : path_(std::move(path)), clock_(clock) {}
  Result<> reopen();
  void rotate();
  /// Lets a file go that was renamed, removed or replaced, and takes the size of one that was cut off.
  void look_at_file(MonoTime now);
  /// Whether the whole line is in the file.
  bool append(std::string_view line);
  std::string path_{};
  const runtime::WallClock* clock_ = nullptr;
  Fd file_{};
  std::size_t bytes_ = 0;
  bool line_is_open_ = false;  ///< the file does not end with a line end
  MonoTime look_again_{};
  std::uint64_t lost_ = 0;
  std::deque<RecentLine> recent_lines_{};
};

}  // namespace evenkeel::record
