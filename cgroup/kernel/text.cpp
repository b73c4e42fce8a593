#include <cerrno>
#include <limits>
#include <optional>

#include "cgroup/kernel/knob_files.h"

namespace evenkeel::kernel {
namespace {

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// The kernel parses a C string: anything after a NUL is ignored.
std::string_view c_string(std::string_view text) { return text.substr(0, text.find('\0')); }

int digit_value(char c) {
  if (is_digit(c)) return c - '0';
  const char low = static_cast<char>(c | 0x20);
  return low >= 'a' && low <= 'f' ? low - 'a' + 10 : 99;
}

unsigned radix_of(std::string_view& text) {
  if (text.empty() || text[0] != '0') return 10;
  const bool hex = text.size() > 2 && (text[1] | 0x20) == 'x' && digit_value(text[2]) < 16;
  if (hex) text.remove_prefix(2);
  return hex ? 16 : 8;
}

struct Digits {
  std::size_t length = 0;
  std::uint64_t value = 0;  ///< modulo 2^64 after an overflow
  bool overflow = false;
};

Digits digits(std::string_view text, unsigned base) {
  Digits out;
  for (; out.length < text.size(); ++out.length) {
    const auto digit = static_cast<unsigned>(digit_value(text[out.length]));
    if (digit >= base) break;
    if (out.value > (std::numeric_limits<std::uint64_t>::max() - digit) / base) out.overflow = true;
    out.value = out.value * base + digit;
  }
  return out;
}

KernelParsed<std::uint64_t> unsigned_number(std::string_view text) {
  const auto base = radix_of(text);
  const auto found = digits(text, base);
  if (found.overflow) return {ERANGE};
  if (found.length == 0) return {EINVAL};
  text.remove_prefix(found.length);
  if (!text.empty() && text[0] == '\n') text.remove_prefix(1);
  if (!text.empty()) return {EINVAL};
  return {0, found.value};
}

/// A CPU list, region by region: "3", "0-3", "0-7:2/4", "all", and N for the last CPU.
class ListReader {
 public:
  ListReader(std::string_view text, int cpu_ids) : rest_(text), last_(static_cast<unsigned>(cpu_ids) - 1) {}

  KernelParsed<CpuSet> read() {
    CpuSet set;
    for (skip_separators(); !at_end(); skip_separators())
      if (const int code = region(set)) return {code};
    return {0, set};
  }

 private:
  [[nodiscard]] bool at_end() const { return rest_.empty() || rest_[0] == '\n'; }
  [[nodiscard]] bool at_region_end() const { return at_end() || rest_[0] == ',' || is_space(rest_[0]); }
  void skip_separators() {
    while (!at_end() && at_region_end()) rest_.remove_prefix(1);
  }
  bool eat(char c) {
    if (rest_.empty() || rest_[0] != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  int number(unsigned& out) {
    if (eat('N')) {
      out = last_;
      return 0;
    }
    const auto found = digits(rest_, 10);
    if (found.length == 0) return EINVAL;
    if (found.overflow || found.value > std::numeric_limits<unsigned>::max()) return EOVERFLOW;
    rest_.remove_prefix(found.length);
    out = static_cast<unsigned>(found.value);
    return 0;
  }
  bool eat_all() {
    const bool all =
        rest_.size() >= 3 && (rest_[0] | 0x20) == 'a' && (rest_[1] | 0x20) == 'l' && (rest_[2] | 0x20) == 'l';
    if (all) rest_.remove_prefix(3);
    return all;
  }
  int range(unsigned& first, unsigned& last) {
    first = 0;
    last = last_;
    if (eat_all()) return 0;
    if (const int code = number(first)) return code;
    last = first;
    if (at_region_end()) return 0;
    return eat('-') ? number(last) : EINVAL;
  }
  int pattern(unsigned& used, unsigned& group) {
    if (at_region_end()) return 0;
    if (!eat(':')) return EINVAL;
    if (const int code = number(used)) return code;
    return eat('/') ? number(group) : EINVAL;
  }
  int region(CpuSet& set) {
    unsigned first = 0, last = 0;
    if (const int code = range(first, last)) return code;
    unsigned used = last + 1, group = last + 1;
    if (const int code = pattern(used, group)) return code;
    if (first > last || group == 0 || used > group) return EINVAL;
    if (last > last_) return ERANGE;
    for (unsigned cpu = first; cpu <= last; ++cpu)
      if ((cpu - first) % group < used) set.add(static_cast<CpuId>(cpu));
    return 0;
  }

  std::string_view rest_;
  unsigned last_;
};

std::string_view next_word(std::string_view& text) {
  while (!text.empty() && is_space(text[0])) text.remove_prefix(1);
  std::size_t length = 0;
  while (length < text.size() && length < 20 && !is_space(text[length])) ++length;
  const auto word = text.substr(0, length);
  text.remove_prefix(length);
  return word;
}

/// sscanf's %llu: reads all digits, ignores what follows, and wraps on overflow.
std::optional<std::uint64_t> scanned(std::string_view text) {
  while (!text.empty() && is_space(text[0])) text.remove_prefix(1);
  const auto found = digits(text, 10);
  if (found.length == 0) return std::nullopt;
  return found.value;
}

}  // namespace

KernelParsed<std::uint64_t> kernel_u64(std::string_view text) {
  text = c_string(text);
  if (text.starts_with('+')) text.remove_prefix(1);
  return unsigned_number(text);
}

KernelParsed<std::int64_t> kernel_s64(std::string_view text) {
  constexpr auto kMax = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  text = c_string(text);
  const bool negative = text.starts_with('-');
  const auto parsed = negative ? unsigned_number(text.substr(1)) : kernel_u64(text);
  if (parsed.code != 0) return {parsed.code};
  if (parsed.value > kMax + (negative ? 1 : 0)) return {ERANGE};
  if (!negative) return {0, static_cast<std::int64_t>(parsed.value)};
  return {0, static_cast<std::int64_t>(~parsed.value + 1)};
}

KernelParsed<CpuSet> kernel_cpu_list(std::string_view text, int cpu_ids) {
  return ListReader(c_string(text), cpu_ids).read();
}

KernelParsed<KernelCpuMax> kernel_cpu_max(std::string_view text) {
  text = c_string(text);
  const auto quota = next_word(text);
  KernelCpuMax out;
  if (const auto period = scanned(text)) {
    out.has_period = true;
    out.period_us = *period;
  }
  if (const auto number = scanned(quota)) {
    out.quota_us = *number;
  } else if (quota == "max") {
    out.unlimited = true;
  } else {
    return {EINVAL};
  }
  return {0, out};
}

KernelParsed<std::optional<std::int64_t>> kernel_bytes(std::string_view text) {
  if (text == "max") return {0, std::nullopt};
  constexpr std::string_view kSuffixes = "KMGTPE";
  constexpr std::uint64_t kPage = 4096;
  unsigned shift = 0;
  if (!text.empty()) {
    const auto last = static_cast<char>(std::toupper(static_cast<unsigned char>(text.back())));
    const auto found = kSuffixes.find(last);
    // "0x1E" is a number.
    if (found != std::string_view::npos && !text.starts_with("0x") && !text.starts_with("0X")) {
      shift = static_cast<unsigned>(10 * (found + 1));
      text.remove_suffix(1);
    }
  }
  if (text.empty()) return {0, 0};
  const auto number = kernel_u64(text);
  if (number.code != 0 || text.back() == '\n') return {EINVAL, {}};
  const std::uint64_t most = static_cast<std::uint64_t>(INT64_MAX) / kPage * kPage;
  const std::uint64_t bytes = number.value > (most >> shift) ? most : number.value << shift;
  if (bytes >= most) return {0, std::nullopt};  // PAGE_COUNTER_MAX reads "max"
  return {0, static_cast<std::int64_t>(bytes / kPage * kPage)};
}

}  // namespace evenkeel::kernel
