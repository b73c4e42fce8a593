#include "cgroup/executor/journal.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>

namespace evenkeel::executor {
namespace {

constexpr const char* kName = "journal";
constexpr std::size_t kCompactAbove = 256UL * 1024;
constexpr std::size_t kLargest = 64U << 20U;  // more than any node can need: another program wrote this file

Result<std::string> content(const Fd& file) {
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) return fail(errno, Op::read, kName);
  if (!S_ISREG(status.st_mode)) return fail(EINVAL, Op::read, kName);
  if (static_cast<std::size_t>(status.st_size) > kLargest) return fail(EFBIG, Op::read, kName);
  std::string out;
  std::array<char, 65536> buffer{};
  for (;;) {
    const auto got = ::read(file.get(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail(errno, Op::read, kName);
    if (got == 0) return out;
    out.append(buffer.data(), static_cast<std::size_t>(got));
  }
}

/// All or nothing: what a full disk took of it is truncated again. `size` is that of the file; what cannot be
/// truncated counts.
Result<> write_whole(const Fd& file, std::string_view text, std::size_t& size) {
  const auto put = ::write(file.get(), text.data(), text.size());
  if (put == static_cast<ssize_t>(text.size())) {
    size += text.size();
    return {};
  }
  int code = put < 0 ? errno : ENOSPC;
  if (put > 0 && ::ftruncate(file.get(), static_cast<off_t>(size)) != 0) {
    code = errno;
    size += static_cast<std::size_t>(put);
  }
  return fail(code, Op::write, kName);
}

Fd open_private(const std::string& path, int flags) {
  return Fd(::open(path.c_str(), flags | O_CLOEXEC, 0600));
}

/// The first line of journal.damaged. Lines of another boot are of no use: their values are gone.
std::string damaged_since(const std::string& boot_id) {
  return "# not read, boot " + boot_id + "; remove this file when you have seen to it\n";
}

/// The text of journal.damaged without its first line; empty if it is of another boot.
Result<std::string> damaged_before(const Fd& file, const std::string& boot_id) {
  auto text = content(file);
  if (!text) return text;
  const auto head = damaged_since(boot_id);
  return text->starts_with(head) ? text->substr(head.size()) : std::string();
}

/// How many lines journal.damaged has. One that cannot be read counts as one: nobody has seen to it.
int damaged_lines(const std::string& path, const std::string& boot_id) {
  const Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return errno == ENOENT ? 0 : 1;
  const auto text = damaged_before(file, boot_id);
  return text ? static_cast<int>(std::ranges::count(*text, '\n')) : 1;
}

void make_newest(std::vector<std::string>& texts, std::string_view text) {
  std::erase(texts, text);
  texts.emplace_back(text);
  if (texts.size() > Journal::kMaxWrittenTexts) texts.erase(texts.begin());
}

}  // namespace

Journal Journal::in_memory() { return {}; }

bool Journal::in_use(const std::string& state_dir) {
  const Fd lock(::open((state_dir + "/lock").c_str(), O_RDONLY | O_CLOEXEC));
  return lock && ::flock(lock.get(), LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

Result<Journal> Journal::open(const std::string& state_dir, const std::string& boot_id) {
  std::error_code error;
  std::filesystem::create_directories(state_dir, error);
  Journal journal;
  if (auto read = journal.lock_and_read(state_dir, boot_id, O_RDWR | O_CREAT | O_APPEND); !read)
    return tl::unexpected(read.error());
  // Removes obsolete and torn records; on a full disk they stay, and are skipped again next time.
  if (journal.dead_ > 0 || journal.line_is_open_) static_cast<void>(journal.compact());
  return journal;
}

Result<Journal> Journal::open_to_read(const std::string& state_dir, const std::string& boot_id) {
  Journal journal;
  if (auto read = journal.lock_and_read(state_dir, boot_id, O_RDONLY); !read)
    return tl::unexpected(read.error());
  journal.file_ = Fd();
  return journal;
}

Result<> Journal::lock_and_read(const std::string& state_dir, const std::string& boot_id, int flags) {
  boot_id_ = boot_id;
  path_ = state_dir + "/journal";
  // A separate lock file: the journal's own is replaced by compaction, and a lock must stay on one inode.
  lock_ = open_private(state_dir + "/lock", flags);
  if (!lock_) return fail(errno, Op::open, kName);
  if (::flock(lock_.get(), LOCK_EX | LOCK_NB) != 0) return fail(errno, Op::open, kName);
  file_ = open_private(path_, flags);
  if (!file_) return fail(errno, Op::open, kName);
  const auto text = content(file_);
  if (!text) return tl::unexpected(text.error());
  corrupt_ = damaged_lines(path_ + ".damaged", boot_id);
  load(*text);
  return {};
}

void Journal::load(std::string_view text) {
  bytes_ = text.size();
  compact_above_ = kCompactAbove;
  line_is_open_ = !text.empty() && text.back() != '\n';
  while (!text.empty()) {
    const auto end = text.find('\n');
    take(text.substr(0, end), end == std::string_view::npos);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
}

void Journal::take(std::string_view line, bool last) {
  auto record = parse_journal_line(line);
  if (!record) {
    ++dead_;
    if (last) return;
    ++corrupt_;
    damaged_.append(line).append("\n");
    return;
  }
  if (boot_id_.empty() || record->boot != boot_id_) {
    ++dead_;
    return;
  }
  if (record->directory) return apply_directory(record->entry.path(), record->entry.inode, record->done);
  const auto found = entries_.find(record->entry);
  const bool known = found != entries_.end();
  dead_ += record->done ? 2 : known ? 1 : 0;
  if (!record->done) return put(std::move(record->entry));
  if (known) entries_.erase(found);
}

/// Of a known place no memory is needed: it must not be lost for a lack of it.
void Journal::put(JournalEntry entry) {
  entry.ours.shrink_to_fit();
  auto node = entries_.extract(entry);
  if (node.empty()) {
    entries_.insert(std::move(entry));
  } else {
    node.value() = std::move(entry);
    entries_.insert(std::move(node));
  }
}

/// The name of a file has no '/'.
Journal::Place Journal::place_of(const std::string& path, std::uint64_t inode) {
  const auto slash = std::min(path.rfind('/'), path.size());
  const std::string_view whole(path);
  return {whole.substr(0, slash), whole.substr(std::min(slash + 1, whole.size())), inode};
}

Result<> Journal::record_write(const JournalEntry& entry, std::string_view intended) {
  const auto found = entries_.find(entry);
  JournalRecord record{.boot = boot_id_, .entry = entry};
  record.entry.ours.clear();
  if (found != entries_.end()) record.entry.ours = found->ours;
  for (const auto& text : entry.ours) make_newest(record.entry.ours, text);
  make_newest(record.entry.ours, intended);
  const bool on_record =
      found != entries_.end() && found->original == entry.original && found->ours == record.entry.ours;
  if (on_record) return {};
  // A new record of a value that stays as it is precedes a change elsewhere.
  const bool restores =
      found != entries_.end() && found->original == entry.original && intended == entry.original;
  auto appended = append(journal_line(record), restores ? Kind::closing : Kind::opening);
  if (!appended) return appended;
  if (found != entries_.end()) ++dead_;
  put(std::move(record.entry));
  shrink();
  return {};
}

Result<> Journal::done(const std::string& path, std::uint64_t inode) {
  const auto found = entries_.find(place_of(path, inode));
  if (found == entries_.end()) return {};
  auto appended = append(journal_line({.boot = boot_id_, .done = true, .entry = *found}), Kind::closing);
  if (!appended) return appended;
  dead_ += 2;
  entries_.erase(found);
  shrink();
  return {};
}

Result<> Journal::append(std::string line, Kind kind) {
  if (!file_) return {};
  if (keeps_back_ && kind == Kind::closing) {
    kept_back_ += line;
    return {};
  }
  line.insert(0, kept_back_);
  if (line.empty()) return {};
  if (auto there = keep_file(); !there) return there;
  const std::string text = line_is_open_ ? '\n' + line : line;
  const auto before = bytes_;
  auto put = write_whole(file_, text, bytes_);
  // What stays of a line must not become one with the next line.
  if (bytes_ > before) line_is_open_ = text[bytes_ - before - 1] != '\n';
  if (!put && keeps_back_) {
    kept_back_ = std::move(line);
    return {};
  }
  if (!put) return put;
  kept_back_.clear();
  return {};
}

Result<> Journal::write_kept_back() {
  keeps_back_ = false;
  auto put = append({}, Kind::closing);
  if (put) shrink();
  return put;
}

void Journal::shrink() {
  // Only after the record is in the table, or compaction would lose it. A failure is harmless: all is on
  // disk.
  if (file_ && !keeps_back_ && bytes_ > compact_above_) static_cast<void>(compact());
}

Result<> Journal::keep_damaged() {
  if (damaged_.empty()) return {};
  const Fd file = open_private(path_ + ".damaged", O_RDWR | O_CREAT | O_APPEND);
  if (!file) return fail(errno, Op::open, kName);
  const auto head = damaged_since(boot_id_);
  const auto before = damaged_before(file, boot_id_);
  if (!before) return tl::unexpected(before.error());  // what it holds may be of this boot
  if (before->empty() && ::ftruncate(file.get(), 0) != 0) return fail(errno, Op::write, kName);
  std::size_t size = before->empty() ? 0 : head.size() + before->size();
  auto put = write_whole(file, before->empty() ? head + damaged_ : damaged_, size);
  if (put) damaged_.clear();
  return put;
}

Result<> Journal::compact() {
  if (boot_id_.empty()) return {};  // what was not taken may still be of this boot
  return rewrite();
}

Result<> Journal::rewrite() {
  // Lines that cannot be kept aside now stay in the journal, which must not grow without end for their sake.
  static_cast<void>(keep_damaged());
  std::string text = damaged_;
  for (const auto& entry : entries_) text += journal_line({.boot = boot_id_, .entry = entry});
  for (const auto& [path, inode] : directories_) text += directory_line(path, inode, false);
  compact_above_ = std::max({kCompactAbove, 2 * text.size(), bytes_ + kCompactAbove});
  const auto fresh = path_ + ".new";
  Fd file = open_private(fresh, O_RDWR | O_CREAT | O_APPEND | O_TRUNC);
  if (!file) return fail(errno, Op::open, kName);
  std::size_t size = 0;
  auto put = text.empty() ? Result<>() : write_whole(file, text, size);
  if (put && std::rename(fresh.c_str(), path_.c_str()) != 0) put = fail(errno, Op::write, kName);
  if (!put) {
    ::unlink(fresh.c_str());
    return put;
  }
  file_ = std::move(file);
  bytes_ = text.size();
  compact_above_ = std::max(kCompactAbove, 2 * bytes_);
  dead_ = 0;
  line_is_open_ = false;
  return {};
}

std::vector<JournalEntry> Journal::entries() const { return {entries_.begin(), entries_.end()}; }

const JournalEntry* Journal::find(const std::string& path, std::uint64_t inode) const {
  const auto found = entries_.find(place_of(path, inode));
  return found == entries_.end() ? nullptr : &*found;
}

}  // namespace evenkeel::executor
