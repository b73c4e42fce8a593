#include "cgroup/kernel/knob_files.h"

#include <unistd.h>

#include <algorithm>

#include "cgroup/base/disk_text.h"
#include "cgroup/base/text.h"

namespace evenkeel::kernel {
namespace {

constexpr std::string_view kUnlimitedV1 = "-1";
constexpr std::string_view kUnlimitedV2 = "max";

std::optional<std::int64_t> integer(std::string_view word) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (word.empty() || error != std::errc{} || end != word.data() + word.size()) return std::nullopt;
  return value;
}

std::optional<KnobValue> parse_limit(std::string_view word, std::string_view unlimited) {
  if (word == unlimited) return KnobValue{Unlimited{}};
  const auto number = integer(word);
  if (!number || *number < 0) return std::nullopt;
  return KnobValue{*number};
}

/// "max 100000". The kernel always prints the period; a file without it is still parsed.
std::optional<KnobValue> parse_cpu_max(std::string_view text) {
  Scanner scan(text);
  const auto quota = scan.word();
  const auto period = scan.word();
  if (!trimmed(scan.rest()).empty() || (!period.empty() && integer(period).value_or(0) <= 0))
    return std::nullopt;
  return parse_limit(quota, kUnlimitedV2);
}

/// mm/page_counter.c counts whole pages and drops the rest.
std::int64_t whole_pages(std::int64_t bytes) {
  static const std::int64_t page = std::max<std::int64_t>(::sysconf(_SC_PAGESIZE), 1);
  return bytes - bytes % page;
}

/// memory.limit_in_bytes of v1 prints "unlimited" as the largest number of pages.
std::optional<KnobValue> parse_bytes(std::string_view word) {
  constexpr std::int64_t kUnlimitedPages = 0x7ffffffffffff000;
  auto value = parse_limit(word, kUnlimitedV2);
  auto* number = value ? std::get_if<std::int64_t>(&*value) : nullptr;
  if (number == nullptr) return word == kUnlimitedV1 ? KnobValue{Unlimited{}} : value;
  if (*number >= kUnlimitedPages) return KnobValue{Unlimited{}};
  *number = whole_pages(*number);
  return value;
}

/// "8:16 rbps=max", "8:16 1048576", "8:16 default".
std::optional<KnobValue> parse_disk(std::string_view text) {
  Scanner scan(text);
  const bool named = parse_device(scan.word()).has_value();
  const auto number = disk_number(scan.word());
  if (!named || !number || !scan.rest().empty()) return std::nullopt;
  return *number == kPlainMax ? KnobValue{Unlimited{}} : KnobValue{*number};
}

std::optional<std::string_view> period_word(std::string_view cpu_max) {
  Scanner scan(trimmed(cpu_max));
  scan.word();
  const auto period = scan.word();
  if (integer(period).value_or(0) <= 0) return std::nullopt;
  return period;
}

std::string format_limit(const KnobValue& value, std::string_view current, bool v2) {
  const auto* number = std::get_if<std::int64_t>(&value);
  std::string out = number ? std::to_string(*number) : std::string(v2 ? kUnlimitedV2 : kUnlimitedV1);
  if (!v2) return out;
  // Without a period the kernel keeps its own: correct when the present one is not readable.
  if (const auto period = period_word(current)) out.append(" ").append(*period);
  return out;
}

std::string_view unlimited_word(const KnobRow& lever, const tree::Layout& layout) {
  const auto v1_word = lever.values.v1_unlimited;
  return layout.v2(lever.controller) || v1_word.empty() ? kUnlimitedV2 : v1_word;
}

bool same_words(std::string_view a, std::string_view b) {
  Scanner left(a), right(b);
  for (;;) {
    const auto x = left.word(), y = right.word();
    if (x.empty() || y.empty()) return true;  // a missing period means "unchanged"
    if (x != y) return false;
  }
}

}  // namespace

std::string_view file_name(Knob knob, const tree::Layout& layout) {
  const auto& lever = row(knob);
  if (!lever.node_dir.empty()) return lever.v1_file;
  if (layout.root(lever.controller).empty()) return {};
  return lever.file(layout.v2(lever.controller));
}

std::optional<KnobValue> parse_value(Knob knob, std::string_view text, const tree::Layout& layout) {
  const auto& lever = row(knob);
  const auto content = trimmed(text);
  if (content.find('\n') != std::string_view::npos) return std::nullopt;
  switch (lever.values.kind) {
    case ValueKind::cpus: {
      auto cpus = CpuSet::parse(content);
      return cpus ? std::optional<KnobValue>(*cpus) : std::nullopt;
    }
    case ValueKind::limit:
      return layout.v2(lever.controller) ? parse_cpu_max(content) : parse_limit(content, kUnlimitedV1);
    case ValueKind::bytes:
      return parse_bytes(content);
    case ValueKind::disk:
      return parse_disk(content);
    case ValueKind::line:
      return std::nullopt;
    case ValueKind::number: {
      const auto number = integer(content);
      return number ? std::optional<KnobValue>(*number) : std::nullopt;
    }
  }
  return std::nullopt;
}

std::string format_value(Knob knob, const KnobValue& value, std::string_view current,
                         const tree::Layout& layout) {
  const auto& lever = row(knob);
  const auto kind = lever.values.kind;
  if (kind == ValueKind::limit) return format_limit(value, current, layout.v2(lever.controller));
  if (kind == ValueKind::bytes && std::holds_alternative<Unlimited>(value))
    return std::string(unlimited_word(lever, layout));
  if (kind == ValueKind::bytes) return text(value);  // the kernel rounds
  if (kind == ValueKind::disk)
    return disk_text(file_name(knob, layout), parse_device(Scanner(trimmed(current)).word()).value_or(0),
                     plain_number(as_kernel_stores(knob, value, layout)));
  const auto out = text(as_kernel_stores(knob, value, layout));
  return out.empty() ? "\n" : out;
}

KnobValue as_kernel_stores(Knob knob, const KnobValue& value, const tree::Layout& layout) {
  const auto* number = std::get_if<std::int64_t>(&value);
  if (number && row(knob).values.kind == ValueKind::bytes) return whole_pages(*number);
  if (number && is_of_disk(knob))
    return std::clamp(*number, row(knob).values.lowest, row(knob).values.highest);
  if (knob != Knob::cpu_shares || !number) return value;
  // kernel/sched/sched.h: MIN_SHARES and MAX_SHARES; include/linux/cgroup.h: CGROUP_WEIGHT_MIN and _MAX.
  if (layout.v2(Controller::cpu)) return std::clamp<std::int64_t>(*number, 1, 10000);
  return std::clamp<std::int64_t>(*number, 2, 262144);
}

bool legal_value(Knob knob, const KnobValue& value) {
  const auto& legal = row(knob).values;
  if (legal.kind == ValueKind::cpus) return std::holds_alternative<CpuSet>(value);
  const bool may_be_unlimited = legal.kind != ValueKind::number && legal.kind != ValueKind::line;
  if (may_be_unlimited && std::holds_alternative<Unlimited>(value)) return true;
  const auto* number = std::get_if<std::int64_t>(&value);
  return number && *number >= legal.lowest && *number <= legal.highest;
}

bool is_initial_value(Knob knob, const KnobValue& value) {
  const auto& rule = row(knob).values;
  if (const auto* cpus = std::get_if<CpuSet>(&value)) return cpus->empty();
  if (std::holds_alternative<Unlimited>(value))
    return rule.kind == ValueKind::limit || rule.initial == kPlainMax;
  return rule.kind != ValueKind::limit && std::get<std::int64_t>(value) == rule.initial;
}

bool same_text(Knob knob, std::string_view a, std::string_view b) {
  const auto left = trimmed(a), right = trimmed(b);
  if (left == right) return true;
  if (left.empty() || right.empty()) return false;
  const auto kind = row(knob).values.kind;
  if (kind == ValueKind::limit) return same_words(left, right);
  if (kind == ValueKind::line) return same_cost(left, right);
  if (kind == ValueKind::bytes) {
    const auto x = parse_bytes(left), y = parse_bytes(right);
    return x && y && *x == *y;
  }
  if (kind != ValueKind::cpus) return false;
  const auto x = CpuSet::parse(left), y = CpuSet::parse(right);
  return x && y && *x == *y;
}

std::optional<KnobValue> applied_value(const Applied& applied, Knob knob) {
  const auto number = [](const std::optional<std::int64_t>& v) {
    return v ? std::optional<KnobValue>(*v) : std::nullopt;
  };
  if (is_plain(knob)) {
    const auto held = applied.plain.get(knob);
    return held ? std::optional(plain_value(knob, *held)) : std::nullopt;
  }
  switch (knob) {
    case Knob::cpu_quota:
      if (!applied.cpu_limit) return std::nullopt;
      if (!applied.cpu_limit->quota) return KnobValue{Unlimited{}};
      return KnobValue{applied.cpu_limit->quota->count()};
    case Knob::cpu_burst:
      return applied.cpu_burst ? std::optional<KnobValue>(applied.cpu_burst->count()) : std::nullopt;
    case Knob::cpu_shares:
      return number(applied.cpu_shares);
    case Knob::cpu_idle:
      return number(applied.cpu_idle);
    case Knob::cpuset_cpus:
      return applied.cpus ? std::optional<KnobValue>(*applied.cpus) : std::nullopt;
    default:
      return std::nullopt;
  }
}

void parse_disk_values(Knob knob, std::string_view name, std::string_view text, DiskReading& into) {
  const auto before = into.values.size();
  bool understood = true;
  for_each_disk(text, [&](std::uint32_t disk, std::string_view rest) {
    const auto number = number_in_line(name, rest);
    understood = understood && number.has_value();
    if (number && *number != kPlainMax) into.values.push_back({disk, knob, *number});
  });
  if (understood) {
    into.known |= knob_bit(knob);
  } else {
    into.values.resize(before);
  }
}

std::optional<Knob> knob_of_entry(std::string_view entry) {
  const auto at = entry.find('@');
  const bool alone = at == std::string_view::npos;
  const auto knob = knob_of_file(entry.substr(0, at));
  if (!knob || has_disk_lines(*knob) == alone || (!alone && !parse_device(entry.substr(at + 1))))
    return std::nullopt;
  return knob;
}

std::optional<Knob> knob_of_file(std::string_view file) {
  for (const auto& lever : knob_table())
    if (!file.empty() && (file == lever.v1_file || file == lever.v2_file)) return lever.knob;
  return std::nullopt;
}

}  // namespace evenkeel::kernel
