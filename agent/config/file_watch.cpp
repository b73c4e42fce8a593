#include "agent/config/file_watch.h"

#include <sys/inotify.h>
#include <sys/stat.h>

#include <array>
#include <filesystem>
#include <utility>

namespace evenkeel {
namespace {

constexpr std::uint32_t kEvents = IN_CREATE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_CLOSE_WRITE |
                                  IN_MODIFY | IN_ATTRIB | IN_DELETE_SELF | IN_ONLYDIR;

std::int64_t nanoseconds(const timespec& time) { return time.tv_sec * 1'000'000'000 + time.tv_nsec; }

std::filesystem::path directory_of(const std::filesystem::path& path) {
  return path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
}

}  // namespace

FileWatch::FileWatch(std::string path)
    : path_(std::move(path)), inotify_(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC)) {
  watch_directories();
  last_ = stamp();
}

/// The directory of the name, and that of the file it leads to; above a directory that is missing, its
/// parent. inotify gives one descriptor per directory however often it is added, so asking again costs
/// nothing.
void FileWatch::watch_directories() {
  if (!inotify_) return;
  std::error_code error;
  std::filesystem::path named = directory_of(path_);
  while (!std::filesystem::is_directory(named, error) && named.has_relative_path())
    named = directory_of(named);
  ::inotify_add_watch(inotify_.get(), named.c_str(), kEvents);
  const auto real = std::filesystem::weakly_canonical(path_, error);
  if (!error) ::inotify_add_watch(inotify_.get(), directory_of(real).c_str(), kEvents);
}

FileWatch::Stamp FileWatch::stamp() const {
  struct stat status {};
  if (::stat(path_.c_str(), &status) != 0) return {};
  return {status.st_dev, status.st_ino, static_cast<std::uint64_t>(status.st_size),
          nanoseconds(status.st_mtim), nanoseconds(status.st_ctim)};
}

bool FileWatch::changed() {
  std::array<char, 4096> events{};
  while (inotify_ && ::read(inotify_.get(), events.data(), events.size()) > 0) watch_directories();
  const Stamp before = std::exchange(last_, stamp());
  return before != last_;
}

}  // namespace evenkeel
