#include "qos/model/topology.h"

#include <charconv>
#include <set>

namespace evenkeel {
namespace {

std::string_view trim(std::string_view text) {
  constexpr std::string_view kBlank = " \t\n";
  const auto first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

std::optional<CpuId> number(std::string_view text) {
  CpuId value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  if (value < 0 || static_cast<std::size_t>(value) >= CpuSet::kCapacity) return std::nullopt;
  return value;
}

bool add_item(CpuSet& set, std::string_view item) {
  const auto dash = item.find('-');
  const auto first = number(item.substr(0, dash));
  const auto last = dash == std::string_view::npos ? first : number(item.substr(dash + 1));
  if (!first || !last || *last < *first) return false;
  for (CpuId cpu = *first; cpu <= *last; ++cpu) set.add(cpu);
  return true;
}

}  // namespace

std::optional<CpuSet> CpuSet::parse(std::string_view text) {
  CpuSet set;
  text = trim(text);
  while (!text.empty()) {
    const auto comma = text.find(',');
    if (!add_item(set, trim(text.substr(0, comma)))) return std::nullopt;
    if (comma == std::string_view::npos) break;
    text.remove_prefix(comma + 1);
    if (text.empty()) return std::nullopt;
  }
  return set;
}

CpuSet CpuSet::range(CpuId first, CpuId last) {
  CpuSet set;
  for (CpuId cpu = first; cpu <= last; ++cpu) set.add(cpu);
  return set;
}

CpuId CpuSet::next(CpuId from) const {
  for (auto i = static_cast<std::size_t>(from < 0 ? 0 : from); i < kCapacity; ++i)
    if (bits_.test(i)) return static_cast<CpuId>(i);
  return -1;
}

std::string CpuSet::text() const {
  std::string out;
  for (CpuId first = next(0); first >= 0;) {
    CpuId last = first;
    while (contains(last + 1)) ++last;
    if (!out.empty()) out += ',';
    out += std::to_string(first);
    if (last > first) out += '-' + std::to_string(last);
    first = next(last + 1);
  }
  return out;
}

bool has_siblings(const CpuTopology& topology) {
  std::set<int> cores;
  for (const auto& cpu : topology.cpus) cores.insert(cpu.core);
  return cores.size() < topology.cpus.size();
}

}  // namespace evenkeel
