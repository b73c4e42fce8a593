#include "cgroup/base/file.h"

#include <sys/stat.h>

namespace evenkeel {
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

Result<std::string_view> ReadFile::read(const Host& host, std::span<char> buffer) {
  if (fd_ && !kernel_fs_ && unlinked(fd_.get())) fd_ = Fd();
  if (!fd_) {
    if (missing_reads_ > 0 && missing_reads_++ < kMissingRetry) return fail(ENOENT, Op::open);
    auto opened = host.open_read(path_);
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
