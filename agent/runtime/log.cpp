#include "agent/runtime/log.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cmath>
#include <cstdio>
#include <ctime>

#include "agent/runtime/json.h"

namespace evenkeel::runtime {
namespace {

constexpr std::array<std::string_view, 4> kLevels = {"debug", "info", "warning", "error"};

/// Printable ASCII that needs no quotes. Everything else is written as a JSON string.
bool plain(std::string_view value) {
  const auto legal = [](char c) { return c > ' ' && c < '\x7f' && c != '"' && c != '=' && c != '\\'; };
  return !value.empty() && std::ranges::all_of(value, legal);
}

/// A pipe that is ready for writing takes one page without blocking; for a longer line it needs this room.
/// The kernel begins a new page for what does not fit into the last one, so pages may be half empty.
bool has_room(int fd, std::size_t size) {
  if (size <= PIPE_BUF) return true;
  const int capacity = ::fcntl(fd, F_GETPIPE_SZ);
  if (capacity < 0) return true;  // not a pipe
  int waiting = 0;
  if (::ioctl(fd, FIONREAD, &waiting) != 0) return false;
  return size + 2 * static_cast<std::size_t>(waiting) + 3 * std::size_t{PIPE_BUF} <=
         static_cast<std::size_t>(capacity);
}

}  // namespace

std::string utc_text(double unix_seconds) {
  const auto whole = static_cast<std::time_t>(std::floor(unix_seconds));
  const int millis = static_cast<int>((unix_seconds - std::floor(unix_seconds)) * 1000);
  std::tm parts{};
  gmtime_r(&whole, &parts);
  std::array<char, 40> date{};
  const auto size = std::strftime(date.data(), date.size(), "%Y-%m-%dT%H:%M:%S", &parts);
  std::array<char, 8> rest{};
  std::snprintf(rest.data(), rest.size(), ".%03dZ", millis);
  return std::string(date.data(), size) + rest.data();
}

Log::Line::Line(Log* log, LogLevel level, std::string_view event)
    : log_(level < log->min_level_ ? nullptr : log) {
  if (log_ == nullptr) return;
  if (log_->format_ == LogFormat::json) text_ = "{";
  if (log_->clock_ != nullptr) with("time", utc_text(log_->clock_->unix_seconds()));
  with("level", kLevels[static_cast<std::size_t>(level)]);
  with("event", event);
}

Log::Line::~Line() {
  if (log_ == nullptr) return;
  if (log_->format_ == LogFormat::json) text_ += '}';
  text_ += '\n';
  log_->write(text_);
}

Log::Line& Log::Line::raw(std::string_view key, std::string_view value) {
  if (log_ == nullptr) return *this;
  const bool json = log_->format_ == LogFormat::json;
  if (text_.size() > (json ? 1U : 0U)) text_ += json ? ',' : ' ';
  if (json) {
    text_.append("\"").append(key).append("\":").append(value);
  } else {
    text_.append(key).append("=").append(value);
  }
  return *this;
}

Log::Line& Log::Line::with(std::string_view key, std::string_view value) {
  if (log_ == nullptr) return *this;
  if (log_->format_ == LogFormat::text && plain(value)) return raw(key, value);
  std::string quoted;
  Json(quoted).value(value);
  return raw(key, quoted);
}

Log::Line& Log::Line::with(std::string_view key, double value) {
  std::string number;
  Json(number).value(value);
  return raw(key, number);
}

void Log::write(std::string_view line) {
  pollfd ready{fd_, POLLOUT, 0};
  if (::poll(&ready, 1, 0) != 1 || (ready.revents & POLLOUT) == 0 || !has_room(fd_, line.size()) ||
      ::write(fd_, line.data(), line.size()) != static_cast<ssize_t>(line.size())) {
    ++dropped_;
  }
}

}  // namespace evenkeel::runtime
