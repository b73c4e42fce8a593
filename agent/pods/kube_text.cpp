#include "agent/pods/kube_text.h"

#include <array>
#include <charconv>

#include "agent/document/units_text.h"

namespace evenkeel::pods {
namespace {

/// batch-cpu and mid-cpu are whole numbers of thousandths of a CPU.
std::optional<MilliCpu> sane_milli(std::string_view text) {
  constexpr std::int64_t kMost = 1'000'000'000;
  const auto value = document::parse_quantity(text);
  if (!value || *value < 0 || *value > kMost) return std::nullopt;
  return MilliCpu(*value);
}

template <auto Member, auto parse>
bool put(Resources& resources, std::string_view text) {
  return (resources.*Member = parse(text)).has_value();
}

struct ResourceRow {
  std::string_view name;
  bool (*put)(Resources&, std::string_view);
};
using R = Resources;
constexpr std::array<ResourceRow, 6> kResourceRows = {{
    {"cpu", &put<&R::cpu, &plausible_cpu>},
    {"memory", &put<&R::memory, &plausible_bytes>},
    {"kubernetes.io/batch-cpu", &put<&R::batch_cpu, &sane_milli>},
    {"kubernetes.io/batch-memory", &put<&R::batch_memory, &plausible_bytes>},
    {"kubernetes.io/mid-cpu", &put<&R::mid_cpu, &sane_milli>},
    {"kubernetes.io/mid-memory", &put<&R::mid_memory, &plausible_bytes>},
}};

}  // namespace

TextMap text_map(const document::Value* value) {
  TextMap out;
  if (value == nullptr || value->map() == nullptr) return out;
  for (const auto& [key, member] : *value->map()) {
    if (member.scalar() == nullptr || key == "kubectl.kubernetes.io/last-applied-configuration") continue;
    out.emplace(key, member.scalar()->text);
  }
  return out;
}

std::optional<MilliCpu> plausible_cpu(std::string_view text) {
  constexpr MilliCpu kMost(1'000'000'000);
  const auto cpu = document::parse_cpu(text);
  return cpu && *cpu >= MilliCpu(0) && *cpu <= kMost ? cpu : std::nullopt;
}

std::optional<Bytes> plausible_bytes(std::string_view text) {
  constexpr Bytes kMost(std::int64_t{1} << 60);
  const auto bytes = document::parse_bytes(text);
  return bytes && *bytes >= Bytes(0) && *bytes <= kMost ? bytes : std::nullopt;
}

ResourcesRead read_resources(const document::Value* value) {
  ResourcesRead out;
  if (value == nullptr || value->null()) return out;
  if (value->map() == nullptr) return {{}, "found something else than a map of resources"};
  for (const auto& row : kResourceRows) {
    const auto* given = value->find(row.name);
    if (given == nullptr || given->null()) continue;
    const auto* scalar = given->scalar();
    if (scalar != nullptr && row.put(out.resources, scalar->text)) continue;
    const auto found = scalar != nullptr ? '\'' + scalar->text.substr(0, 40) + '\'' : "something else";
    return {
        {},
        std::string(row.name) + ": found " + found + "; legal: a quantity, not negative, of sensible size"};
  }
  return out;
}

std::string too_many(const char* what, std::size_t count, std::size_t most) {
  if (count <= most) return {};
  return "it has " + std::to_string(count) + ' ' + what + ", " + std::to_string(most) + " are the most";
}

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

document::Parsed annotation_object(const TextMap& annotations, const char* key) {
  const auto annotation = annotations.find(key);
  if (annotation == annotations.end()) return {};
  auto parsed = document::parse_json(annotation->second, key);
  if (parsed.problems.empty() && parsed.root.map() == nullptr) {
    parsed.problems.push_back({key, {}, {}, "found a list; legal: a JSON object"});
  }
  return parsed;
}

}  // namespace evenkeel::pods
