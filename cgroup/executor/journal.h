// The journal, which makes every write reversible: the original value is recorded before the first write to a
// file. Does not touch kernel files. Text, append-only, one record per line with its checksum
// (JournalRecord); compacted when it grows. A torn last line is expected. Any other line that cannot be read
// (a wrong checksum, or a kind of a later version) is kept in STATE_DIR/journal.damaged before it may leave
// the journal, and counted: only a person can tell what it was. Deliberately not fsynced: kernel values do
// not survive the kernel, and the page cache survives any end of the process (kill -9 included). Records
// carry the boot id; those of another boot are dropped. Without a boot id (a fake root) it is unknown of
// which boot a record is: none matches, and all stay in the file.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cgroup/base/kernel_files.h"
#include "cgroup/base/result.h"
#include "qos/model/knob.h"

namespace evenkeel::executor {

struct JournalEntry {
  std::string dir{};        ///< relative to the host root
  std::uint64_t inode = 0;  ///< of the directory: one recreated at the same path is not restored; 0: not of a
                            ///< cgroup, and never recreated
  Knob knob{};
  std::string file{};
  std::string original{};           ///< the text before the agent's first write, or what its owner has
                                    ///< written since
  std::vector<std::string> ours{};  ///< texts that the agent wrote or was about to write, newest last (few)
  [[nodiscard]] std::string path() const { return dir + '/' + file; }
};
/// The file that it is about.
KnobFile file_of(const JournalEntry& entry);

class Journal {
 public:
  static constexpr std::size_t kMaxWrittenTexts = 3;

  /// Opens (and creates) STATE_DIR/journal and reads it. Takes an exclusive lock (STATE_DIR/lock): a second
  /// agent on the same state directory gets EWOULDBLOCK.
  static Result<Journal> open(const std::string& state_dir, const std::string& boot_id);
  /// The same where the directory cannot be written: what is recorded from then on is only in memory.
  static Result<Journal> open_to_read(const std::string& state_dir, const std::string& boot_id);
  /// Whether an agent holds that lock now.
  static bool in_use(const std::string& state_dir);
  /// A journal that keeps nothing on disk (dry run).
  static Journal in_memory();

  /// Must succeed before the write that it records: (dir, inode, file) had `original`, and `intended` is
  /// about to be written. `entry.ours` is ignored. An original that differs from the recorded one replaces
  /// it: the owner has written since.
  Result<> record_write(const JournalEntry& entry, std::string_view intended);
  /// The file belongs to its owner again (restored, removed, or yielded to another process).
  Result<> done(const std::string& path, std::uint64_t inode);

  /// From now on keeps back the records of values that are restored, so that a stop restores all of them
  /// before it waits for the disk. Should the process end before write_kept_back(), `restore` finds originals
  /// on record that are there already. A record that must precede its write takes those that were kept back
  /// along. If the disk refuses it, it is kept back as well: it only serves a death before the end, and
  /// without it a value could not be restored at all.
  void keep_back() { keeps_back_ = true; }
  Result<> write_kept_back();

  /// Records changes without an earlier text: a directory that the agent creates (recorded before, and with
  /// its inode after), a feature word that it sets (recorded as the word that undoes it), a cookie that it
  /// assigns, a network queue, the value given to a cgroup's tasks. unmade() records that it is gone again.
  Result<> record_creation(const std::string& path) { return made(path, 0); }
  Result<> made(const std::string& path, std::uint64_t inode);
  Result<> unmade(const std::string& path);
  /// All of these by path, with the inode (or cookie); 0: it may or may not exist.
  [[nodiscard]] const std::map<std::string, std::uint64_t>& directories() const { return directories_; }

  [[nodiscard]] std::vector<JournalEntry> entries() const;
  [[nodiscard]] const JournalEntry* find(const std::string& path, std::uint64_t inode) const;
  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  /// Lines that could not be read since the machine booted, by this agent or one before it (they are in
  /// journal.damaged, until a person removes that file), not counting a torn last line.
  [[nodiscard]] int corrupt_records() const { return corrupt_; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

  /// Writes the file again if it was removed or replaced: without it a death would leave all values behind.
  /// In every tick, and before each record. EWOULDBLOCK: another process has locked the directory meanwhile.
  Result<> keep_file();

 private:
  Journal() = default;
  /// `flags` are those of open(2) for the journal and its lock.
  Result<> lock_and_read(const std::string& state_dir, const std::string& boot_id, int flags);
  void load(std::string_view text);
  void take(std::string_view line, bool last);
  void apply_directory(const std::string& path, std::uint64_t inode, bool gone);
  [[nodiscard]] std::string directory_line(const std::string& path, std::uint64_t inode, bool gone) const;
  Result<> append_directory(const std::string& path, std::uint64_t inode, bool gone);
  enum class Kind { opening, closing };  ///< of a change, or the end of one
  Result<> append(std::string line, Kind kind);
  void shrink();
  Result<> keep_damaged();
  Result<> compact();
  Result<> rewrite();
  /// The lock's file may have gone with the journal. EWOULDBLOCK: another process has made and locked a new
  /// one, and the journal there is that process's.
  Result<> keep_lock(const std::string& dir);
  Fd lock_{};
  Fd file_{};
  std::string path_{};
  std::string boot_id_{};
  /// Where a value is; the entries have no other copy of it.
  struct Place {
    std::string_view dir{}, file{};
    std::uint64_t inode = 0;
    auto operator<=>(const Place&) const = default;
  };
  struct ByPlace {
    using is_transparent = void;
    static Place place(const JournalEntry& entry) { return {entry.dir, entry.file, entry.inode}; }
    static const Place& place(const Place& place) { return place; }
    template <class A, class B>
    bool operator()(const A& a, const B& b) const {
      return place(a) < place(b);
    }
  };
  static Place place_of(const std::string& path, std::uint64_t inode);
  void put(JournalEntry entry);
  std::set<JournalEntry, ByPlace> entries_{};
  std::map<std::string, std::uint64_t> directories_{};
  std::size_t bytes_ = 0;
  std::size_t compact_above_ = 0;
  std::size_t dead_ = 0;       ///< records on disk that are obsolete
  bool line_is_open_ = false;  ///< the file does not end with a line end
  bool keeps_back_ = false;
  std::string kept_back_{};  ///< lines of the file to come
  int corrupt_ = 0;
  /// Lines that are not in journal.damaged yet; until they are, they stay in the journal.
  std::string damaged_{};
};

/// One line of the journal: text with a checksum in front. Does not know files, locks or which cgroups still
/// exist.
///
///   CRC32 BOOT w INODE FILE DIR ORIGINAL OURS...      (one to three, the newest last)
///   CRC32 BOOT d INODE FILE DIR
///   CRC32 BOOT m INODE NAME DIR                       (a change without an earlier text; INODE may be a
///                                                      cookie or an interface; 0: not known)
///   CRC32 BOOT u INODE NAME DIR                       (it was removed)
///
/// Fields are separated by one blank. In a field, blanks, control characters and '%' are written as %XX; an
/// empty field is a single '%'. The checksum (IEEE, eight hexadecimal digits) covers all that follows it and
/// its blank, without the line end.
///
/// The kinds are the version of the format: what a later version adds has a kind of its own, and a version
/// that does not know that kind keeps the line aside. These four have not changed since the first release.
struct JournalRecord {
  std::string boot{};
  bool done = false;       ///< 'd' and 'u': only dir, file and inode are set
  bool directory = false;  ///< 'm' and 'u': the entry's file is the name of a directory
  JournalEntry entry{};
};

/// The line, including its line end.
std::string journal_line(const JournalRecord& record);
/// Absent for anything that journal_line did not write; the line end is optional.
std::optional<JournalRecord> parse_journal_line(std::string_view line);

}  // namespace evenkeel::executor
