#include <algorithm>
#include <array>
#include <bit>
#include <charconv>

#include "qos/cache/cache.h"

namespace evenkeel::cache {
namespace {

constexpr Percent kWhole{100};
/// AMD reports no maximum. Koordinator's: 25 GB/s with a fifth of reserve, measured on one server generation.
constexpr std::int64_t kWholeInEighths = 160;

/// The ways of the mask from the `first` one to before the `last`, counted from the lowest.
std::uint64_t ways_from(std::uint64_t mask, std::int64_t first, std::int64_t last) {
  std::uint64_t out = 0;
  for (std::int64_t way = 0; mask != 0; ++way) {
    const std::uint64_t lowest = mask & (~mask + 1);
    if (way >= first && way < last) out |= lowest;
    mask &= ~lowest;
  }
  return out;
}

bool has_holes(std::uint64_t mask) {
  const std::uint64_t shifted = mask >> static_cast<unsigned>(std::countr_zero(mask));
  return (shifted & (shifted + 1)) != 0;
}

bool is_shared_cache(const ResctrlResource& resource) {
  return resource.unit == ResctrlUnit::ways && resource.name.starts_with("L3");
}
bool is_bandwidth(const ResctrlResource& resource) {
  return resource.unit == ResctrlUnit::percent || resource.unit == ResctrlUnit::eighths;
}

/// The value of a domain: from the last part that names it and has a value of this kind, else from the last
/// that names none.
std::uint64_t value_for(const ResctrlResource& resource, std::span<const ResctrlPart> parts,
                        std::int32_t domain) {
  const bool cache = is_shared_cache(resource);
  std::uint64_t value = resource.full;
  bool named = false;
  for (const auto& part : parts) {
    if (part.cache ? *part.cache != domain : named) continue;
    const auto own =
        cache ? (part.start && part.end ? ways_between(resource, *part.start, *part.end) : std::nullopt)
              : (part.bandwidth ? bandwidth_of(resource, *part.bandwidth) : std::nullopt);
    if (!own) continue;
    value = *own;
    named = named || part.cache.has_value();
  }
  return value;
}

void append(std::string& out, std::uint64_t number, int base) {
  std::array<char, 24> digits{};
  out.append(digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), number, base).ptr);
}

}  // namespace

std::optional<std::uint64_t> ways_between(const ResctrlResource& cache, Percent start, Percent end) {
  if (start < Percent{} || start >= end || end > kWhole || cache.full == 0) return std::nullopt;
  if (has_holes(cache.full) && !cache.sparse) return std::nullopt;
  const std::int64_t ways = std::popcount(cache.full);
  if (ways < cache.least) return std::nullopt;
  std::int64_t first = scaled_up(ways, start.count(), 100);
  std::int64_t last = scaled_up(ways, end.count(), 100);
  first = std::clamp<std::int64_t>(last - cache.least, 0, first);
  last = std::max(last, first + cache.least);
  return ways_from(cache.full, first, last);
}

const ResctrlResource* shared_cache(const ResctrlSystem& system) {
  const auto found = std::ranges::find_if(system.resources, is_shared_cache);
  return found == system.resources.end() ? nullptr : &*found;
}

// Rounded down to percent, and up again to the same way: there are never more than a hundred.
Percent end_for_fewer_ways(const ResctrlResource& cache, Percent end, std::int64_t fewer) {
  const std::int64_t ways = std::popcount(cache.full);
  if (fewer == 0 || ways == 0) return end;
  return Percent(scaled(scaled_up(ways, end.count(), 100) - fewer, 100, ways));
}

std::optional<std::uint64_t> bandwidth_of(const ResctrlResource& memory, Percent percent) {
  if (percent <= Percent{} || percent > kWhole) return std::nullopt;
  if (percent == kWhole) return memory.full;
  if (memory.unit == ResctrlUnit::eighths)
    return static_cast<std::uint64_t>(std::max(memory.least, scaled(kWholeInEighths, percent.count(), 100)));
  const std::int64_t steps = scaled_up(percent.count(), 1, memory.step) * memory.step;
  return std::min(memory.full, static_cast<std::uint64_t>(std::max(memory.least, steps)));
}

void schemata_of(const ResctrlSystem& system, std::span<const ResctrlPart> parts, std::string& out) {
  out.clear();
  for (const auto& resource : system.resources) {
    const bool cache = is_shared_cache(resource);
    if ((!cache && !is_bandwidth(resource)) || resource.domains.empty()) continue;
    out += resource.name;
    char before = ':';
    for (const auto domain : resource.domains) {
      out += before;
      append(out, static_cast<std::uint64_t>(domain), 10);
      out += '=';
      append(out, value_for(resource, parts, domain), cache ? 16 : 10);
      before = ';';
    }
    out += '\n';
  }
}

}  // namespace evenkeel::cache
