#include <fcntl.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <cstring>
#include <deque>
#include <fstream>
#include <functional>
#include <utility>

#include "agent/runtime/files.h"

namespace evenkeel::runtime {

namespace {

constexpr std::size_t kLongestChanging = std::size_t{1} << 20;

}  // namespace

std::optional<std::string> read_text_file(const std::string& path, std::size_t longest) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  std::string text;
  std::array<char, 16384> piece{};
  do {
    file.read(piece.data(), piece.size());
    text.append(piece.data(), static_cast<std::size_t>(file.gcount()));
  } while (file && text.size() <= longest);
  if (file.bad() || text.size() > longest) return std::nullopt;  // bad: a directory, an I/O error
  return text;
}

bool WatchedTextFile::refresh(bool anyhow) {
  struct stat is {};
  if (::stat(path_.c_str(), &is) != 0) {
    readable_ = false;
    return false;
  }
  const Stamp stamp{is.st_dev, is.st_ino, static_cast<std::uint64_t>(is.st_size),
                    is.st_mtim.tv_sec * 1'000'000'000 + is.st_mtim.tv_nsec};
  if (!anyhow && readable_ && stamp_ == stamp) return false;
  auto text = read_text_file(path_, kLongestChanging);
  readable_ = text.has_value();
  if (!readable_) return false;
  stamp_ = stamp;
  return std::exchange(text_, std::move(*text)) != text_;
}

namespace {

constexpr std::size_t kMostText = std::size_t{16} << 20;
// IN_MODIFY is left out on purpose: a file that is truncated and not yet written would look empty.
constexpr std::uint32_t kMask = IN_CLOSE_WRITE | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO |
                                IN_DELETE_SELF | IN_MOVE_SELF | IN_ATTRIB | IN_ONLYDIR;

std::deque<std::string> parts_of(const std::string& path) {
  std::deque<std::string> parts;
  std::string part;
  for (const char c : path + '/') {
    if (c != '/') {
      part += c;
    } else if (!part.empty()) {
      parts.push_back(std::move(part));
      part.clear();
    }
  }
  return parts;
}

std::string below(const std::string& dir, const std::string& name) {
  return dir == "/" ? dir + name : dir + '/' + name;
}

std::optional<std::string> link_target(const std::string& path) {
  std::array<char, PATH_MAX> text{};
  const auto length = ::readlink(path.c_str(), text.data(), text.size());
  if (length < 0) return std::nullopt;
  return std::string(text.data(), static_cast<std::size_t>(length));
}

/// Created, and as a rule still open for writing: its close is the event to wait for.
bool just_created(const std::string& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && status.st_nlink == 1;
}

/// The text of a regular file, up to the parser's limit; absent when it cannot be read.
std::optional<std::string> text_of(const std::string& path) {
  const Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat status {};
  if (!file || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  std::string text;
  std::array<char, 65536> chunk;
  while (text.size() < kMostText) {
    const auto got = ::read(file.get(), chunk.data(), chunk.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return std::nullopt;
    if (got == 0) break;
    text.append(chunk.data(), static_cast<std::size_t>(got));
  }
  return text;
}

std::int64_t nanoseconds(const timespec& time) { return time.tv_sec * 1'000'000'000 + time.tv_nsec; }

}  // namespace

FileWatch::FileWatch(std::string path)
    : path_(std::move(path)), inotify_(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC)) {
  arm();
  seen_stamp_ = last_stamp_ = stamp();
  seen_ = check();
}

bool FileWatch::changed(MonoTime now) {
  const bool notified = drain();
  if (!notified && !changed_and_settled(now)) return false;
  arm();
  seen_stamp_ = last_stamp_ = stamp();
  auto found = check();
  return std::exchange(seen_, found) != found;
}

/// The stamp differs from that of the last read text, and has been the same at all calls for long enough.
/// Calls do not count: events of pods can make many within a millisecond.
bool FileWatch::changed_and_settled(MonoTime now) {
  const auto current = stamp();
  if (std::exchange(last_stamp_, current) != current) same_since_ = now;
  return current != seen_stamp_ && now - same_since_ >= kSettled;
}

FileWatch::Stamp FileWatch::stamp() const {
  struct stat status {};
  if (::stat(path_.c_str(), &status) != 0) return {};
  return {status.st_dev, status.st_ino, static_cast<std::uint64_t>(status.st_size),
          nanoseconds(status.st_mtim), nanoseconds(status.st_ctim)};
}

FileWatch::Fingerprint FileWatch::check() const {
  const auto text = text_of(path_);
  if (!text) return std::nullopt;
  return std::pair(text->size(), std::hash<std::string>{}(*text));
}

/// Resolves the path as the kernel does. A change of the last name, of any symbolic link on the way, or of
/// the first missing part can change the result.
FileWatch::Names FileWatch::path_components() const {
  constexpr int kMostSteps = 200;  // ends link loops
  Names names;
  auto parts = parts_of(path_);
  std::string dir = path_.starts_with('/') ? "/" : ".";
  for (int step = 0; step < kMostSteps && !parts.empty(); ++step) {
    const auto part = std::move(parts.front());
    parts.pop_front();
    const auto full = below(dir, part);
    if (const auto target = link_target(full)) {
      names[dir].insert(part);
      const auto more = parts_of(*target);
      parts.insert(parts.begin(), more.begin(), more.end());
      if (target->starts_with('/')) dir.assign(1, '/');
      continue;
    }
    struct stat status {};
    const bool missing = ::lstat(full.c_str(), &status) != 0;
    if (missing || parts.empty()) names[dir].insert(part);
    if (missing) break;
    dir = full;
  }
  return names;
}

/// A file may appear between resolving the path and watching its directory: repeat until both agree.
void FileWatch::arm() {
  constexpr int kMostTries = 5;
  if (!inotify_) return;
  for (int attempt = 0; attempt < kMostTries; ++attempt) {
    names_ = path_components();
    std::map<int, std::string> dirs;
    for (const auto& [dir, names] : names_) {
      const int descriptor = ::inotify_add_watch(inotify_.get(), dir.c_str(), kMask);
      if (descriptor >= 0) dirs[descriptor] = dir;
    }
    for (const auto& [descriptor, dir] : dirs_) {
      if (dirs.count(descriptor) == 0) ::inotify_rm_watch(inotify_.get(), descriptor);
    }
    dirs_ = std::move(dirs);
    if (path_components() == names_) return;
  }
}

bool FileWatch::drain() {
  bool any = false;
  if (!inotify_) return any;
  alignas(inotify_event) std::array<char, 8192> buffer;
  for (;;) {
    const auto got = ::read(inotify_.get(), buffer.data(), buffer.size());
    if (got <= 0) return any;
    for (std::size_t at = 0; at < static_cast<std::size_t>(got);) {
      inotify_event event{};
      std::memcpy(&event, buffer.data() + at, sizeof event);
      const char* name = event.len > 0 ? buffer.data() + at + sizeof event : "";
      if (is_relevant(event.wd, event.mask, name)) any = !is_created_open(event.wd, event.mask, name);
      at += sizeof event + event.len;
    }
  }
}

bool FileWatch::is_relevant(int descriptor, unsigned mask, std::string_view name) const {
  if ((mask & (IN_Q_OVERFLOW | IN_DELETE_SELF | IN_MOVE_SELF)) != 0) return true;
  const auto dir = dirs_.find(descriptor);
  if (dir == dirs_.end()) return false;  // of a watch that was removed since
  if ((mask & IN_IGNORED) != 0) return true;
  const auto names = names_.find(dir->second);
  return names != names_.end() && names->second.contains(name);
}

/// An editor moves the old file away and writes another one: what was seen before is no reason to read that.
bool FileWatch::is_created_open(int descriptor, unsigned mask, std::string_view name) const {
  const auto dir = dirs_.find(descriptor);
  return (mask & IN_CREATE) != 0 && dir != dirs_.end() && just_created(below(dir->second, std::string(name)));
}

}  // namespace evenkeel::runtime
