#include <algorithm>
#include <array>
#include <cstdio>

#include "agent/runtime/printable.h"
#include "agent/top/view.h"
#include "qos/model/reason.h"

namespace evenkeel::top {
namespace {

constexpr const char* kUnknown = "-";
constexpr std::size_t kLeastName = 16;  ///< characters of a pod's name that are shown at least

bool begins_character(char byte) { return (static_cast<unsigned char>(byte) & 0xc0) != 0x80; }

/// Characters, each of which is taken for one column. A wide one shifts its own line only: the screen does
/// not wrap lines.
std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, begins_character));
}

template <class Q>
std::string spelled(const std::optional<Q>& amount) {
  return amount ? because("{}", *amount).text() : kUnknown;
}

std::string fixed(const std::optional<double>& value, int decimals, const char* unit = "") {
  if (!value) return kUnknown;
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.*f%s", decimals, *value, unit);
  return text.data();
}

std::string cores(const std::optional<MilliCpu>& cpu) {
  return cpu ? fixed(static_cast<double>(cpu->count()) / 1000, 2) : kUnknown;
}

/// " (65 %)"; empty where it is not known.
template <class Q>
std::string share(const std::optional<Q>& part, const std::optional<Q>& whole) {
  if (!part || !whole || whole->count() == 0) return {};
  const double percent = 100 * static_cast<double>(part->count()) / static_cast<double>(whole->count());
  return " (" + fixed(percent, 0, " %") + ")";
}

// The lines about the node

std::string cpu_line(const View& view) {
  return "node cpu     " + spelled(view.cpu_use) + " of " + spelled(view.cpu_capacity) +
         share(view.cpu_use, view.cpu_capacity) + ", stolen " + spelled(view.cpu_stolen);
}

std::string memory_line(const View& view) {
  std::optional<Bytes> used;
  if (view.memory_total && view.memory_available) used = *view.memory_total - *view.memory_available;
  return "node memory  " + spelled(used) + " of " + spelled(view.memory_total) +
         share(used, view.memory_total) + " in use";
}

std::string stalls_line(const View& view) {
  const auto one = [](const char* resource, const Stall& stall) {
    return std::string(resource) + " " + fixed(stall.some_percent, 1, " %");
  };
  const auto both = [&](const char* resource, const Stall& stall) {
    return one(resource, stall) + " (all tasks " + fixed(stall.full_percent, 1, " %") + ")";
  };
  return "waits, 10 s  " + one("cpu", view.cpu_stall) + ", " + both("memory", view.memory_stall) + ", " +
         both("io", view.io_stall);
}

std::string best_effort_line(const BestEffort& best_effort) {
  std::string out = "best effort  " + spelled(best_effort.cpu_use);
  out += best_effort.limit.unlimited ? ", no limit" : ", limit " + spelled(best_effort.limit.cpu);
  return best_effort.levers.empty() ? out + ", no lever on it" : out + ", by " + best_effort.levers;
}

std::string lent_line(const Lent& lent) {
  return "lent         batch-cpu " + spelled(lent.cpu) + " (requested " + spelled(lent.cpu_requested) +
         "), batch-memory " + spelled(lent.memory) + " (requested " + spelled(lent.memory_requested) + ")";
}

std::string brakes_line(const View& view) {
  const auto one = [](const char* resource, const Brake& brake) {
    const std::string on = brake.on ? (*brake.on ? "on" : "off") : kUnknown;
    const std::string times = brake.times ? std::to_string(*brake.times) : kUnknown;
    return std::string(resource) + " " + on + " (" + times + " times, " + spelled(brake.time) + ")";
  };
  return "brakes       " + one("cpu", view.cpu_brake) + ", " + one("memory", view.memory_brake);
}

std::string levers_line(const View& view) {
  std::string out = "levers       ";
  if (view.levers.empty()) out += "no value is held";
  for (const auto& held : view.levers)
    out += (&held == view.levers.data() ? "" : ", ") + held.policy + " " + std::to_string(held.values);
  for (const auto& lever : view.withdrawn)
    out += (&lever == view.withdrawn.data() ? "; withdrawn: " : ", ") + lever;
  return out;
}

std::string counts_line(const Counts& counts) {
  return "counts       writes " + spelled(counts.writes) + ", refusals " + spelled(counts.refusals) +
         ", foreign writes " + spelled(counts.foreign_writes) + ", evictions " + spelled(counts.evictions) +
         ", ticks " + spelled(counts.ticks);
}

std::vector<std::string> node_lines(const View& view) {
  std::vector<std::string> lines = {cpu_line(view), memory_line(view), stalls_line(view)};
  lines.push_back("services     " + spelled(view.services_use));
  lines.push_back(best_effort_line(view.best_effort));
  if (!view.best_effort.why.empty()) lines.push_back("             " + view.best_effort.why);
  for (auto& line : {lent_line(view.lent), brakes_line(view), levers_line(view), counts_line(view.counts)})
    lines.push_back(line);
  return lines;
}

// The table of pods

struct Column {
  const char* head;
  std::size_t width;
  std::string (*cell)(const PodUse&);
};

constexpr Column kColumns[] = {
    {"CLASS", 5, [](const PodUse& pod) { return pod.qos_class; }},
    {"CPU", 6, [](const PodUse& pod) { return cores(pod.cpu_use); }},
    {"LIMIT", 6, [](const PodUse& pod) { return pod.limit.unlimited ? "none" : cores(pod.limit.cpu); }},
    {"THROT", 5, [](const PodUse& pod) { return fixed(pod.throttled_percent, 0, "%"); }},
    {"MEMORY", 12, [](const PodUse& pod) { return spelled(pod.memory); }},
    {"STALL", 10,
     [](const PodUse& pod) {
       return fixed(pod.stall_percent, 1, "%") + (pod.stalled_on.empty() ? "" : " " + pod.stalled_on);
     }},
};

/// What fits beside a readable name.
struct Table {
  std::size_t name = 0;     ///< width of the names
  std::size_t columns = 0;  ///< of kColumns, from the left
};

Table table_for(const View& view, std::size_t room) {
  std::size_t longest = kLeastName;
  for (const auto& pod : view.pods) longest = std::max(longest, width_of(runtime::printable(pod.name)));
  if (room == 0) return {longest, std::size(kColumns)};
  Table table;
  std::size_t used = 0;
  for (const auto& column : kColumns) {
    if (kLeastName + used + 1 + column.width > room) break;
    used += 1 + column.width;
    ++table.columns;
  }
  table.name = std::min(longest, room - std::min(used, room));
  return table;
}

template <class Cell>
std::string row_of(const Table& table, const std::string& name, Cell cell) {
  std::string out = fitted(name, table.name);
  out.append(table.name - std::min(table.name, width_of(out)), ' ');
  for (std::size_t i = 0; i < table.columns; ++i) {
    const std::string text = fitted(cell(kColumns[i]), kColumns[i].width);
    out.append(1 + kColumns[i].width - width_of(text), ' ').append(text);
  }
  return out;
}

void put_table(std::vector<std::string>& lines, const View& view, const Room& room) {
  const Table table = table_for(view, room.columns);
  lines.emplace_back();
  lines.push_back(row_of(table, "POD", [](const Column& column) { return std::string(column.head); }));
  std::size_t rows = view.pods.size();
  if (room.lines != 0 && lines.size() + rows > room.lines)
    rows = room.lines - std::min(room.lines, lines.size() + 1);  // one line says how many are left out
  for (std::size_t i = 0; i < rows; ++i) {
    const PodUse& pod = view.pods[i];
    lines.push_back(row_of(table, pod.name, [&](const Column& column) { return column.cell(pod); }));
  }
  if (rows < view.pods.size()) lines.push_back("and " + std::to_string(view.pods.size() - rows) + " more");
}

}  // namespace

std::string fitted(const std::string& text, std::size_t columns) {
  std::string out = runtime::printable(text);
  if (columns == 0 || width_of(out) <= columns) return out;
  std::size_t end = 0, characters = 0;
  while (end < out.size() && (!begins_character(out[end]) || characters++ < columns - 1)) ++end;
  out.resize(end);
  return out + "…";
}

std::vector<std::string> render(const View& view, const Room& room) {
  auto lines = node_lines(view);
  put_table(lines, view, room);
  if (room.lines != 0 && lines.size() > room.lines) lines.resize(room.lines);
  for (auto& line : lines) line = fitted(line, room.columns);
  return lines;
}

}  // namespace evenkeel::top
