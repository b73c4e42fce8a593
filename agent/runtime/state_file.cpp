#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>

#include "agent/runtime/files.h"

namespace evenkeel::runtime {
namespace {

constexpr const char* kName = "state file";

Result<> write_whole(const Fd& file, std::string_view text) {
  while (!text.empty()) {
    const auto put = ::write(file.get(), text.data(), text.size());
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return fail(put < 0 ? errno : ENOSPC, Op::write, kName);
    text.remove_prefix(static_cast<std::size_t>(put));
  }
  return {};
}

/// A rename is durable once its directory is synced.
Result<> sync_directory_of(const std::string& path) {
  const auto slash = path.rfind('/');
  const auto dir = slash == std::string::npos ? std::string(".") : path.substr(0, slash + 1);
  const Fd opened(::open(dir.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!opened || ::fsync(opened.get()) != 0) return fail(errno, Op::write, kName);
  return {};
}

}  // namespace

Result<> StateFile::begin(std::string_view text) {
  fresh_ = Fd(::open(fresh_path().c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  if (!fresh_) return fail(errno, Op::open, kName);
  if (auto put = write_whole(fresh_, text); !put) return abandon(put.error());
  // Only a hint: finish() syncs, also on file systems that do not support this call.
  static_cast<void>(::sync_file_range(fresh_.get(), 0, 0, SYNC_FILE_RANGE_WRITE));
  return {};
}

Result<> StateFile::finish() {
  if (!fresh_) return {};
  if (::fsync(fresh_.get()) != 0) return abandon({errno, Op::write, kName});
  if (std::rename(fresh_path().c_str(), path_.c_str()) != 0) return abandon({errno, Op::write, kName});
  fresh_ = Fd();
  return sync_directory_of(path_);
}

Result<> StateFile::abandon(Error error) {
  fresh_ = Fd();
  ::unlink(fresh_path().c_str());
  return tl::unexpected(error);
}

Result<std::string> read_state_file(const std::string& path, std::size_t most) {
  const Fd file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  struct stat status {};
  if (!file || ::fstat(file.get(), &status) != 0) return fail(errno, Op::open, kName);
  if (!S_ISREG(status.st_mode)) return fail(EINVAL, Op::read, kName);
  if (static_cast<std::size_t>(status.st_size) > most) return fail(EFBIG, Op::read, kName);
  std::string text(static_cast<std::size_t>(status.st_size), '\0');
  std::size_t have = 0;
  while (have < text.size()) {
    const auto got = ::read(file.get(), text.data() + have, text.size() - have);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail(errno, Op::read, kName);
    if (got == 0) break;
    have += static_cast<std::size_t>(got);
  }
  text.resize(have);
  return text;
}

}  // namespace evenkeel::runtime
