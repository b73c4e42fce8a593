// The promise that every write can be undone: the original value is on record before the first write to a
// file. Text, append-only, one record a line with its checksum; compacted when it grows. A torn last line is
// normal, a corrupt one is skipped and counted. Not fsynced on purpose: kernel values die with the kernel,
// and the page cache outlives every death of the process (kill -9 included); records carry the boot id,
// another boot's are dropped.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "cgroup/fd.h"
#include "cgroup/result.h"
#include "qos/knob.h"

namespace evenkeel {

struct JournalEntry {
  std::string dir{};        ///< relative to the host root
  std::uint64_t inode = 0;  ///< of the directory: another life of the same path is not ours to restore
  Knob knob{};
  std::string file{};
  std::string original{};  ///< the text before our first write
  std::vector<std::string>
      ours{};  ///< the last texts we wrote or were about to write (at most 2, newest last)
  [[nodiscard]] std::string path() const { return dir + '/' + file; }
};

class Journal {
 public:
  /// Opens (and makes) STATE_DIR/journal and reads what it holds. Takes an exclusive lock: a second agent on
  /// the same state directory is EWOULDBLOCK.
  static Result<Journal> open(const std::string& state_dir, const std::string& boot_id);
  /// A journal that keeps nothing on disk (dry run).
  static Journal in_memory();

  /// Must succeed before the write it announces: (dir, inode, file) had `original`, and `intended` is about
  /// to be written.
  Result<> will_write(const JournalEntry& entry, std::string_view intended);
  /// The file is the owner's again (restored, gone, or yielded to somebody else).
  Result<> done(const std::string& path, std::uint64_t inode);

  [[nodiscard]] std::vector<JournalEntry> entries() const;
  [[nodiscard]] const JournalEntry* find(const std::string& path, std::uint64_t inode) const;
  [[nodiscard]] int corrupt_records() const { return corrupt_; }

 private:
  Journal() = default;
  Result<> append(std::string_view record);
  Result<> compact();
  Fd file_{};
  std::string path_{};
  std::string boot_id_{};
  std::map<std::pair<std::string, std::uint64_t>, JournalEntry> entries_{};
  std::size_t bytes_ = 0;
  int corrupt_ = 0;
};

}  // namespace evenkeel
