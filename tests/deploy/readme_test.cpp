// Compares the tables in docs/ (policies, flags, triggers, levers, capabilities) with the lists in the
// program: a row that one side lacks fails here. Also parses every configuration that docs/configuration.md
// shows.
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "agent/config/nodeslo_config.h"
#include "cgroup/features/features.h"
#include "qos/decide/policy.h"
#include "tests/support/fakes/fake_host.h"

namespace evenkeel::test {
namespace {

using Cells = std::vector<std::string>;
constexpr const char* kLevers = "docs/levers.md";

Cells cells_of(const std::string& line) {
  Cells cells;
  for (auto at = line.find('|'); at != std::string::npos;) {
    const auto end = line.find('|', at + 1);
    if (end == std::string::npos) break;
    auto cell = line.substr(at + 1, end - at - 1);
    cell.erase(0, cell.find_first_not_of(' '));
    cell.erase(cell.find_last_not_of(' ') + 1);
    cells.push_back(cell);
    at = end;
  }
  return cells;
}

/// The rows of the table whose header line begins with `head`, keyed by the text in backticks in the first
/// cell. Rows without backticks there do not belong to the list.
std::map<std::string, Cells> table(const std::string& file, const std::string& head) {
  std::ifstream in(EVENKEEL_SOURCE_DIR "/" + file);
  std::string line;
  while (std::getline(in, line) && !line.starts_with(head)) continue;
  EXPECT_TRUE(in.good()) << file << " has no table that begins with " << head;
  std::map<std::string, Cells> rows;
  while (std::getline(in, line) && line.starts_with('|')) {
    const auto cells = cells_of(line);
    if (cells.empty() || !cells.front().starts_with('`')) continue;
    const auto name = cells.front().substr(1, cells.front().find('`', 1) - 1);
    EXPECT_TRUE(rows.emplace(name, cells).second) << file << " names " << name << " twice";
  }
  return rows;
}

/// Both lists have the same names.
void expect_same(const std::map<std::string, Cells>& page, const std::set<std::string>& program) {
  for (const auto& name : program) EXPECT_TRUE(page.contains(name)) << "the page lacks a row " << name;
  for (const auto& [name, cells] : page)
    EXPECT_TRUE(program.contains(name)) << "the page has a row " << name << ", the program has not";
}

void expect_no_empty_cell(const std::map<std::string, Cells>& page) {
  for (const auto& [name, cells] : page)
    for (const auto& cell : cells) EXPECT_FALSE(cell.empty()) << name;
}

TEST(Docs, NameEveryPolicy) {
  std::set<std::string> names;
  for (const auto* policy : decide::policies()) names.emplace(policy->name);
  const auto rows = table("docs/policies.md", "| policy | on when ");
  expect_same(rows, names);
  expect_no_empty_cell(rows);
}

TEST(Docs, NameEveryEvictionTrigger) {
  const auto rows = table("docs/eviction.md", "| trigger | starts when ");
  expect_same(rows, {kFeatureGates.begin(), kFeatureGates.end()});
  expect_no_empty_cell(rows);
}

std::string help_of_run() {
  std::string text;
  FILE* const pipe = ::popen(EVENKEEL_BINARY " run --help", "r");
  if (pipe == nullptr) return text;
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) text += static_cast<char>(c);
  ::pclose(pipe);
  return text;
}

/// Every --flag of a text that follows `before`.
std::set<std::string> flags_in(const std::string& text, const std::string& before) {
  std::set<std::string> flags;
  const std::regex flag(before + "(--[a-z-]+)");
  for (std::sregex_iterator it(text.begin(), text.end(), flag), end; it != end; ++it) flags.insert((*it)[1]);
  return flags;
}

TEST(Docs, NameEveryFlagOfRun) {
  std::string cells;
  for (const auto& [name, row] : table("docs/flags.md", "| flag of `evenkeel run` "))
    cells += row[0] + row[2];
  const auto program = flags_in(help_of_run(), "\\n  ");
  ASSERT_GT(program.size(), 20U);
  EXPECT_EQ(flags_in(cells, "`"), program);
}

TEST(Docs, ShowLegalConfigurations) {
  std::ifstream in(EVENKEEL_SOURCE_DIR "/docs/configuration.md");
  std::string line;
  while (std::getline(in, line) && !line.starts_with("| to | minimal configuration")) continue;
  int shown = 0;
  while (std::getline(in, line) && line.starts_with('|')) {
    const auto cells = cells_of(line);
    if (cells.size() != 2 || !cells[1].starts_with('`')) continue;
    const auto config = config::parse_nodeslo(cells[1].substr(1, cells[1].size() - 2), cells[0]);
    EXPECT_TRUE(config.problems.empty()) << config.problems.front().text();
    EXPECT_TRUE(config.notices.empty()) << config.notices.front();
    ++shown;
  }
  EXPECT_GT(shown, 10);
}

TEST(Docs, NameEveryLever) {
  std::set<std::string> names;
  for (const auto& lever : knob_table()) names.emplace(lever.name);
  expect_same(table(kLevers, "| lever | v1 file "), names);
}

struct Machine {
  const char* what;
  void (*make)(FakeHost&);
};
constexpr Machine kMachines[] = {
    {"v1", [](FakeHost& host) { host.machine().v1().kubepods(); }},
    {"hybrid", [](FakeHost& host) { host.machine().hybrid().kubepods(); }},
    {"v2", [](FakeHost& host) { host.machine().v2().kubepods(); }},
    {"v2 without pods", [](FakeHost& host) { host.machine().v2(); }},
    {"v2 that can swap",
     [](FakeHost& host) {
       host.machine().v2().kubepods().file("proc/meminfo", host.read("proc/meminfo") + "SwapTotal: 9 kB\n");
     }},
};

TEST(Docs, NameEveryCapabilityAndItsSubstitute) {
  const auto rows = table(kLevers, "| capability | what it is ");
  std::set<std::string> names;
  for (const auto& machine : kMachines) {
    FakeHost fake;
    machine.make(fake);
    const auto host = std::move(*Host::open(fake.root()));
    tree::CgroupTree tree(host, *tree::detect_layout(host, ""));
    tree.scan();
    for (const auto& capability : features::probe(host, tree)) {
      names.insert(capability.feature);
      const auto row = rows.find(capability.feature);
      if (row == rows.end() || capability.substitute.empty()) continue;
      ASSERT_EQ(row->second.size(), 3u) << capability.feature;
      EXPECT_NE(row->second[2].find(capability.substitute), std::string::npos)
          << capability.feature << " on " << machine.what << ": " << capability.substitute;
    }
  }
  expect_same(rows, names);
  expect_no_empty_cell(rows);
}

}  // namespace
}  // namespace evenkeel::test
