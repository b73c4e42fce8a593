// The audit log of the agent's actions and of foreign writes: one JSON line per write, restore, refusal,
// foreign write and configuration change. Bounded on disk (two files) and in memory (the newest lines, for
// /v1/audit).
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

#include "agent/runtime/clock.h"
#include "cgroup/base/fd.h"
#include "cgroup/base/result.h"

namespace evenkeel::record {

struct AuditEvent {
  std::string_view kind{};  ///< "write", "restore", "would-write", "refused", "foreign", "yielded", "config",
                            ///< "evict", "would-evict", "not-evicted", "ended", "deferred", "reclaim",
                            ///< "would-reclaim", "reclaim-stopped"
  std::string_view path{};
  std::string_view old_text{}, new_text{};
  std::string_view by{}, why{};
  std::string_view pod{};  ///< "namespace/name", or the uid where only the directory is known; empty: no pod
};

class Audit {
 public:
  static constexpr std::size_t kRotateBytes = 4 << 20;
  static constexpr std::size_t kRecentLines = 1024;

  /// `state_dir` empty: nothing goes to disk.
  static Result<Audit> open(const std::string& state_dir, const runtime::WallClock* clock);
  void record(const AuditEvent& event, MonoTime now);

  struct RecentLine {
    double unix_seconds = 0;  ///< zero in stepped mode, where `now` gives the time
    std::string pod{};
    std::string line{};
  };
  [[nodiscard]] const std::deque<RecentLine>& remembered() const { return recent_lines_; }
  [[nodiscard]] std::uint64_t lost() const { return lost_; }

 private:
  Audit(std::string path, const runtime::WallClock* clock) : path_(std::move(path)), clock_(clock) {}
  Result<> reopen();
  void append(std::string_view line);
  std::string path_{};
  const runtime::WallClock* clock_ = nullptr;
  Fd file_{};
  std::size_t bytes_ = 0;
  std::uint64_t lost_ = 0;
  std::deque<RecentLine> recent_lines_{};
};

}  // namespace evenkeel::record
