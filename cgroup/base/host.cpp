#include "cgroup/base/host.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>

#include <algorithm>
#include <array>
#include <climits>

namespace evenkeel {

namespace {

constexpr std::size_t kSlurpLimit = 1 << 20;

// The entries of an open directory, by system call: no stream, no allocation by libc.
template <class F>
Result<> for_each_entry(int dir, F&& f) {
  alignas(dirent64) std::array<char, 16384> buffer;
  for (;;) {
    const auto size = ::getdents64(dir, buffer.data(), buffer.size());
    if (size < 0) return fail(errno, Op::list);
    if (size == 0) return {};
    for (long at = 0; at < size;) {
      const auto* entry = reinterpret_cast<const dirent64*>(buffer.data() + at);
      const std::string_view name(entry->d_name);
      if (name != "." && name != "..") f(*entry, name);
      at += entry->d_reclen;
    }
  }
}

// Some file systems leave the type out of the listing.
bool is_dir(int dir, const dirent64& entry) {
  if (entry.d_type != DT_UNKNOWN) return entry.d_type == DT_DIR;
  struct stat info {};
  return ::fstatat(dir, entry.d_name, &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(info.st_mode);
}

}  // namespace

Result<Host> Host::open(const std::string& root) {
  Fd fd(::open(root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!fd) return fail(errno, Op::open);
  std::string path = root;
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return Host(std::move(fd), std::move(path));
}

Result<Fd> Host::open_beneath(const char* path, std::uint64_t flags) const {
  open_how how{};
  how.flags = flags | O_CLOEXEC;
  how.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS;
  const char* name = *path == '\0' ? "." : path;
  long fd = ::syscall(SYS_openat2, root_.get(), name, &how, sizeof how);
  // Before Linux 5.6 there is no openat2. With the root "/" every path is beneath the root anyway.
  if (fd < 0 && errno == ENOSYS && root_path_ == "/")
    fd = ::openat(root_.get(), name, static_cast<int>(how.flags));
  if (fd < 0) return fail(errno, Op::open);
  return Fd(static_cast<int>(fd));
}

Result<Fd> Host::open_read(const std::string& path) const { return open_beneath(path.c_str(), O_RDONLY); }

Result<Fd> Host::open_read(const FilePlace& place) const {
  std::array<char, PATH_MAX> path;
  char* end = path.data();
  for (const std::string_view part : {place.hierarchy, place.directory, place.name}) {
    if (part.empty()) continue;
    if (part.size() + 2 > static_cast<std::size_t>(path.data() + path.size() - end))
      return fail(ENAMETOOLONG, Op::open);
    if (end != path.data()) *end++ = '/';
    end = std::ranges::copy(part, end).out;
  }
  *end = '\0';
  return open_beneath(path.data(), O_RDONLY);
}

Result<Fd> Host::open_dir(const std::string& path) const {
  return open_beneath(path.c_str(), O_RDONLY | O_DIRECTORY);
}

Result<Fd> Host::open_dir_path(const std::string& path) const {
  return open_beneath(path.c_str(), O_PATH | O_DIRECTORY);
}

Result<std::string> Host::slurp(const std::string& path) const {
  const auto fd = open_read(path);
  if (!fd) return fail(fd.error().code, Op::open);
  std::string text;
  for (;;) {
    const std::size_t have = text.size();
    text.resize(have + 8192);
    const auto size = ::read(fd->get(), text.data() + have, 8192);
    if (size < 0) return fail(errno, Op::read);
    text.resize(have + static_cast<std::size_t>(size));
    if (size == 0) return text;
    if (text.size() > kSlurpLimit) return fail(EFBIG, Op::read);
  }
}

bool Host::exists(const std::string& path) const { return open_beneath(path.c_str(), O_PATH).has_value(); }

Result<std::vector<SubDir>> Host::subdirs_with_inodes(const std::string& path) const {
  const auto dir = open_dir(path);
  if (!dir) return fail(dir.error().code, Op::list);
  std::vector<SubDir> out;
  const auto listed = for_each_entry(dir->get(), [&](const dirent64& entry, std::string_view name) {
    if (is_dir(dir->get(), entry)) out.push_back({std::string(name), entry.d_ino});
  });
  if (!listed) return fail(listed.error().code, Op::list);
  return out;
}

Result<std::vector<std::string>> Host::subdirs(const std::string& path) const {
  auto entries = subdirs_with_inodes(path);
  if (!entries) return fail(entries.error().code, Op::list);
  std::vector<std::string> out;
  out.reserve(entries->size());
  for (auto& entry : *entries) out.push_back(std::move(entry.name));
  std::ranges::sort(out);
  return out;
}

Result<> Host::append_subdirs(const std::string& path, std::string& out) const {
  const auto dir = open_dir(path);
  if (!dir) return fail(dir.error().code, Op::list);
  // Each sub-directory has a link to this one; a directory without such links need not be listed.
  struct stat info {};
  constexpr nlink_t kAlone = 2;
  if (::fstat(dir->get(), &info) == 0 && info.st_nlink == kAlone) return {};
  return for_each_entry(dir->get(), [&](const dirent64& entry, std::string_view name) {
    if (is_dir(dir->get(), entry)) out.append(name).push_back('\0');
  });
}

std::uint64_t Host::listing_sum(const std::string& path) const {
  const auto dir = open_dir(path);
  if (!dir) return 0;
  std::uint64_t sum = 0;
  const auto listed = for_each_entry(
      dir->get(), [&](const dirent64& entry, std::string_view /*name*/) { sum += entry.d_ino + 1; });
  return listed ? sum : 0;
}

Result<std::vector<std::string>> Host::files(const std::string& path) const {
  const auto dir = open_dir(path);
  if (!dir) return fail(dir.error().code, Op::list);
  std::vector<std::string> out;
  const auto listed = for_each_entry(dir->get(), [&](const dirent64& entry, std::string_view name) {
    if (!is_dir(dir->get(), entry)) out.emplace_back(name);
  });
  if (!listed) return fail(listed.error().code, Op::list);
  std::ranges::sort(out);
  return out;
}

Result<std::uint64_t> Host::inode(const std::string& path) const {
  const auto fd = open_beneath(path.c_str(), O_PATH);
  if (!fd) return fail(fd.error().code, Op::open);
  struct stat info {};
  if (::fstat(fd->get(), &info) != 0) return fail(errno, Op::read);
  return static_cast<std::uint64_t>(info.st_ino);
}

bool Host::on_kernel_fs(const std::string& path) const {
  const auto fd = open_beneath(path.c_str(), O_PATH);
  return fd && is_kernel_fs(fd->get());
}

std::string Host::absolute(std::string_view path) const {
  std::string out = root_path_;
  if (out.back() != '/') out += '/';
  return out.append(path);
}

bool is_kernel_fs(int fd) {
  struct statfs info {};
  if (::fstatfs(fd, &info) != 0) return false;
  constexpr std::array<long, 6> kKernel = {PROC_SUPER_MAGIC,    SYSFS_MAGIC,   CGROUP_SUPER_MAGIC,
                                           CGROUP2_SUPER_MAGIC, DEBUGFS_MAGIC, 0x7655821 /* resctrl */};
  return std::ranges::find(kKernel, static_cast<long>(info.f_type)) != kKernel.end();
}

namespace {

constexpr std::uint8_t kMissingRetry = 64;
// The kernel returns a file of many records in pieces near the page size, so a piece shorter than this is the
// last; saves the second pread of nearly every file.
constexpr std::size_t kSurelyWhole = 1024;

bool unlinked(int fd) {
  struct stat info {};
  return ::fstat(fd, &info) == 0 && info.st_nlink == 0;
}

Result<std::string_view> read_whole(int fd, std::span<char> buffer, bool kernel_fs) {
  std::size_t have = 0;
  while (have < buffer.size()) {
    const auto size = ::pread(fd, buffer.data() + have, buffer.size() - have, static_cast<off_t>(have));
    if (size < 0) return fail(errno, Op::read);
    have += static_cast<std::size_t>(size);
    const bool end = size == 0 || (have < buffer.size() && (!kernel_fs || have < kSurelyWhole));
    if (end) return std::string_view(buffer.data(), have);
  }
  char more = 0;
  const auto size = ::pread(fd, &more, 1, static_cast<off_t>(have));
  if (size < 0) return fail(errno, Op::read);
  if (size > 0) return fail(EFBIG, Op::read);
  return std::string_view(buffer.data(), have);
}

}  // namespace

Result<std::string_view> HeldFile::read(const Host& host, const FilePlace& place, std::span<char> buffer) {
  if (fd_ && !kernel_fs_ && unlinked(fd_.get())) fd_ = Fd();
  if (!fd_) {
    if (missing_reads_ > 0 && missing_reads_++ < kMissingRetry) return fail(ENOENT, Op::open);
    auto opened = host.open_read(place);
    missing_reads_ = !opened && opened.error().code == ENOENT ? 1 : 0;
    if (!opened) return fail(opened.error().code, Op::open);
    fd_ = std::move(*opened);
    kernel_fs_ = is_kernel_fs(fd_.get());
  }
  const auto text = read_whole(fd_.get(), buffer, kernel_fs_);
  if (hold_ == Hold::reopened) fd_ = Fd();
  return text;
}

}  // namespace evenkeel
