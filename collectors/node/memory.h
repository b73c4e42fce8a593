// The node's memory: what there is, what could be had, and what huge page pools keep for themselves.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "qos/model/snapshot.h"

namespace evenkeel::node {

/// /proc/meminfo. Absent without a MemTotal and a MemAvailable that make sense (the latter since 3.14).
/// `hugepages` is that of the default size only: the file knows no other.
std::optional<NodeMemory> parse_meminfo(std::string_view text);

/// The page size in a directory name of sys/kernel/mm/hugepages: "hugepages-2048kB" is 2 MiB.
std::optional<Bytes> hugepage_size(std::string_view directory);

}  // namespace evenkeel::node
