#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <ctime>

#include "agent/pods/kube_text.h"

namespace evenkeel::pods {
namespace {

/// A cursor that stays failed after the first mismatch.
class Fields {
 public:
  explicit Fields(std::string_view text) : rest_(text) {}

  bool eat(std::string_view any_of) {
    if (rest_.empty() || any_of.find(rest_.front()) == std::string_view::npos) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void expect(std::string_view any_of) { broken_ = !eat(any_of) || broken_; }
  /// Reads exactly `digits` digits, a number of at most `most`.
  int number(std::size_t digits, int most) {
    int value = 0;
    for (std::size_t i = 0; i < digits; ++i) {
      if (rest_.empty() || rest_.front() < '0' || rest_.front() > '9') return fail();
      value = value * 10 + (rest_.front() - '0');
      rest_.remove_prefix(1);
    }
    return value <= most ? value : fail();
  }
  void skip_digits() {
    number(1, 9);
    rest_.remove_prefix(std::min(rest_.find_first_not_of("0123456789"), rest_.size()));
  }
  [[nodiscard]] bool good() const { return !broken_ && rest_.empty(); }

 private:
  int fail() {
    broken_ = true;
    return 0;
  }
  std::string_view rest_;
  bool broken_ = false;
};

std::chrono::year_month_day take_date(Fields& fields) {
  const int year = fields.number(4, 9999);
  fields.expect("-");
  const int month = fields.number(2, 12);
  fields.expect("-");
  const int day = fields.number(2, 31);
  return std::chrono::year(year) / month / day;
}

std::int64_t take_clock(Fields& fields, int most_seconds) {
  const std::int64_t hour = fields.number(2, 23);
  fields.expect(":");
  const std::int64_t minute = fields.number(2, 59);
  if (most_seconds == 0) return hour * 3600 + minute * 60;
  fields.expect(":");
  return hour * 3600 + minute * 60 + fields.number(2, most_seconds);
}

/// The offset to subtract to get UTC.
std::int64_t take_offset(Fields& fields) {
  if (fields.eat("Zz")) return 0;
  const bool east = fields.eat("+");
  if (!east) fields.expect("-");
  const auto offset = take_clock(fields, 0);
  return east ? offset : -offset;
}

}  // namespace

std::optional<std::int64_t> parse_timestamp(std::string_view text) {
  constexpr int kLeapSecond = 60;
  Fields fields(text);
  const auto date = take_date(fields);
  fields.expect("Tt");
  const auto clock = take_clock(fields, kLeapSecond);
  if (fields.eat(".")) fields.skip_digits();
  const auto offset = take_offset(fields);
  if (!fields.good() || !date.ok()) return std::nullopt;
  const std::chrono::seconds midnight = std::chrono::sys_days(date).time_since_epoch();
  return midnight.count() + clock - offset;
}

std::string timestamp(std::int64_t unix_seconds) {
  const auto when = static_cast<std::time_t>(unix_seconds);
  std::tm parts{};
  ::gmtime_r(&when, &parts);
  std::array<char, 40> text{};
  const auto size = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return {text.data(), size};
}

}  // namespace evenkeel::pods
