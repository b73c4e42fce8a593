// The promise that every write can be undone: the original value is on record before the first write to a
// file. Text, append-only, one record a line with its checksum (journal_record.h); compacted when it grows. A
// torn last line is normal, a corrupt one is skipped and counted. Not fsynced on purpose: kernel values die
// with the kernel, and the page cache outlives every death of the process (kill -9 included); records carry
// the boot id, another boot's are dropped. May not: touch a kernel file.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cgroup/base/fd.h"
#include "cgroup/base/result.h"
#include "qos/model/knob.h"

namespace evenkeel::executor {

struct JournalEntry {
  std::string dir{};        ///< relative to the host root
  std::uint64_t inode = 0;  ///< of the directory: another life of the same path is not ours to restore; 0: no
                            ///< cgroup's, and always the same
  Knob knob{};
  std::string file{};
  std::string original{};           ///< the text before our first write, or what its owner has written since
  std::vector<std::string> ours{};  ///< texts that we wrote or were about to write, newest last (few)
  [[nodiscard]] std::string path() const { return dir + '/' + file; }
};

class Journal {
 public:
  static constexpr std::size_t kMaxWrittenTexts = 3;

  /// Opens (and makes) STATE_DIR/journal and reads what it holds. Takes an exclusive lock (STATE_DIR/lock): a
  /// second agent on the same state directory is EWOULDBLOCK.
  static Result<Journal> open(const std::string& state_dir, const std::string& boot_id);
  /// Whether an agent holds that lock now.
  static bool in_use(const std::string& state_dir);
  /// A journal that keeps nothing on disk (dry run).
  static Journal in_memory();

  /// Must succeed before the write it announces: (dir, inode, file) had `original`, and `intended` is about
  /// to be written. What `entry.ours` says is not looked at. Another original than the one on record takes
  /// its place: the owner has written since.
  Result<> record_write(const JournalEntry& entry, std::string_view intended);
  /// The file is the owner's again (restored, gone, or yielded to somebody else).
  Result<> done(const std::string& path, std::uint64_t inode);

  /// The same for what has no text of before: a directory that we make (before it, and with its inode after
  /// it), a word that we turn (by the one that undoes it), a cookie that we give. It is gone again: unmade().
  Result<> record_creation(const std::string& path) { return made(path, 0); }
  Result<> made(const std::string& path, std::uint64_t inode);
  Result<> unmade(const std::string& path);
  /// All of these by path, with the inode (or cookie); 0: perhaps there, perhaps not.
  [[nodiscard]] const std::map<std::string, std::uint64_t>& directories() const { return directories_; }

  [[nodiscard]] std::vector<JournalEntry> entries() const;
  [[nodiscard]] const JournalEntry* find(const std::string& path, std::uint64_t inode) const;
  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  /// Lines that were skipped when the journal was opened; a torn last line is none.
  [[nodiscard]] int corrupt_records() const { return corrupt_; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  Journal() = default;
  void load(std::string_view text);
  void take(std::string_view line, bool last);
  void apply_directory(const std::string& path, std::uint64_t inode, bool gone);
  [[nodiscard]] std::string directory_line(const std::string& path, std::uint64_t inode, bool gone) const;
  Result<> append_directory(const std::string& path, std::uint64_t inode, bool gone);
  Result<> append(std::string line);
  void shrink();
  Result<> compact();
  Fd lock_{};
  Fd file_{};
  std::string path_{};
  std::string boot_id_{};
  std::map<std::pair<std::string, std::uint64_t>, JournalEntry> entries_{};
  std::map<std::string, std::uint64_t> directories_{};
  std::size_t bytes_ = 0;
  std::size_t compact_above_ = 0;
  std::size_t dead_ = 0;       ///< records on disk that no longer say anything
  bool line_is_open_ = false;  ///< the file does not end with a line end
  int corrupt_ = 0;
};

}  // namespace evenkeel::executor
