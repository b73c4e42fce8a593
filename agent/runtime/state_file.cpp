#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
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

enum class Durable { no, yes };
/// In directories of other users nothing that is there already is written to: it may be a link.
constexpr int kOwnDirectory = O_TRUNC, kAnyDirectory = O_EXCL | O_NOFOLLOW;

constexpr mode_t kOwnerOnly = 0600;

Result<> replace(const std::string& path, std::string_view text, Durable durable, mode_t mode, int flags) {
  const std::string fresh_path = path + ".new";
  const auto abandon = [&](Error error) -> Result<> {
    ::unlink(fresh_path.c_str());
    return tl::unexpected(error);
  };
  const Fd fresh(::open(fresh_path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | flags, kOwnerOnly));
  if (!fresh) return fail(errno, Op::open, kName);
  // Not by open(2), whose mode the umask narrows.
  if (mode != kOwnerOnly && ::fchmod(fresh.get(), mode) != 0) return abandon({errno, Op::write, kName});
  if (auto put = write_whole(fresh, text); !put) return abandon(put.error());
  if (durable == Durable::yes && ::fsync(fresh.get()) != 0) return abandon({errno, Op::write, kName});
  if (std::rename(fresh_path.c_str(), path.c_str()) != 0) return abandon({errno, Op::write, kName});
  return durable == Durable::yes ? sync_directory_of(path) : Result<>();
}

/// Whoever may read the file now may read the next one.
mode_t mode_of(const std::string& path) {
  constexpr mode_t kForEveryone = 0644, kPermissions = 0777;
  struct stat status {};
  const bool exists = ::lstat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
  return exists ? status.st_mode & kPermissions : kForEveryone;
}

}  // namespace

Result<> replace_text_file(const std::string& path, std::string_view text) {
  ::unlink((path + ".new").c_str());  // of an attempt that was cut short
  return replace(path, text, Durable::no, mode_of(path), kAnyDirectory);
}

struct StateFile::Replacement {
  std::string path{}, text{};
  Result<> result{};
  std::atomic<bool> ended = false;  ///< only then may `result` be read
};

/// The thread is never joined: it may hang in the kernel for as long as the disk stands still.
void StateFile::begin(std::string text) {
  if (replacement_) replacement_->ended.wait(false);
  replacement_ = std::make_shared<Replacement>();
  replacement_->path = path_;
  replacement_->text = std::move(text);
  auto mine = std::make_unique<std::shared_ptr<Replacement>>(replacement_);
  pthread_t id{};
  if (::pthread_create(&id, nullptr, &StateFile::thread, mine.get()) == 0) {
    static_cast<void>(mine.release());
    ::pthread_detach(id);
  } else {
    thread(mine.release());
  }
}

void* StateFile::thread(void* replacement) {
  const std::unique_ptr<std::shared_ptr<Replacement>> held(
      static_cast<std::shared_ptr<Replacement>*>(replacement));
  Replacement& mine = **held;
  mine.result = replace(mine.path, mine.text, Durable::yes, kOwnerOnly, kOwnDirectory);
  mine.ended = true;
  mine.ended.notify_all();
  return nullptr;
}

bool StateFile::has_ended() const { return replacement_->ended; }

std::optional<std::string> StateFile::text_in_progress() const {
  return in_progress() ? std::optional(replacement_->text) : std::nullopt;
}

std::optional<Result<>> StateFile::ended() {
  if (!replacement_ || in_progress()) return std::nullopt;
  return std::exchange(replacement_, nullptr)->result;
}

Result<> StateFile::finish() {
  if (!replacement_) return {};
  replacement_->ended.wait(false);
  return *ended();
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
