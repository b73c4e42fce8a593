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
  file_ = Fd(::open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0640));
  if (!file_) return fail(errno, Op::open, "audit.jsonl");
  struct stat status {};
  bytes_ = ::fstat(file_.get(), &status) == 0 ? static_cast<std::size_t>(status.st_size) : 0;
  return {};
}

void Audit::append(std::string_view line) {
  if (!file_) return;
  if (bytes_ > kRotateBytes) {
    if (::rename(path_.c_str(), (path_ + ".1").c_str()) != 0 || !reopen()) ++lost_;
  }
  if (::write(file_.get(), line.data(), line.size()) == static_cast<ssize_t>(line.size())) {
    bytes_ += line.size();
  } else {
    ++lost_;
  }
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
  append(line + "\n");
  recent_lines_.push_back({wall, std::string(event.pod), std::move(line)});
  if (recent_lines_.size() > kRecentLines) recent_lines_.pop_front();
}

}  // namespace evenkeel::record
