#include "cgroup/resctrl/text.h"

#include <algorithm>
#include <charconv>

#include "cgroup/base/text.h"

namespace evenkeel::resctrl {
namespace {

constexpr std::size_t kMostResources = 16, kMostDomains = 1024;

/// The number at the front of `text`, which is removed from it.
template <class T>
std::optional<T> take_number(std::string_view& text, int base) {
  T value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc{}) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

/// "0= 30": the kernel pads the value with blanks.
std::optional<SchemataLine::Domain> parse_domain(std::string_view text, int base) {
  text = trimmed(text);
  const auto id = take_number<std::int32_t>(text, 10);
  if (!id || *id < 0 || !text.starts_with('=')) return std::nullopt;
  text = trimmed(text.substr(1));
  const auto value = take_number<std::uint64_t>(text, base);
  if (!value || !text.empty()) return std::nullopt;
  return SchemataLine::Domain{*id, *value};
}

bool has(const SchemataLine& line, std::int32_t id) {
  return std::ranges::any_of(line.domains, [id](const auto& domain) { return domain.id == id; });
}

bool is_name(std::string_view name) {
  return !name.empty() && name.size() < 32 && std::ranges::all_of(name, [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

std::optional<SchemataLine> parse_line(std::string_view text) {
  const auto colon = text.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  SchemataLine line{.resource = std::string(trimmed(text.substr(0, colon)))};
  if (!is_name(line.resource)) return std::nullopt;
  const int base = is_mask(line.resource) ? 16 : 10;
  auto rest = trimmed(text.substr(colon + 1));
  while (!rest.empty()) {
    const auto end = rest.find(';');
    const auto domain = parse_domain(rest.substr(0, end), base);
    if (!domain || has(line, domain->id) || line.domains.size() == kMostDomains) return std::nullopt;
    line.domains.push_back(*domain);
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
  }
  return line.domains.empty() ? std::nullopt : std::optional(std::move(line));
}

const SchemataLine* line_of(const Schemata& schemata, std::string_view resource) {
  const auto found = std::ranges::find(schemata, resource, &SchemataLine::resource);
  return found == schemata.end() ? nullptr : &*found;
}

}  // namespace

bool is_mask(std::string_view resource) { return resource.starts_with('L'); }

std::optional<Schemata> parse_schemata(std::string_view text) {
  Schemata out;
  for (Scanner scan(text); !scan.done();) {
    const auto line = trimmed(scan.line());
    if (line.empty()) continue;
    auto parsed = parse_line(line);
    if (!parsed || line_of(out, parsed->resource) != nullptr || out.size() == kMostResources)
      return std::nullopt;
    out.push_back(std::move(*parsed));
  }
  return out.empty() ? std::nullopt : std::optional(std::move(out));
}

std::string one_line(std::string_view schemata) {
  std::string out;
  for (Scanner scan(schemata); !scan.done();) {
    const auto line = trimmed(scan.line());
    if (line.empty()) continue;
    if (!out.empty()) out += ' ';
    out += line;
  }
  return out;
}

bool holds(const Schemata& found, const Schemata& requested) {
  return std::ranges::all_of(requested, [&](const SchemataLine& line) {
    const auto* there = line_of(found, line.resource);
    return there != nullptr && std::ranges::all_of(line.domains, [&](const auto& domain) {
             return std::ranges::find(there->domains, domain) != there->domains.end();
           });
  });
}

std::optional<std::uint64_t> parse_mask(std::string_view text) {
  text = trimmed(text);
  const auto value = take_number<std::uint64_t>(text, 16);
  return text.empty() ? value : std::nullopt;
}

std::optional<std::int64_t> parse_monitor(std::string_view text) {
  const auto value = whole_number(text);
  return value && *value >= 0 ? value : std::nullopt;
}

std::optional<std::int32_t> monitor_domain(std::string_view name) {
  if (!name.starts_with("mon_L3_")) return std::nullopt;
  name.remove_prefix(7);
  const auto id = take_number<std::int32_t>(name, 10);
  return id && *id >= 0 && name.empty() ? id : std::nullopt;
}

}  // namespace evenkeel::resctrl
