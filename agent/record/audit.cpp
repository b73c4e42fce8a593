#include "agent/record/audit.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>

#include "agent/runtime/json.h"
#include "agent/runtime/log.h"

namespace evenkeel::record {
Result<Audit> Audit::open(const std::string& state_dir, const runtime::WallClock* clock) {
  Audit audit(state_dir.empty() ? "" : state_dir + "/audit.jsonl", clock);
  if (!audit.path_.empty())
    if (auto opened = audit.reopen(); !opened) return tl::unexpected<Error>(opened.error());
  return audit;
}

Result<> Audit::reopen() {
  file_ = Fd(::open(path_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0640));
  if (!file_) return fail(errno, Op::open, "audit.jsonl");
  struct stat status {};
  if (::fstat(file_.get(), &status) != 0) {
    const int code = errno;
    file_ = Fd();
    return fail(code, Op::open, "audit.jsonl");
  }
  bytes_ = static_cast<std::size_t>(status.st_size);
  // In doubt an empty line is better than two in one.
  char last = '\0';
  const bool is_known = bytes_ > 0 && ::pread(file_.get(), &last, 1, static_cast<off_t>(bytes_ - 1)) == 1;
  line_is_open_ = bytes_ > 0 && (!is_known || last != '\n');
  return {};
}

void Audit::rotate() {
  if (::rename(path_.c_str(), (path_ + ".1").c_str()) != 0) return;
  file_ = Fd();
  bytes_ = 0;
}

void Audit::look_at_file(MonoTime now) {
  if (!file_ || now < look_again_) return;
  look_again_ = now + kLookEvery;
  struct stat ours {};
  struct stat named {};
  if (::fstat(file_.get(), &ours) != 0) return;
  bytes_ = static_cast<std::size_t>(ours.st_size);
  const bool has_name = ::stat(path_.c_str(), &named) == 0;
  if (!has_name && errno != ENOENT) return;
  if (has_name && named.st_ino == ours.st_ino && named.st_dev == ours.st_dev) return;
  file_ = Fd();
  bytes_ = 0;
}

bool Audit::append(std::string_view line) {
  if (bytes_ > kRotateBytes) rotate();
  if (bytes_ > 2 * kRotateBytes) return false;  // it cannot be rotated, and must not fill the disk
  if (!file_ && !reopen()) return false;
  // What is left of a line that did not fit must not become one with this line.
  if (line_is_open_) {
    if (::write(file_.get(), "\n", 1) != 1) return false;
    ++bytes_;
  }
  const auto put = ::write(file_.get(), line.data(), line.size());
  line_is_open_ = put > 0 && put < static_cast<ssize_t>(line.size());
  if (put > 0) bytes_ += static_cast<std::size_t>(put);
  return put == static_cast<ssize_t>(line.size());
}

void Audit::record(const AuditEvent& event, MonoTime now) {
  const double wall = clock_ != nullptr ? clock_->unix_seconds() : 0;
  std::string line;
  runtime::Json json(line);
  json.begin_object();
  if (clock_ != nullptr) json.member("time", runtime::utc_text(wall));
  json.member("now", runtime::seconds(now)).member("kind", event.kind).member("path", event.path);
  json.member("old", event.old_text)
      .member("new", event.new_text)
      .member("by", event.by)
      .member("why", event.why);
  if (!event.pod.empty()) json.member("pod", event.pod);
  json.end_object();
  if (!path_.empty()) {
    look_at_file(now);
    if (!append(line + "\n")) ++lost_;
  }
  line.shrink_to_fit();  // a thousand of them are kept
  recent_lines_.push_back({wall, std::string(event.pod), std::move(line)});
  if (recent_lines_.size() > kRecentLines) recent_lines_.pop_front();
}

}  // namespace evenkeel::record
