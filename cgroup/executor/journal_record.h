// One line of the journal: text with a checksum in front. Does not know files, locks or which cgroups still
// exist.
//
//   CRC32 BOOT w INODE FILE DIR ORIGINAL OURS...      (one to three, the newest last)
//   CRC32 BOOT d INODE FILE DIR
//   CRC32 BOOT m INODE NAME DIR                       (a directory that the agent creates; inode 0: not yet)
//   CRC32 BOOT u INODE NAME DIR                       (it was removed)
//
// Fields are separated by one blank. In a field, blanks, control characters and '%' are written as %XX; an
// empty field is a single '%'. The checksum (IEEE, eight hexadecimal digits) covers all that follows it and
// its blank, without the line end.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cgroup/executor/journal.h"

namespace evenkeel::executor {

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
