// One line of the journal: text with a checksum in front. May not: know files, locks or what is still alive.
//
//   CRC32 BOOT w INODE FILE DIR ORIGINAL OURS...      (one to three, the newest last)
//   CRC32 BOOT d INODE FILE DIR
//   CRC32 BOOT m INODE NAME DIR                       (a directory of ours; inode 0: about to be made)
//   CRC32 BOOT u INODE NAME DIR                       (it is gone)
//
// Fields are parted by one blank. In a field, blanks, control characters and '%' are written as %XX; an empty
// field is a single '%'. The checksum (IEEE, eight hexadecimal digits) covers all that follows it and its
// blank, without the line end.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cgroup/executor/journal.h"

namespace evenkeel::executor {

struct JournalRecord {
  std::string boot{};
  bool done = false;       ///< 'd' and 'u': dir, file and inode only
  bool directory = false;  ///< 'm' and 'u': the entry's file is the name of a directory
  JournalEntry entry{};
};

/// The line, its end included.
std::string journal_line(const JournalRecord& record);
/// Absent for anything that journal_line did not write; the line end may be there or not.
std::optional<JournalRecord> parse_journal_line(std::string_view line);

}  // namespace evenkeel::executor
