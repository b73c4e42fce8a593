// The READMEs' tables of policies, flags, levers and capabilities against the lists that the program has:
// whoever adds one to either side finds out here what the other one lacks. And the configurations that README
// shows are legal.
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
constexpr const char* kLevers = "cgroup/README.md";

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

/// The rows of the table whose head begins so, by what stands in backticks in their first cell; rows without
/// backticks there are about something else than the list.
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
void expect_same(const std::map<std::string, Cells>& readme, const std::set<std::string>& program) {
  for (const auto& name : program) EXPECT_TRUE(readme.contains(name)) << "the README lacks a row " << name;
  for (const auto& [name, cells] : readme)
    EXPECT_TRUE(program.contains(name)) << "the README has a row " << name << ", the program has not";
}

TEST(Readme, NamesEveryPolicy) {
  std::set<std::string> names;
  for (const auto* policy : decide::policies()) names.emplace(policy->name);
  const auto rows = table("README.md", "| policy | on when ");
  expect_same(rows, names);
  for (const auto& [name, cells] : rows)
    for (const auto& cell : cells) EXPECT_FALSE(cell.empty()) << name;
}

std::string help_of_run() {
  std::string text;
  FILE* const pipe = ::popen(EVENKEEL_BINARY " run --help", "r");
  if (pipe == nullptr) return text;
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) text += static_cast<char>(c);
  ::pclose(pipe);
  return text;
}

/// Every --flag that stands in a text after `before`.
std::set<std::string> flags_in(const std::string& text, const std::string& before) {
  std::set<std::string> flags;
  const std::regex flag(before + "(--[a-z-]+)");
  for (std::sregex_iterator it(text.begin(), text.end(), flag), end; it != end; ++it) flags.insert((*it)[1]);
  return flags;
}

TEST(Readme, NamesEveryFlagOfRun) {
  std::string cells;
  for (const auto& [name, row] : table("README.md", "| flag of `evenkeel run` ")) cells += row[0] + row[2];
  const auto program = flags_in(help_of_run(), "\\n  ");
  ASSERT_GT(program.size(), 20U);
  EXPECT_EQ(flags_in(cells, "`"), program);
}

TEST(Readme, ShowsLegalConfigurations) {
  std::ifstream in(EVENKEEL_SOURCE_DIR "/README.md");
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

/// A cell that begins with this file's name, or with "none" where there is no such file.
std::string beginning(const KnobRow& lever, std::string_view file) {
  if (file.empty()) return "none";
  return lever.node_dir.empty() ? '`' + std::string(file) + '`'
                                : "`/" + std::string(lever.node_dir) + '/' + std::string(file) + '`';
}

TEST(Readme, NamesEveryLeverAndItsFiles) {
  std::set<std::string> names;
  const auto rows = table(kLevers, "| lever | v1 file ");
  for (const auto& lever : knob_table()) {
    names.emplace(lever.name);
    const auto row = rows.find(std::string(lever.name));
    if (row == rows.end()) continue;
    ASSERT_EQ(row->second.size(), 4u) << lever.name;
    for (const auto& [cell, file] : {std::pair(1, lever.v1_file), std::pair(2, lever.v2_file)})
      EXPECT_TRUE(row->second[static_cast<std::size_t>(cell)].starts_with(beginning(lever, file)))
          << lever.name << ": " << row->second[static_cast<std::size_t>(cell)];
  }
  expect_same(rows, names);
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

TEST(Readme, NamesEveryCapabilityAndWhatTakesItsPlace) {
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
  for (const auto& [name, cells] : rows)
    for (const auto& cell : cells) EXPECT_FALSE(cell.empty()) << name;
}

}  // namespace
}  // namespace evenkeel::test
