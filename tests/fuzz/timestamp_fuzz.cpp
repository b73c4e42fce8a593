#include <algorithm>
#include <cstring>
#include <ctime>

#include "agent/pods/kube_text.h"
#include "tests/fuzz/fuzz.h"

using namespace evenkeel;
using fuzz::promise;

namespace {

int number(std::string_view digits) {
  int value = 0;
  for (const char c : digits) {
    promise(c >= '0' && c <= '9');
    value = value * 10 + (c - '0');
  }
  return value;
}

/// The seconds of an accepted text by the C library's calendar; the fields' places are fixed.
std::int64_t by_libc(std::string_view text) {
  promise(text.size() >= std::strlen("2026-01-31T23:59:59Z"));
  std::tm parts{.tm_min = number(text.substr(14, 2)),
                .tm_hour = number(text.substr(11, 2)),
                .tm_mday = number(text.substr(8, 2)),
                .tm_mon = number(text.substr(5, 2)) - 1,
                .tm_year = number(text.substr(0, 4)) - 1900};
  const std::tm given = parts;
  const std::int64_t minute = ::timegm(&parts);
  // It would take the 30th of February, or 24:00, for a later day.
  promise(parts.tm_mday == given.tm_mday && parts.tm_hour == given.tm_hour && parts.tm_min == given.tm_min);
  const int seconds = number(text.substr(17, 2));
  promise(seconds <= 60);
  if (text.back() == 'Z' || text.back() == 'z') return minute + seconds;
  const auto offset = text.substr(text.size() - 6);
  const std::int64_t east = 60 * (number(offset.substr(1, 2)) * 60 + number(offset.substr(4)));
  return minute + seconds - (offset.front() == '+' ? east : -east);
}

/// From the year 1000 (before, the year has fewer digits than are read) to 9999.
void comes_back(std::int64_t time) {
  constexpr std::int64_t kFirst = -30610224000, kLast = 253402300799;
  const auto within = std::clamp(time, kFirst, kLast);
  promise(pods::parse_timestamp(pods::timestamp(within)) == within);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  if (const auto time = pods::parse_timestamp(text)) {
    promise(*time == by_libc(text));
    comes_back(*time);
  }
  std::int64_t any = 0;
  std::memcpy(&any, data, std::min(size, sizeof any));
  comes_back(any);
  return 0;
}
