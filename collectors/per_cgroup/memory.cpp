#include <algorithm>
#include <array>
#include <span>

#include "cgroup/base/text.h"
#include "collectors/per_cgroup/reading.h"

namespace evenkeel::per_cgroup {
namespace {

using Number = std::optional<std::int64_t>;

struct Field {
  std::string_view name;
  Number& value;
};

Number not_negative(Number value) { return value && *value >= 0 ? value : std::nullopt; }

/// Reads the fields' values from the lines whose key is `prefix` + name.
void take(std::string_view text, std::string_view prefix, std::span<const Field> fields) {
  for (Scanner scan(text); !scan.done();) {
    Scanner line(scan.line());
    if (!line.eat(prefix)) continue;
    const auto key = line.word();
    const auto field = std::ranges::find(fields, key, &Field::name);
    if (field == fields.end()) continue;
    if (const auto value = line.number()) field->value = not_negative(*value);
  }
}

std::optional<Bytes> sum(std::span<const Number> parts) {
  std::int64_t out = 0;
  for (const auto& part : parts)
    if (!part || __builtin_add_overflow(out, *part, &out)) return std::nullopt;
  return Bytes(out);
}

void parse_memory_stat(Text text, std::string_view prefix, MemorySample& memory) {
  Number inactive_anon, active_anon, inactive_file, active_file, unevictable;
  const Field fields[] = {{"inactive_anon", inactive_anon},
                          {"active_anon", active_anon},
                          {"inactive_file", inactive_file},
                          {"active_file", active_file},
                          {"unevictable", unevictable}};
  if (text) take(*text, prefix, fields);
  memory.anonymous = sum(std::array{inactive_anon, active_anon, unevictable});
  memory.page_cache = sum(std::array{inactive_file, active_file});
  memory.working_set.reset();
  // The two files are read one after the other: the page cache may have grown beyond `current` meanwhile.
  if (memory.current && inactive_file)
    memory.working_set = std::max(*memory.current - Bytes(*inactive_file), Bytes(0));
}

}  // namespace

void parse_memory_current(Text text, CgroupReading& reading) {
  const auto value = not_negative(text ? whole_number(*text) : std::nullopt);
  auto& current = reading.sample.memory.current;
  current = value ? std::optional(Bytes(*value)) : std::nullopt;
}

void parse_memory_stat_v1(Text text, CgroupReading& reading) {
  parse_memory_stat(text, "total_", reading.sample.memory);
}

void parse_memory_stat_v2(Text text, CgroupReading& reading) {
  parse_memory_stat(text, "", reading.sample.memory);
}

void parse_memory_events(Text text, CgroupReading& reading) {
  Number low, high, max, oom, oom_kill;
  const Field fields[] = {{"low", low}, {"high", high}, {"max", max}, {"oom", oom}, {"oom_kill", oom_kill}};
  if (text) take(*text, "", fields);
  auto& events = reading.sample.memory.events;
  events.reset();
  if (low && high && max && oom && oom_kill) events = MemoryEvents{*low, *high, *max, *oom, *oom_kill};
}

void parse_oom_control(Text text, CgroupReading& reading) {
  Number oom_kill;
  const Field fields[] = {{"oom_kill", oom_kill}};
  if (text) take(*text, "", fields);
  auto& events = reading.sample.memory.events;
  events.reset();
  // v1 has no low and no high, and counts no oom without a kill.
  if (oom_kill) events = MemoryEvents{.oom = *oom_kill, .oom_kill = *oom_kill};
}

void parse_failcnt(Text text, CgroupReading& reading) {
  auto& events = reading.sample.memory.events;
  const auto count = not_negative(text ? whole_number(*text) : std::nullopt);
  if (!count) events.reset();
  if (events) events->max = *count;
}

}  // namespace evenkeel::per_cgroup
