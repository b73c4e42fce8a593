#include "collectors/node/numa_memory.h"

#include <string>

#include "cgroup/base/text.h"
#include "collectors/node/parsers.h"

namespace evenkeel::node {
namespace {

const std::string kNodes = "sys/devices/system/node";

/// The line is "Node 0 MemTotal:       16315184 kB".
std::optional<Bytes> total_of(std::string_view meminfo) {
  for (Scanner scan(meminfo); !scan.done();) {
    Scanner line(scan.line());
    static_cast<void>(line.word());
    static_cast<void>(line.word());
    if (line.word() != "MemTotal:") continue;
    line.skip_blanks();
    const auto kib = line.number();
    if (!kib || *kib < 0 || *kib > INT64_MAX / 1024) return std::nullopt;
    return Bytes(*kib * 1024);
  }
  return std::nullopt;
}

std::optional<Bytes> hugepages_of(const Host& host, const std::string& node) {
  Bytes sum{};
  const auto pools = host.subdirs(node + "/hugepages");
  if (!pools) return sum;  // a kernel without huge pages
  for (const auto& pool : *pools) {
    const auto page = hugepage_size(pool);
    if (!page) continue;
    const auto text = host.slurp(node + "/hugepages/" + pool + "/nr_hugepages");
    const auto count = text ? whole_number(*text) : std::nullopt;
    std::int64_t bytes = 0;
    if (!count || *count < 0 || __builtin_mul_overflow(*count, page->count(), &bytes)) return std::nullopt;
    sum += Bytes(bytes);
  }
  return sum;
}

std::optional<Bytes> ordinary_memory(const Host& host, const std::string& node) {
  const auto text = host.slurp(node + "/meminfo");
  const auto total = text ? total_of(*text) : std::nullopt;
  const auto hugepages = hugepages_of(host, node);
  if (!total || !hugepages || *hugepages > *total) return std::nullopt;
  return *total - *hugepages;
}

bool is_node(const std::string& name) {
  return name.starts_with("node") && name.size() > 4 &&
         name.find_first_not_of("0123456789", 4) == std::string::npos;
}

}  // namespace

std::optional<std::vector<Bytes>> numa_memory(const Host& host) {
  std::vector<Bytes> out;
  const auto names = host.subdirs(kNodes);
  if (!names) return out;
  std::size_t count = 0;
  for (const auto& name : *names) count += is_node(name) ? 1 : 0;
  for (std::size_t node = 0; node < count; ++node) {
    const auto memory = ordinary_memory(host, kNodes + "/node" + std::to_string(node));
    if (!memory) return std::nullopt;
    out.push_back(*memory);
  }
  return out;
}

}  // namespace evenkeel::node
