#include "agent/history/checkpoint_line.h"

#include <algorithm>

#include "cgroup/base/checksum.h"

namespace evenkeel::history {
namespace {

using Seconds = std::chrono::seconds;

constexpr std::int64_t kYear9999 = 253'402'300'799;
constexpr Seconds kOldest = std::chrono::hours(24) * 3650;

}  // namespace

std::string sealed_line(std::string_view body) {
  return checksum_text(body).append(" ").append(body).append("\n");
}

std::optional<std::string_view> body_of_line(std::string_view line) {
  if (line.ends_with('\n')) line.remove_suffix(1);
  if (line.size() < 10 || line[8] != ' ' || checksum_text(line.substr(9)) != line.substr(0, 8))
    return std::nullopt;
  return line.substr(9);
}

std::int64_t wall_time(MonoTime at, Moment now) {
  const auto age = std::max(now.mono - at, Duration::zero());
  return std::max(now.unix_seconds - std::chrono::duration_cast<Seconds>(age).count(), std::int64_t{0});
}

std::optional<MonoTime> read_time(std::string_view text, Moment now) {
  const auto time = take_number<std::int64_t>(text);
  if (!time || !text.empty() || *time < 0 || *time > kYear9999) return std::nullopt;
  return now.mono - std::clamp(Seconds(now.unix_seconds - *time), Seconds(0), kOldest);
}

}  // namespace evenkeel::history
